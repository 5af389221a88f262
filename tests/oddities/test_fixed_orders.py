# SPDX-License-Identifier: Apache-2.0
"""Orders that a release takes where a rule leaves them open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from applied import applied

from refsched.framework.choices import FirstChoice
from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolumeClaim
from refsched.oddities.fixed_orders import (
    as_go_sorts_claims,
    as_go_sorts_pods,
    more_important,
)
from refsched.oddities.known_defects import with_oddities
from refsched.plugins.default_preemption import DefaultPreemption
from refsched.plugins.volume_binding import VolumeBinding
from refsched.preemption.importance import all_now, by_importance
from refsched.releases import RELEASES
from refsched.releases.v1_19.plugins import default_preemption as of_v1_19
from refsched.releases.v1_19.plugins.volume_binding import VolumeBinding as VolumeBindingOfV119

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def pod(name: str, priority: int = 0, started: int | None = None) -> PodInfo:
    """``started`` this many seconds before now."""
    status = {} if started is None else {"startTime": (NOW - timedelta(seconds=started)).isoformat()}
    metadata = {"name": name, "uid": name}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": {"priority": priority}, "status": status}))


def in_order(*pods: PodInfo) -> str:
    return " ".join(info.pod.name for info in as_go_sorts_pods(pods, all_now(pods, NOW), FirstChoice()))


def claim(name: str, size: str) -> PersistentVolumeClaim:
    spec = {"resources": {"requests": {"storage": size}}}
    return read_as(PersistentVolumeClaim, {"metadata": {"name": name}, "spec": spec})


def test_a_pod_that_has_not_started_counts_from_now() -> None:
    waiting, running, later = pod("waiting"), pod("running", started=1), pod("later", started=-1)
    started = all_now((waiting, running, later), NOW)
    assert more_important(running, waiting, started)
    assert not more_important(waiting, running, started)
    assert more_important(waiting, later, started)


def test_of_two_that_have_not_started_each_is_the_more_important_and_they_come_out_reversed() -> None:
    one, other = pod("one"), pod("other")
    started = all_now((one, other), NOW)
    assert more_important(one, other, started)
    assert more_important(other, one, started)
    assert in_order(one, other, pod("third"), pod("high", 1)) == "high third other one"


def test_of_two_that_started_together_neither_is_the_more_important() -> None:
    assert in_order(pod("a", started=1), pod("b", started=1)) == "a b"


def test_the_order_of_pods_is_applied_where_two_are_equal() -> None:
    assert "R-PREEMPT-18" in applied(lambda: in_order(pod("a"), pod("b")))
    assert "R-PREEMPT-18" in applied(lambda: in_order(pod("a", started=1), pod("b", started=1)))
    assert "R-PREEMPT-18" not in applied(lambda: in_order(pod("a"), pod("b", 1), pod("c", started=1)))


def test_claims_that_request_equally_much_stay_in_the_order_of_the_pod() -> None:
    claims = [claim("c", "1Gi"), claim("a", "1Gi"), claim("small", "1Mi")]
    [only] = as_go_sorts_claims(claims)
    assert [each.metadata.name for each in only] == ["small", "c", "a"]
    assert "R-VOLBIND-29" in applied(lambda: as_go_sorts_claims(claims))
    assert "R-VOLBIND-29" not in applied(lambda: as_go_sorts_claims(claims[1:]))


def test_each_release_takes_these_orders_in_its_plugins() -> None:
    for release, preemption, volumes in (
        (RELEASES["1.34"], DefaultPreemption(), VolumeBinding()),
        (RELEASES["1.19"], of_v1_19.DefaultPreemption(), VolumeBindingOfV119()),
    ):
        assert with_oddities(preemption, release.oddities).steps.by_importance is as_go_sorts_pods
        assert with_oddities(volumes, release.oddities).steps.orders_of_claims is as_go_sorts_claims
        assert preemption.steps.by_importance is by_importance
