# SPDX-License-Identifier: Apache-2.0
"""The driver plays the API server for a scheduler that has none, and leaves out what does not fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from refsched.records import Attempt, Bind, Input, Reference, Write
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.api_server import FakeApiServer
from refsched.suite.histories.history import (
    DEFAULT_CONFIG,
    Create,
    Delete,
    History,
    Permit,
    Release,
    Schedule,
    Update,
)
from refsched.suite.histories.trial import try_history

Json = dict[str, Any]
SCRIPTED = {
    **DEFAULT_CONFIG,
    "profiles": [
        {
            "schedulerName": "default-scheduler",
            "plugins": {"multiPoint": {"enabled": [{"name": "ScriptedA"}, {"name": "ScriptedB"}]}},
        }
    ],
}


def thing(kind: str, name: str, api: str = "v1", **members: Any) -> Json:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, **members}


def pod(name: str, *, script: Json | None = None, **spec: Any) -> Json:
    value = thing("Pod", name, spec={"containers": [{"name": "c", "image": "i"}], **spec})
    if script is not None:
        value["metadata"]["annotations"] = {"refsched.dev/script": json.dumps(script)}
    return value


def node(name: str) -> Json:
    return thing("Node", name, status={"allocatable": {"cpu": "1", "pods": "3"}})


def delete(kind: str, name: str) -> Delete:
    return Delete(Reference(kind, name))


@pytest.fixture
def api() -> FakeApiServer:
    return FakeApiServer()


# --- What fits ------------------------------------------------------------------------------------


def test_what_is_there_is_not_created_again_and_what_is_not_there_not_changed(api: FakeApiServer) -> None:
    created = Create(node("n"))
    assert api.accepts(created)
    assert not api.accepts(Update(node("n")))
    api.take(created)
    assert not api.accepts(created)
    assert api.accepts(Update(node("n")))
    api.take(delete("Node", "n"))
    assert not api.accepts(delete("Node", "n"))


def test_only_a_pod_that_waits_is_permitted_and_by_a_plugin_that_it_waits_for(api: FakeApiServer) -> None:
    api.take(Create(pod("p", script={"ScriptedA": {"permit": "Wait"}})))
    assert not api.accepts(Permit("default/p", "allow"))
    api.take(Attempt("default/p", "scheduled", node="n", waiting=True))
    assert api.accepts(Permit("default/p", "allow"))
    assert not api.accepts(Permit("default/p", "allow", "ScriptedB"))
    allowed = Permit("default/p", "allow", "ScriptedA")
    assert api.accepts(allowed)
    api.take(allowed)
    assert not api.accepts(allowed)
    api.take(Bind("default/p", "n", "bound"))
    assert not api.accepts(Permit("default/p", "allow"))


@pytest.mark.parametrize("decision", ["allow", "reject"])
def test_a_pod_that_was_decided_on_is_not_permitted_again_though_its_binding_is_not_over(
    api: FakeApiServer, decision: str
) -> None:
    api.take(Create(pod("p", script={"ScriptedA": {"permit": "Wait:5", "preBind": "Hold"}})))
    api.take(Attempt("default/p", "scheduled", node="n", waiting=True))
    decided = Permit("default/p", decision)
    assert api.accepts(decided)
    api.take(decided)
    assert not api.accepts(decided)


def test_only_a_held_pod_is_released(api: FakeApiServer) -> None:
    assert not api.accepts(Release("default/p"))
    api.has_begun_to_hold("default/p")
    assert api.accepts(Release("default/p"))
    assert api.holds_any
    api.take(Release("default/p"))
    assert not api.holds_any


def test_an_update_leaves_a_pod_where_it_is_bound_and_nominated(api: FakeApiServer) -> None:
    api.take(Create(pod("p")))
    api.take(Attempt("default/p", "unschedulable", nominated_node="n"))
    nominated = api.completed(Update(pod("p")))
    assert isinstance(nominated, Update)
    assert nominated.object["status"] == {"nominatedNodeName": "n"}
    api.take(Bind("default/p", "m", "bound"))
    assert api.completed(Update(pod("p"))).object["spec"]["nodeName"] == "m"  # type: ignore[union-attr]


def test_a_pod_stays_on_the_node_that_it_was_given_by_whomever(api: FakeApiServer) -> None:
    given, moved = ({**pod("p"), "spec": {"nodeName": node}} for node in ("m", "n"))
    api.take(Create(pod("p")))
    assert api.accepts(Update(given))
    api.take(Update(given))
    assert not api.accepts(Update(moved))
    assert api.accepts(Update(given))
    assert api.accepts(Update(pod("p")))
    assert api.completed(Update(pod("p"))).object["spec"]["nodeName"] == "m"  # type: ignore[union-attr]
    api.take(delete("Pod", "p"))
    assert api.accepts(Create(moved))


def test_an_update_of_another_object_of_the_name_is_passed_over(api: FakeApiServer) -> None:
    first, second = ({**pod("p"), "metadata": {**pod("p")["metadata"], "uid": uid}} for uid in ("1", "2"))
    api.take(Create(first))
    assert api.accepts(Update(first))
    assert api.accepts(Update(pod("p")))
    assert not api.accepts(Update(second))


def test_a_successor_of_the_same_name_is_bound_nowhere(api: FakeApiServer) -> None:
    for record in (Create(pod("p")), Bind("default/p", "m", "bound"), delete("Pod", "p"), Create(pod("p"))):
        api.take(record)
    assert api.completed(Update(pod("p"))) == Update(pod("p"))


# --- What it does ---------------------------------------------------------------------------------


def test_victims_are_deleted_but_for_those_that_wait_on_permit(api: FakeApiServer) -> None:
    for name in ("a", "b"):
        api.take(Create(pod(name)))
    api.take(Attempt("default/b", "scheduled", node="n", waiting=True))
    preemption = Attempt("default/p", "unschedulable", victims=("default/a", "default/b"))
    assert [deletion.object.name for deletion in api.take(preemption) if isinstance(deletion, Delete)] == [
        "a"
    ]


def test_a_claim_for_which_a_node_was_selected_gets_a_volume(api: FakeApiServer) -> None:
    claim = thing(
        "PersistentVolumeClaim",
        "c",
        spec={
            "storageClassName": "fast",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    )
    api.take(Create(thing("StorageClass", "fast", "storage.k8s.io/v1", provisioner="csi.dev")))
    api.take(Create(claim))
    annotations = {"volume.kubernetes.io/selected-node": "n"}
    selected = {**claim, "metadata": {"name": "c", "annotations": annotations}}
    made, bound = api.take(Write("update", selected))
    assert isinstance(made, Create)
    assert isinstance(bound, Update)
    assert made.object["spec"]["claimRef"]["name"] == "c"
    assert made.object["spec"]["csi"]["driver"] == "csi.dev"
    assert bound.object["spec"]["volumeName"] == made.object["metadata"]["name"]
    assert bound.object["status"] == {"phase": "Bound"}


def test_a_volume_that_was_given_a_claim_is_bound_to_it(api: FakeApiServer) -> None:
    api.take(Create(thing("PersistentVolumeClaim", "c", spec={"storageClassName": "fast"})))
    volume = thing("PersistentVolume", "v", spec={"capacity": {"storage": "1Gi"}})
    api.take(Create(volume))
    claimed = {**volume, "spec": {"claimRef": {"namespace": "default", "name": "c"}}}
    answers: list[Input] = api.take(Write("update", claimed))
    kept, bound = [answer.object for answer in answers if isinstance(answer, Update)]
    assert kept["spec"]["capacity"] == {"storage": "1Gi"}
    assert kept["status"] == {"phase": "Bound"}
    assert bound["spec"]["volumeName"] == "v"


def test_a_volume_that_is_left_alone_is_not_bound(api: FakeApiServer) -> None:
    api.take(Create(thing("PersistentVolumeClaim", "c", spec={"storageClassName": "fast"})))
    volume = thing("PersistentVolume", "v", spec={"claimRef": {"namespace": "default", "name": "c"}})
    volume["metadata"]["annotations"] = {"refsched.dev/volume-controller": "true"}
    assert api.take(Write("update", volume)) == []


# --- A history ------------------------------------------------------------------------------------


def test_a_history_is_run_and_what_does_not_fit_is_passed_over() -> None:
    steps = (Create(node("n")), Create(pod("p")), Release("default/p"), Schedule(3), delete("Pod", "q"))
    with connect("refsched.reference") as adapter:
        transcript = try_history(adapter, History(steps))
    assert not transcript.findings
    assert not transcript.ended
    noted = [entry.record for entry in transcript.seen]
    assert not any(isinstance(record, Release | Delete) for record in noted)
    assert [record.result for record in noted if isinstance(record, Attempt | Bind)] == ["scheduled", "bound"]
    assert transcript.decisive["R-INV-01"] == 1


def test_a_plugin_that_the_pod_on_permit_does_not_wait_for_is_not_asked_to_allow_it() -> None:
    """The pod that waits was deleted before it was tried, and its successor would wait for another plugin."""
    waiting = pod("p", script={"ScriptedA": {"permit": "Wait"}})
    waiting["metadata"]["uid"] = "p-1"
    successor = pod("p", script={"ScriptedB": {"permit": "Wait"}})
    successor["metadata"]["uid"] = "p-2"
    steps = (Create(node("n")), Create(waiting), Schedule(1), delete("Pod", "p"), Create(successor))
    history = History((*steps, Permit("default/p", "allow", "ScriptedB")), SCRIPTED)
    with connect("refsched.reference") as adapter:
        transcript = try_history(adapter, history)
    assert not transcript.findings
    assert not any(isinstance(entry.record, Permit) for entry in transcript.seen)


def test_the_deletion_of_a_claim_is_not_repeated_for_the_scheduler_that_carried_it_out(
    api: FakeApiServer,
) -> None:
    claim = thing("ResourceClaim", "c", "resource.k8s.io/v1")
    api.take(Create(claim))

    assert api.take(Write("delete", claim)) == []
    assert api.accepts(Create(claim))


def test_the_deletion_of_a_victim_is_carried_out(api: FakeApiServer) -> None:
    api.take(Create(pod("p")))

    assert api.take(Write("delete", pod("p"))) == [Delete(Reference("Pod", "p", namespace="default"))]
