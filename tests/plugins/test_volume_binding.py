# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from attrs import evolve
from volume_objects import (
    SELECTED_NODE,
    Json,
    by_hand,
    capacity,
    claim,
    csi_driver,
    csi_node,
    read,
    storage_class,
    store,
    using,
    volume,
)
from world import node_object, pod_object

from refsched.framework.choices import FirstChoice
from refsched.framework.interface import Api, Continue, Reject, Skip, WaitFor
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects.meta import ApiObject
from refsched.objects.storage import BETA_STORAGE_CLASS, PersistentVolume, PersistentVolumeClaim
from refsched.objects.store import ObjectStore
from refsched.plugins import volume_binding_without_scores
from refsched.plugins.resource_scoring import UtilizationShapePoint
from refsched.plugins.volume_binding import PodState, VolumeBinding
from refsched.rules import listening

PLUGIN = VolumeBinding(bind_timeout_seconds=7)
T = TypeVar("T")


def pod(*claims: str, ephemeral: str = "", inline: str = "") -> PodInfo:
    """``ephemeral`` is the name of an ephemeral volume, ``inline`` the driver of an inline one."""
    volumes = using(*claims)
    if ephemeral:
        volumes.append({"name": ephemeral, "ephemeral": {}})
    if inline:
        volumes.append({"name": "inline", "csi": {"driver": inline}})
    value = pod_object("p", volumes=volumes)
    value["metadata"]["uid"] = "uid-p"
    return PodInfo(read(value))


def node(name: str = "n1") -> NodeInfo:
    return NodeInfo(read(node_object(name, labels={"kubernetes.io/hostname": name})))


def snapshot(*objects: Json) -> Snapshot:
    return Snapshot(objects=store(*objects))


def prepared(wanted: PodInfo, objects: ObjectStore) -> PodState:
    answer = PLUGIN.pre_filter(wanted, Snapshot(objects=objects))
    assert isinstance(answer, Continue)
    return answer.state


class FakeApi(Api):
    """What was written is shown at once."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self.written: list[tuple[str, str]] = []

    @property
    def objects(self) -> ObjectStore:
        return self._objects

    def write(self, verb: str, written: ApiObject) -> None:
        self.written.append((verb, written.metadata.name))
        self._objects.put(written)


class SlowApi(FakeApi):
    """What was written is not shown yet."""

    def write(self, verb: str, written: ApiObject) -> None:
        self.written.append((verb, written.metadata.name))


# --- PreFilter ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ([], 'persistentvolumeclaim "c" not found'),
        ([claim("c", namespace="other")], 'persistentvolumeclaim "c" not found'),
        (
            [claim("c", phase="Lost", volumeName="v")],
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
        ),
        (
            [
                claim("c")
                | {
                    "metadata": {
                        "name": "c",
                        "namespace": "default",
                        "deletionTimestamp": "2026-01-01T00:00:00Z",
                    }
                }
            ],
            'persistentvolumeclaim "c" is being deleted',
        ),
        ([claim("c", "")], "pod has unbound immediate PersistentVolumeClaims"),
        ([claim("c"), by_hand(), claim("d", "at-once")], None),
    ],
)
def test_claims_must_be_there_and_bound_or_waiting(objects: list[Json], reason: str | None) -> None:
    answer = PLUGIN.pre_filter(pod("c"), snapshot(*objects))

    if reason is None:
        assert isinstance(answer, Continue)
        assert answer.nodes is None
    else:
        assert answer == Reject(unresolvable(reason))


def test_an_ephemeral_volumes_claim_must_be_made_for_the_pod() -> None:
    wanted = pod(ephemeral="e")
    own, foreign = claim("p-e", owner="uid-p"), claim("p-e", owner="another")

    assert PLUGIN.pre_filter(wanted, snapshot()) == Reject(
        unresolvable(
            'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-e"',
        )
    )
    assert PLUGIN.pre_filter(wanted, snapshot(foreign)) == Reject(
        unresolvable("PVC default/p-e was not created for pod default/p (pod is not owner)")
    )
    assert isinstance(PLUGIN.pre_filter(wanted, snapshot(by_hand(), own)), Continue)


# --- Filter and Score -----------------------------------------------------------------------------


def test_a_node_must_have_volumes_for_all_claims() -> None:
    objects = store(by_hand(), claim("c"), volume("v", on="n1"))
    state = prepared(pod("c"), objects)

    assert PLUGIN.filter(state, pod("c"), node("n1")) == SUCCESS
    assert PLUGIN.filter(state, pod("c"), node("n2")) == unresolvable(
        "node(s) didn't find available persistent volumes to bind"
    )


def test_what_cannot_be_translated_is_an_error() -> None:
    azure = volume("v", claimed_by="c", azureDisk={"diskURI": "d"})
    objects = store(claim("c", bound_to="v"), azure, csi_node("n1", "kubernetes.io/azure-disk"))
    state = prepared(pod("c"), objects)

    assert PLUGIN.filter(state, pod("c"), node()) == error(
        "could not translate pv: kind(Shared) is not supported in csi migration"
    )


# --- Score ----------------------------------------------------------------------------------------

MADE, LOCAL = storage_class("made"), by_hand()
TRACKED = csi_driver("csi.example", tracks_capacity=True)


def room(size: str, of_class: str = "made", **rest: Any) -> Json:
    return capacity(f"for-{of_class}", of_class, capacity=size, nodeTopology={}, **rest)


@pytest.mark.parametrize(
    ("objects", "claims", "score"),
    [
        ([LOCAL, claim("c"), volume("v", size="4Gi")], "c", 75),
        (
            [LOCAL, claim("c", size="3Gi"), claim("d"), volume("v", size="3Gi"), volume("w", size="5Gi")],
            "cd",
            50,
        ),
        ([MADE, TRACKED, room("10Gi"), claim("c", "made", "1Gi")], "c", 90),
        ([MADE, TRACKED, room("10Gi"), claim("c", "made", "1Gi"), claim("d", "made", "2Gi")], "cd", 70),
        ([MADE, TRACKED, room("3Gi"), claim("c", "made", "2Gi"), claim("d", "made", "2Gi")], "cd", 0),
        ([MADE, TRACKED, room("0", maximumVolumeSize="9Gi"), claim("c", "made")], "c", 0),
        (
            [
                MADE,
                TRACKED,
                capacity("m", "made", maximumVolumeSize="9Gi", nodeTopology={}),
                claim("c", "made"),
            ],
            "c",
            0,
        ),
        ([MADE, claim("c", "made")], "c", 0),
        (
            [MADE, TRACKED, room("2Gi"), LOCAL, claim("c", "made"), claim("d"), volume("v", size="4Gi")],
            "cd",
            75,
        ),
        (
            [
                *(storage_class("other"), room("3Gi", "other"), claim("d", "other", "1Gi")),
                *(MADE, TRACKED, room("2Gi"), claim("c", "made", "1Gi")),
            ],
            "cd",
            59,  # (50 + 67) / 2 = 58.5
        ),
    ],
)
def test_a_node_scores_by_how_little_of_its_storage_is_taken(
    objects: list[Json], claims: str, score: int
) -> None:
    asking = pod(*claims)
    assert PLUGIN.score(prepared(asking, store(*objects)), asking, node()) == score


def test_a_claim_whose_annotation_names_its_class_counts_under_the_class_of_its_spec() -> None:
    annotated = {BETA_STORAGE_CLASS: "made"}
    claims = [claim("c", "", "1Gi", annotations=annotated), claim("d", "made", "1Gi")]
    objects = store(MADE, TRACKED, room("2Gi"), *claims)
    heard: set[str] = set()
    with listening(heard.add):
        assert PLUGIN.score(prepared(pod("c", "d"), objects), pod("c", "d"), node()) == 50
    assert "R-VOLBIND-35" in heard


def test_any_capacity_that_suffices_may_be_the_one_that_a_node_is_scored_by() -> None:
    class Asked(FirstChoice):
        def choose(self, question: str, options: Sequence[T]) -> T:
            asked.append((question, options))
            return options[-1]

    asked: list[tuple[str, object]] = []
    rooms = [
        capacity(name, "made", capacity=size, nodeTopology={}) for name, size in (("k", "4Gi"), ("l", "2Gi"))
    ]
    state = prepared(pod("c"), store(MADE, TRACKED, *rooms, claim("c", "made", "1Gi")))
    assert PLUGIN.score(evolve(state, choices=Asked()), pod("c"), node()) == 75
    assert asked == [("capacity", [50, 75])]


def test_a_shape_says_what_a_share_scores() -> None:
    objects = store(LOCAL, claim("c"), volume("v", size="4Gi"))
    shape = (UtilizationShapePoint(0, 0), UtilizationShapePoint(100, 10))
    state = prepared(pod("c"), objects)
    assert VolumeBinding(shape=shape).score(state, pod("c"), node()) == 25


def test_a_node_without_volumes_for_the_pod_scores_0() -> None:
    elsewhere = {SELECTED_NODE: "n2"}
    state = prepared(pod("c"), store(MADE, claim("c", "made", annotations=elsewhere)))
    assert PLUGIN.score(state, pod("c"), node()) == 0


def test_without_storage_capacity_scoring_no_pod_is_scored() -> None:
    plugin = volume_binding_without_scores.VolumeBinding()
    assert plugin.pre_score(pod("c"), [node()], snapshot()) == Skip()
    assert plugin.score(None, pod("c"), node()) == 0


# --- Reserve and PreBind --------------------------------------------------------------------------


def reserve(state: PodState | None, objects: ObjectStore) -> PodState | Status | None:
    answer = PLUGIN.reserve(state, pod("c"), node(), objects)
    return answer.status if isinstance(answer, Reject) else answer.state


def test_what_is_found_is_assumed_written_and_waited_for() -> None:
    objects = store(by_hand(), claim("c"), volume("v"))
    api = FakeApi(objects)
    state = reserve(prepared(pod("c"), objects), objects)
    assert isinstance(state, PodState)
    assumed = objects.latest(PersistentVolume, "v")
    assert assumed is not None
    assert assumed.spec.claim_ref is not None

    wait = PLUGIN.pre_bind(state, pod("c"), node(), api)

    assert isinstance(wait, WaitFor)
    assert api.written == [("update", "v")]
    assert (wait.timeout, wait.timed_out) == (7, error("binding volumes: context deadline exceeded"))
    assert wait.check(objects) == error('binding volumes: failed to get node "n1": node "n1" not found')
    objects.put(node().existing_node)
    objects.put(pod("c").pod)
    assert wait.check(objects) is None
    objects.put(read(claim("c", bound_to="v")))
    assert wait.check(objects) == SUCCESS


@pytest.mark.parametrize("name", ["c", "d"])
def test_before_what_was_written_has_come_back_nothing_is_bound(name: str) -> None:
    """Though the claim may be bound by then."""
    objects = store(by_hand(), storage_class("made"), claim("c"), claim("d", "made"), volume("v"))
    objects.put(node().existing_node)
    objects.put(pod(name).pod)
    answer = PLUGIN.reserve(prepared(pod(name), objects), pod(name), node(), objects)
    assert isinstance(answer, Continue)

    wait = PLUGIN.pre_bind(answer.state, pod(name), node(), SlowApi(objects))

    assert isinstance(wait, WaitFor)
    assert wait.check(objects) is None


def test_where_all_claims_are_bound_there_is_nothing_to_do() -> None:
    objects = store(claim("c", bound_to="v"), volume("v"))
    state = prepared(pod("c"), objects)

    reserved = reserve(state, objects)
    assert isinstance(reserved, PodState)
    assert reserved.changes is None
    assert PLUGIN.pre_bind(reserved, pod("c"), node(), FakeApi(objects)) == SUCCESS
    assert reserve(None, objects) is None
    assert PLUGIN.pre_bind(None, pod("c"), node(), FakeApi(objects)) == SUCCESS
    PLUGIN.unreserve(None, pod("c"), node(), FakeApi(objects))


def test_what_changed_meanwhile_cannot_be_reserved_or_written() -> None:
    objects = store(by_hand(), claim("c"), volume("v"))
    early = prepared(pod("c"), objects)
    state = reserve(early, objects)
    assert isinstance(state, PodState)

    objects.put(read(volume("v", labels={"new": "yes"})))

    assert reserve(early, objects) == error('"v" is out of sync')
    assert PLUGIN.pre_bind(state, pod("c"), node(), FakeApi(objects)) == error(
        'Operation cannot be fulfilled on persistentvolumes "v": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


def test_unreserve_takes_back_what_was_found_by_whomever_it_was_assumed() -> None:
    objects = store(by_hand(), storage_class("made"), claim("c"), claim("d", "made"), volume("v"))
    state = prepared(pod("c", "d"), objects)
    reserve(state, objects)

    PLUGIN.unreserve(state, pod("c", "d"), node(), FakeApi(objects))

    for kind, name, namespace in ((PersistentVolume, "v", ""), (PersistentVolumeClaim, "d", "default")):
        found: Any = objects.latest(kind, name, namespace)
        assert found is objects.get(kind, name, namespace)
