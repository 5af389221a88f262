# SPDX-License-Identifier: Apache-2.0
"""ApiServer: what is stored, what is refused, and what is shown to the scheduler."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve

from refsched.errors import InputError
from refsched.machine.api_server import ApiServer
from refsched.objects.kinds import described_as
from refsched.objects.node import Node
from refsched.objects.pod import Pod
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


# --- Binding --------------------------------------------------------------------------------------


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
