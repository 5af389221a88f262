# SPDX-License-Identifier: Apache-2.0
"""What the cycles of v1.19 wait for, volumes, and whom they ask, extenders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

import pytest

from refsched.framework.choices import FirstChoice
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import BETA_STORAGE_CLASS
from refsched.records import Attempt, Bind, Write
from refsched.releases import release_of
from refsched.rules import listening
from refsched.tools.configuration.read import read_config
from refsched.tools.http.failures import other_status
from tests.volume_objects import BIND_COMPLETED, by_hand, claim, read, storage_class, using, volume
from tests.world import node_object, pod_object

Json = dict[str, Any]
Answer = Callable[[str, Json], Any]
V1_19 = release_of("1.19")
ZONE = "topology.kubernetes.io/zone"
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"}


def machine_of(*objects: Json, answer: Answer | None = None, extenders: Any = ()) -> Scheduler:
    config = read_config({**CONFIG, "extenders": list(extenders)}, V1_19)
    answering = answer or (lambda verb, request: {})
    machine = scheduler_of(config, FirstChoice(), release=V1_19, reach=lambda extender: answering)
    for each in objects:
        machine.create(read(each))
    return machine


def popped(machine: Scheduler) -> Attempt:
    assert machine.schedule()
    [attempt] = [record for record in machine.take_records() if isinstance(record, Attempt)]
    return attempt


def bind_of(machine: Scheduler) -> Bind:
    [bind] = [record for record in machine.take_records() if isinstance(record, Bind)]
    return bind


# --- Volumes --------------------------------------------------------------------------------------


def waiting_for_a_volume() -> Scheduler:
    machine = machine_of(
        node_object("n1"), by_hand(), volume("v"), claim("c"), pod_object("p", volumes=using("c"))
    )
    assert machine.schedule()
    written = [record for record in machine.take_records() if isinstance(record, Write)]
    assert [record.object["metadata"]["name"] for record in written] == ["v"]
    return machine


def test_a_pod_is_bound_once_the_volume_controller_has_bound_its_claim() -> None:
    machine = waiting_for_a_volume()
    machine.update(read(volume("v", claimed_by="c", phase="Bound")))
    machine.update(read(claim("c", bound_to="v", annotations={BIND_COMPLETED: "yes"})))
    assert bind_of(machine).result == "bound"


def test_a_pod_whose_volume_is_not_bound_in_time_is_an_error() -> None:
    machine = waiting_for_a_volume()
    machine.advance(601)
    why = "Failed to bind volumes: timed out waiting for the condition"
    bind = bind_of(machine)
    assert (bind.result, bind.message) == (
        "error",
        f'error while running "VolumeBinding" prebind plugin for pod "p": {why}',
    )


@pytest.mark.parametrize(
    ("kind", "name", "why"),
    [
        (Node, "n1", 'failed to get node "n1": node "n1" not found'),
        (Pod, "p", 'pod "default/p" does not exist any more'),
    ],
)
def test_who_disappears_while_a_volume_is_waited_for_ends_the_binding(kind: Any, name: str, why: str) -> None:
    machine = waiting_for_a_volume()
    machine.delete(kind, name, "" if kind is Node else "default")
    said = bind_of(machine).message
    assert said is not None
    assert said.endswith(f"Failed to bind volumes: {why}")


def test_a_volume_whose_node_affinity_does_not_match_any_more_ends_the_binding() -> None:
    machine = waiting_for_a_volume()
    machine.update(read(volume("v", claimed_by="c", on="n2")))
    said = bind_of(machine).message
    assert said is not None
    assert said.endswith('pv "v" node affinity doesn\'t match node "n1": No matching NodeSelectorTerms')


def test_a_claim_is_provisioned_for_the_node_of_its_pod() -> None:
    machine = machine_of(
        node_object("n1"), storage_class("made"), claim("c", "made"), pod_object("p", volumes=using("c"))
    )
    assert machine.schedule()
    [written] = [record for record in machine.take_records() if isinstance(record, Write)]
    assert written.object["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] == "n1"


# --- Extenders ------------------------------------------------------------------------------------


def extender(**verbs: Any) -> Json:
    return {"urlPrefix": "http://x", "nodeCacheCapable": True, **verbs}


def test_an_extender_that_binds_goes_before_the_bind_plugins() -> None:
    asked: list[str] = []

    def answer(verb: str, request: Json) -> Any:
        asked.append(verb)
        return {}

    machine = machine_of(
        node_object("n1"), pod_object("p"), answer=answer, extenders=[extender(bindVerb="bind")]
    )
    assert machine.schedule()
    assert bind_of(machine).result == "bound"
    assert asked == ["bind"]


def test_an_extender_that_cannot_bind_fails_the_binding_though_it_is_ignorable() -> None:
    machine = machine_of(
        node_object("n1"),
        pod_object("p"),
        answer=lambda verb, request: {"error": "no"},
        extenders=[extender(bindVerb="bind", ignorable=True)],
    )
    assert machine.schedule()
    bind = bind_of(machine)
    assert (bind.result, bind.message) == ("error", "Binding rejected: no")


def uid_of(machine: Scheduler, pod: str) -> str:
    found = machine.state.objects.get(Pod, pod, "default")
    assert found is not None
    return found.uid


def preempting(answer: Mapping[str, Any] | None) -> Attempt:
    """Two nodes that are full; ``answer`` is by node the victim that the extender names."""
    victims = [pod_object(f"v{n}", cpu="4", on=f"n{n}") for n in (1, 2)]

    def say(verb: str, request: Json) -> Any:
        if answer is None:
            return "not an answer"
        named = {node: {"pods": [{"uid": uid_of(machine, pod)}]} for node, pod in answer.items()}
        return {"nodeNameToMetaVictims": named}

    machine = machine_of(
        *(node_object(f"n{n}") for n in (1, 2)),
        *victims,
        pod_object("p", cpu="4", priority=1),
        answer=say,
        extenders=[extender(preemptVerb="preempt")],
    )
    return popped(machine)


def test_no_extender_is_asked_about_preemption() -> None:
    assert preempting({"n2": "v2"}).victims == ("default/v1",)
    assert preempting({}).victims == ("default/v1",)
    assert preempting(None).victims == ("default/v1",)


def test_another_status_is_an_error_that_begins_with_a_capital_letter() -> None:
    url = "http://extender.example/filter"
    machine = machine_of(
        node_object("n1"),
        pod_object("p"),
        answer=lambda verb, request: other_status(url, verb, 500),
        extenders=[extender(filterVerb="filter")],
    )
    attempt = popped(machine)
    assert attempt.result == "error"
    assert attempt.message == f"Failed filter with extender at URL {url}, code 500"


def test_a_node_that_an_extender_rejected_is_taken_without_a_victim() -> None:
    machine = machine_of(
        node_object("n1"),
        pod_object("low", cpu="1", on="n1"),
        pod_object("p", cpu="1", priority=1),
        answer=lambda verb, request: {"nodeNames": [], "failedNodes": {"n1": "not today"}},
        extenders=[extender(filterVerb="filter")],
    )
    attempt = popped(machine)
    assert (attempt.message, attempt.nominated_node) == ("0/1 nodes are available: 1 not today.", "n1")
    assert attempt.victims is None


def test_a_node_that_an_extender_sent_back_is_scored_with_its_pods() -> None:
    machine = machine_of(
        node_object("n1"),
        node_object("n2"),
        pod_object("e", cpu="1", on="n1"),
        pod_object("p", cpu="1"),
        answer=lambda verb, request: {"nodes": request["Nodes"]},
        extenders=[{"urlPrefix": "http://x", "filterVerb": "filter"}],
    )
    scores = popped(machine).scores
    assert scores is not None
    assert scores["n1"]["NodeResourcesLeastAllocated"] < scores["n2"]["NodeResourcesLeastAllocated"]


def _sent_back(nodes: Callable[[list[Json]], list[Json]], *, spread_over_zones: bool = False) -> Attempt:
    """The attempt of a pod among n1 in zone a, with a pod, and n2 in zone b, after an extender sent nodes back."""
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app": "a"}},
    }
    soft = {"topologySpreadConstraints": [constraint]} if spread_over_zones else {}
    running, coming = pod_object("e", cpu="1", on="n1"), pod_object("p", **soft)
    for value in (running, coming):
        value["metadata"]["labels"] = {"app": "a"}
    named = []
    for name, zone in (("n1", "a"), ("n2", "b")):
        named.append(node_object(name))
        named[-1]["metadata"]["labels"] = {ZONE: zone}
    machine = machine_of(
        *named,
        running,
        coming,
        answer=lambda verb, request: {"nodes": {"items": nodes(deepcopy(request["Nodes"]["items"]))}},
        extenders=[{"urlPrefix": "http://x", "filterVerb": "filter"}],
    )
    return popped(machine)


def _in_zone(zone: str) -> Callable[[list[Json]], list[Json]]:
    def changed(items: list[Json]) -> list[Json]:
        for item in items:
            if item["metadata"]["name"] == "n1":
                item["metadata"]["labels"] = {ZONE: zone} if zone else {}
        return items

    return changed


def _renamed(*names: str) -> Callable[[list[Json]], list[Json]]:
    return lambda items: [{**items[0], "metadata": {**items[0]["metadata"], "name": name}} for name in names]


def test_a_node_that_an_extender_sends_back_without_a_topology_key_is_not_scored_for_spread() -> None:
    scores = _sent_back(_in_zone(""), spread_over_zones=True).scores
    assert scores is not None
    assert (scores["n1"]["PodTopologySpread"], scores["n2"]["PodTopologySpread"]) == (0, 200)


def test_a_node_that_an_extender_sends_back_in_another_zone_has_no_pods_in_its_own_one() -> None:
    applied: set[str] = set()
    with listening(applied.add):
        scores = _sent_back(_in_zone("c"), spread_over_zones=True).scores
    assert scores is not None
    assert scores["n1"]["PodTopologySpread"] == scores["n2"]["PodTopologySpread"] == 200
    assert "R-SPREAD-58" in applied


def test_a_single_node_that_the_extender_was_not_sent_is_chosen() -> None:
    assert _sent_back(_renamed("ghost")).node == "ghost"


def test_a_node_that_the_extender_was_not_sent_cannot_be_scored() -> None:
    attempt = _sent_back(_renamed("n1", "ghost"))
    assert (attempt.result, attempt.message) == (
        "error",
        'error while running score plugin for pod "p": getting node "ghost" from Snapshot: nodeinfo not found'
        ' for node name "ghost"',
    )


def test_a_victim_that_is_not_there_any_more_ends_preemption() -> None:
    machine = machine_of(
        node_object("n1"), pod_object("v", cpu="4", on="n1"), pod_object("p", cpu="4", priority=1)
    )
    machine.state.api.delete(Pod, "v", "default")
    assert popped(machine).nominated_node is None


def test_a_pod_that_is_deleted_while_it_waits_is_not_queued_again() -> None:
    machine = machine_of(node_object("n1"), by_hand(), volume("v"), claim("c"))
    machine.create(read(pod_object("p", volumes=using("c"))))
    assert machine.schedule()
    machine.delete(Pod, "p", "default")
    assert machine.queues().active == ()


def test_an_extender_cannot_reject_a_node_for_good() -> None:
    machine = machine_of(
        node_object("n1"),
        pod_object("p"),
        answer=lambda verb, request: {"nodeNames": [], "failedAndUnresolvableNodes": {"n1": "never"}},
        extenders=[extender(filterVerb="filter")],
    )
    assert popped(machine).message == "0/1 nodes are available: ."


def test_an_answer_that_cannot_be_read_ends_the_cycle() -> None:
    machine = machine_of(
        node_object("n1"),
        pod_object("p"),
        answer=lambda verb, request: "what",
        extenders=[extender(filterVerb="filter")],
    )
    assert popped(machine).result == "error"


# --- VolumeBinding where the configuration leaves it out of one point and not of the next ---------------


def without_volume_binding(points: Iterable[str], *objects: Json) -> Scheduler:
    """One attempt to schedule ``p``, with VolumeBinding disabled at these points."""
    profile = {"plugins": {point: {"disabled": [{"name": "VolumeBinding"}]} for point in points}}
    config = read_config({**CONFIG, "profiles": [profile]}, V1_19)
    machine = scheduler_of(config, FirstChoice(), release=V1_19)
    for each in (node_object("n1"), *objects):
        machine.create(read(each))
    assert machine.schedule()
    return machine


@pytest.mark.parametrize("kept", ["reserve", "preBind"])
def test_volume_binding_cannot_go_on_without_its_pre_filter(kept: str) -> None:
    points = {"preFilter", "filter", "reserve", "preBind"} - {kept}
    last = without_volume_binding(points, pod_object("p")).take_records()[-1]
    assert isinstance(last, Attempt | Bind)
    assert last.result == "error"
    assert (last.message or "").endswith('plugin for pod "p": not found')


MATCHED = [by_hand(), volume("v"), claim("c")]
PROVISIONED = [storage_class("made"), claim("d", "made")]
NOT_FOUND = 'no pod volumes found for node "n1"'
NO_BINDINGS = 'failed to get cached bindings for pod "default/p"'
NO_PROVISIONS = 'failed to get cached claims to provision for pod "default/p"'


@pytest.mark.parametrize(
    ("left_out", "objects", "claims", "why"),
    [
        (["reserve"], [], [], NOT_FOUND),
        (["filter", "reserve"], [], [], NOT_FOUND),
        (["filter", "reserve"], MATCHED, ["c"], NOT_FOUND),
        (["reserve"], PROVISIONED, ["d"], NO_BINDINGS),
        (["reserve"], MATCHED, ["c"], NO_PROVISIONS),
    ],
)
def test_without_reserve_what_filter_did_not_find_is_an_error(
    left_out: list[str], objects: list[Json], claims: list[str], why: str
) -> None:
    bind = bind_of(without_volume_binding(left_out, *objects, pod_object("p", volumes=using(*claims))))
    said = f'error while running "VolumeBinding" prebind plugin for pod "p": {why}'
    assert (bind.result, bind.message) == ("error", said)


def test_without_reserve_volumes_and_claims_are_written_as_they_were() -> None:
    machine = without_volume_binding(
        ["reserve"], *MATCHED, *PROVISIONED, pod_object("p", volumes=using("c", "d"))
    )
    found, provisioned = (each.object for each in machine.take_records() if isinstance(each, Write))
    assert (found["metadata"]["name"], "claimRef" in found["spec"]) == ("v", False)
    assert (provisioned["metadata"]["name"], provisioned["metadata"].get("annotations", {})) == ("d", {})


def test_without_filter_nothing_is_reserved_and_the_pod_is_bound() -> None:
    machine = without_volume_binding(["filter"], *MATCHED, pod_object("p", volumes=using("c")))
    records = machine.take_records()
    assert not any(isinstance(record, Write) for record in records)
    assert [record.result for record in records if isinstance(record, Bind)] == ["bound"]


# --- The class of a volume ------------------------------------------------------------------------------


def annotated(value: Json) -> Json:
    """The same with the class ``other`` in its annotation, which stands before the class in the spec."""
    return {**value, "metadata": {**value["metadata"], "annotations": {BETA_STORAGE_CLASS: "other"}}}


@pytest.mark.parametrize(
    ("objects", "result"),
    [
        ([annotated(volume("v", claimed_by="c")), claim("c")], "scheduled"),
        ([annotated(volume("v")), claim("c")], "unschedulable"),
        ([annotated(volume("v")), annotated(claim("c"))], "unschedulable"),
        ([annotated(volume("v", "other")), annotated(claim("c"))], "scheduled"),
    ],
)
def test_volumes_are_listed_under_the_class_in_their_spec(objects: list[Json], result: str) -> None:
    machine = machine_of(
        node_object("n1"), by_hand(), by_hand("other"), *objects, pod_object("p", volumes=using("c"))
    )
    assert popped(machine).result == result
