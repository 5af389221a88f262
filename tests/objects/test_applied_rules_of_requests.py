# SPDX-License-Identifier: Apache-2.0
"""Which rules decide what a pod requests."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.quantity import parse_quantity
from refsched.objects.resources import pod_requests, resource_of
from tests.applied import Call, applied, info, pod, requesting

ONE = requesting(cpu="1")
SIDECAR = {**requesting(cpu="2")[0], "restartPolicy": "Always"}
REPORTED = {"name": "c", "resources": {"requests": {"cpu": "2"}}}
INFEASIBLE = {"type": "PodResizePending", "reason": "Infeasible", "status": "True"}


def requests_of(status: dict[str, Any] | None = None, **spec: Any) -> Call:
    return lambda: pod_requests(pod(status=status, **spec))


def counting(**amounts: str) -> Call:
    return lambda: resource_of({name: parse_quantity(text) for name, text in amounts.items()})


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (requests_of(containers=ONE), []),
        (requests_of(containers=[*ONE, *ONE]), ["R-REQUEST-01"]),
        (requests_of(containers=ONE, initContainers=requesting(cpu="2")), ["R-REQUEST-02"]),
        (requests_of(containers=ONE, initContainers=requesting(cpu="1")), []),
        (requests_of(containers=ONE, initContainers=[SIDECAR]), ["R-REQUEST-03"]),
        (requests_of(containers=ONE, overhead={"cpu": "1"}), ["R-REQUEST-04"]),
        (requests_of(containers=ONE, resources={"requests": {"cpu": "2"}}), ["R-REQUEST-05"]),
        (requests_of({"containerStatuses": [REPORTED]}, containers=ONE), ["R-REQUEST-06"]),
        (
            requests_of({"containerStatuses": [REPORTED], "conditions": [INFEASIBLE]}, containers=ONE),
            ["R-REQUEST-07"],
        ),
        (lambda: info(containers=ONE).non_zero_requests, ["R-REQUEST-08"]),
        (lambda: info(containers=requesting(cpu="1", memory="1")).non_zero_requests, []),
        (
            lambda: (
                info(
                    containers=requesting(memory="1"), resources={"requests": {"cpu": "1"}}
                ).non_zero_requests
            ),
            ["R-REQUEST-11", "R-REQUEST-05"],
        ),
        (counting(cpu="1m", memory="1", pods="1"), []),
        (counting(cpu="1u"), ["R-REQUEST-09"]),
        (counting(memory="1m"), ["R-REQUEST-09"]),
        (counting(storage="1"), ["R-REQUEST-10"]),
    ],
)
def test_a_rule_is_applied_where_it_adds_to_what_a_pod_requests(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules
