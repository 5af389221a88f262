# SPDX-License-Identifier: Apache-2.0
"""ApiServer: what is stored, what is refused, and what is shown to the scheduler."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve

from refsched.errors import InputError
from refsched.machine.api_server import ApiServer, Event
from refsched.objects.kinds import described_as
from refsched.objects.node import Node
from refsched.objects.pod import Pod, PodCondition
from refsched.objects.reading import read_as


def pod(name: str = "p", uid: str = "u1", **spec: Any) -> Pod:
    return read_as(Pod, {"metadata": {"name": name, "namespace": "default", "uid": uid}, "spec": spec})


def node(name: str = "n") -> Node:
    return read_as(Node, {"metadata": {"name": name}})


@pytest.fixture
def api() -> ApiServer:
    """It has the pod ``p``, and has shown it."""
    server = ApiServer()
    server.create(pod())
    server.events.clear()
    return server


def test_what_happens_is_shown_in_its_order(api: ApiServer) -> None:
    changed = pod(priority=5)
    api.update(changed)
    api.delete(Pod, "p", "default")
    assert list(api.events) == [Event(pod(), changed), Event(changed, None)]
    assert api.get(Pod, "p", "default") is None


def test_what_is_there_cannot_be_created_again(api: ApiServer) -> None:
    with pytest.raises(InputError, match="Pod default/p: exists already"):
        api.create(pod())


def test_what_is_not_there_cannot_be_changed(api: ApiServer) -> None:
    with pytest.raises(InputError, match="Pod default/q: does not exist, so it cannot be updated"):
        api.update(pod("q"))
    with pytest.raises(InputError, match="Pod default/q: does not exist, so it cannot be deleted"):
        api.delete(Pod, "q", "default")
    with pytest.raises(InputError, match="Node n: does not exist, so it cannot be deleted"):
        api.delete(Node, "n", "")
    assert not api.events


def test_an_object_is_named_as_its_scope_asks() -> None:
    assert (described_as(pod()), described_as(node())) == ("Pod default/p", "Node n")


def test_a_deletion_that_the_scheduler_asks_for_is_for_others_to_carry_out(api: ApiServer) -> None:
    api.write("delete", pod())
    assert api.get(Pod, "p", "default") == pod()
    api.write("update", pod(priority=5))
    assert api.get(Pod, "p", "default") == pod(priority=5)


# --- Binding --------------------------------------------------------------------------------------


def test_a_binding_is_stored_and_shown(api: ApiServer) -> None:
    assert api.bind(pod(), "n") == ""
    assert api.get(Pod, "p", "default") == pod(nodeName="n")
    assert list(api.events) == [Event(pod(), pod(nodeName="n"))]


def dying(stored: Pod) -> Pod:
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    return evolve(stored, metadata=evolve(stored.metadata, deletion_timestamp=begun))


@pytest.mark.parametrize(
    ("stored", "refusal"),
    [
        (pod(uid="u2"), "Precondition failed: UID in precondition: u1, UID in object meta: u2"),
        (dying(pod()), "pod p is being deleted, cannot be assigned to a host"),
        (pod(nodeName="m"), 'pod p is already assigned to node "m"'),
        (pod(schedulingGates=[{"name": "g"}]), "pod p has non-empty .spec.schedulingGates"),
    ],
)
def test_a_binding_may_be_refused(stored: Pod, refusal: str) -> None:
    api = ApiServer()
    api.create(stored)
    said = api.bind(pod(), "n")
    assert said == f'Operation cannot be fulfilled on pods/binding "p": {refusal}'
    assert api.get(Pod, "p", "default") == stored


def test_a_deleted_pod_cannot_be_bound(api: ApiServer) -> None:
    assert api.bind(pod("q"), "n") == 'pods "q" not found'


# --- Status ---------------------------------------------------------------------------------------

REFUSED = PodCondition("PodScheduled", "False", "Unschedulable", "no")


def stored_pod(api: ApiServer) -> Pod:
    found = api.get(Pod, "p", "default")
    assert found is not None
    return found


def test_a_condition_replaces_the_one_of_its_type(api: ApiServer) -> None:
    other = PodCondition("Ready", "False")
    api.patch_status(pod(), other)
    api.patch_status(stored_pod(api), REFUSED)
    api.patch_status(stored_pod(api), evolve(REFUSED, message="still no"))
    assert stored_pod(api).status.conditions == (other, evolve(REFUSED, message="still no"))


def test_of_a_condition_that_others_took_away_meanwhile_only_what_is_new_is_written(api: ApiServer) -> None:
    api.patch_status(pod(), REFUSED)
    tried = stored_pod(api)
    api.update(pod())
    api.patch_status(tried, evolve(REFUSED, message="still no"))
    assert stored_pod(api).status.conditions == (PodCondition("PodScheduled", message="still no"),)


def test_a_nomination_is_set_left_and_cleared(api: ApiServer) -> None:
    api.patch_status(pod(), nominated_node="n")
    assert stored_pod(api).status.nominated_node_name == "n"
    api.patch_status(stored_pod(api), REFUSED)
    assert stored_pod(api).status.nominated_node_name == "n"
    api.patch_status(stored_pod(api), nominated_node="")
    assert stored_pod(api).status.nominated_node_name == ""


def test_where_nothing_differs_nothing_is_written(api: ApiServer) -> None:
    api.patch_status(pod(), REFUSED, "n")
    api.events.clear()
    api.patch_status(stored_pod(api), REFUSED, "n")
    api.patch_status(stored_pod(api))
    assert not api.events


def test_the_status_of_a_deleted_pod_is_nobody_s(api: ApiServer) -> None:
    api.patch_status(pod("q"), REFUSED, "n")
    assert not api.events
