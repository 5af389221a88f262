# SPDX-License-Identifier: Apache-2.0
"""Requests in v1.19: those of each container are rounded up by themselves."""

from __future__ import annotations

from typing import Any

from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.releases.v1_19.objects import with_rounded_requests
from tests.applied import applied

RULE = "R-REQUEST-51"


def pod(*requests: dict[str, str], **more: Any) -> Pod:
    containers = [{"name": f"c{n}", "resources": {"requests": asked}} for n, asked in enumerate(requests)]
    return read_as(Pod, {"spec": {"containers": containers, **more}})


def test_each_container_requests_whole_units_and_whole_thousandths_of_a_cpu() -> None:
    asked = pod({"memory": "1500m", "cpu": "1500u"}, {"memory": "1500m", "cpu": "1500u"})
    assert (PodInfo(asked).requests.memory, PodInfo(asked).requests.milli_cpu) == (3, 3)
    counted = PodInfo(with_rounded_requests(asked))
    assert (counted.requests.memory, counted.requests.milli_cpu) == (4, 4)
    assert (counted.non_zero_requests.memory, counted.non_zero_requests.milli_cpu) == (4, 4)


def test_an_init_container_and_overhead_are_rounded_up_too() -> None:
    init = [{"name": "i", "resources": {"requests": {"memory": "4500m"}}}]
    asked = pod({"memory": "1"}, initContainers=init, overhead={"memory": "500m"})
    assert PodInfo(with_rounded_requests(asked)).requests.memory == 6


def test_a_pod_that_requests_whole_amounts_counts_as_ever() -> None:
    whole = with_rounded_requests(pod({"memory": "1Gi", "cpu": "100m", "example.com/gpu": "2"}))
    assert RULE not in applied(lambda: PodInfo(whole).requests)
    fractional = with_rounded_requests(pod({"memory": "1500m"}))
    assert RULE in applied(lambda: PodInfo(fractional).requests)


def test_what_the_pod_says_stays_as_it_is() -> None:
    asked = pod({"memory": "1500m"})
    kept = with_rounded_requests(asked)
    assert kept.spec.containers[0].resources.requests == asked.spec.containers[0].resources.requests
