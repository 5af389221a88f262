# SPDX-License-Identifier: Apache-2.0
"""SchedulingGates."""

from __future__ import annotations

from refsched.framework.status import SUCCESS, unresolvable
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.plugins.scheduling_gates import SchedulingGates


def pod(uid: str, *gates: str) -> Pod:
    named = [{"name": gate} for gate in gates]
    return read_as(Pod, {"metadata": {"uid": uid}, "spec": {"schedulingGates": named}})


def test_a_pod_without_gates_may_enter_the_queue() -> None:
    assert SchedulingGates().pre_enqueue(pod("a"), ObjectStore()) == SUCCESS


def test_the_message_for_a_gated_pod_names_all_its_gates() -> None:
    status = SchedulingGates().pre_enqueue(pod("a", "x.io/one", "two"), ObjectStore())
    assert status == unresolvable("waiting for scheduling gates: [x.io/one two]")


def test_only_its_own_gates_free_a_pod() -> None:
    (row,) = SchedulingGates.EVENTS
    assert row.hint is not None
    assert row.hint(SchedulingGates(), pod("a", "g"), pod("a", "g"), pod("a"), ObjectStore())
    assert not row.hint(SchedulingGates(), pod("a", "g"), pod("b", "g"), pod("b"), ObjectStore())
