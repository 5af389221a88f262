# SPDX-License-Identifier: Apache-2.0
"""Cases of ReadWriteOncePod claims: which pods use one at an attempt, after pods and nodes have come and left,
and what a nominated pod or a new node means for one that wants it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import ZONE, cpu, leaving, node, pod
from conformance.vocabulary.storage import bound_pair, inline, storage_class, using, with_some
from refsched.suite.histories.history import History, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_HAND = storage_class("hand")
_EXCLUSIVE: Json = {"accessModes": ["ReadWriteOncePod"]}


def _exclusive_pair(number: int) -> list[Json]:
    """Returns an exclusive claim of this number, and the volume that it is bound to."""
    return [with_some(each, spec=_EXCLUSIVE) for each in bound_pair(f"c{number}", f"v{number}")]


_WITH_C1 = (_HAND, *_exclusive_pair(1))


def _taken_in_turn(*taken: str, wanted: str) -> History:
    """Between two attempts the pod with c1 is deleted, and perhaps another pod runs on the node with a claim."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *_exclusive_pair(1), *_exclusive_pair(2))
    cluster.add_node(node(""))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    cluster.schedule()
    cluster.remove_pod(0)
    for name in taken:
        cluster.add_pod(pod("", volumes=using(name)), 0)
    cluster.add_pod(pod("", volumes=using(wanted)))
    cluster.schedule()
    return cluster.history()


def _node_created_anew(attempts: int) -> History:
    """The node of a pod with an exclusive claim is deleted and created again, with so many attempts between, and
    another pod wants the claim."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *_exclusive_pair(1))
    cluster.add_node(node(""))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    cluster.add_pod(pod(""))
    cluster.schedule(1)
    anew = cluster.nodes["n1"]
    cluster.steps.append(deleting(anew))
    for _ in range(attempts):
        cluster.add_pod(pod(""))
        cluster.schedule(1)
    cluster.add(anew)
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule(1)
    return cluster.history()


def _node_comes(*volumes: Json, others: Sequence[Json] = ()) -> History:
    """A pod waits for what another one uses which has the same volumes, and a node is created."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*others)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=list(volumes)), 0)
    cluster.add_pod(pod("", volumes=list(volumes)))
    cluster.schedule(1)
    cluster.add_node(node(""))
    cluster.wait()
    cluster.schedule(1)
    return cluster.history()


def _named_by_a_nominated_pod(*more: Json) -> History:
    """A pod with c1 is nominated to the node, where its victim is still leaving. Another one with c1, which has
    these volumes besides, has room there beside it."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*_WITH_C1)
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(leaving(pod("", cpu("1"))), 0)
    nominated = {"nominatedNodeName": "n1"}
    cluster.add_pod(pod("", cpu("1"), priority=10, volumes=using("c1"), status=nominated))
    cluster.schedule(1)
    cluster.add_pod(pod("", volumes=[*using("c1"), *more]))
    cluster.schedule(1)
    return cluster.history()


def _one_victim_with_both() -> History:
    """A pod wants two exclusive claims, which a pod of lower priority uses."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *_exclusive_pair(1), *_exclusive_pair(2))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1", "c2")), 0)
    cluster.add_pod(pod("", priority=10, volumes=using("c1", "c2")))
    cluster.schedule(1)
    return cluster.history()


def of_exclusive_claims() -> Iterator[Case]:
    disk = inline(gcePersistentDisk={"pdName": "d"})
    for name, says, history in (
        ("an_exclusive_claim", "a ReadWriteOncePod claim", _node_comes(*using("c1"), others=_WITH_C1)),
        ("a_disk", "an inline disk", _node_comes(*disk)),
        ("both", "such a claim and a disk", _node_comes(*using("c1"), *disk, others=_WITH_C1)),
    ):
        yield Case(
            f"node_comes_for_a_pod_that_waits_for_{name}",
            f"A pod that VolumeRestrictions rejected is requeued by any new node; it waits for {says}.",
            history,
            ("R-CURE-VolumeRestrictions-Node-Add",),
        )
    for name, says, more in (
        ("nothing_else", "nothing else", ()),
        ("a_disk_besides", "also an inline disk", disk),
    ):
        yield Case(
            f"exclusive_claim_that_a_nominated_pod_names_and_{name}",
            "A pod that is nominated counts for a ReadWriteOncePod claim only where the pod that wants it does not"
            f" skip Filter of VolumeRestrictions; that one has {says}.",
            _named_by_a_nominated_pod(*more),
            ("R-VOLRESTR-02",),
        )
    for attempts in (0, 1):
        yield Case(
            f"exclusive_claim_on_a_node_that_is_created_anew_after_{attempts}_attempts",
            "A ReadWriteOncePod claim that a pod uses is in use again when the pod's node is created again.",
            _node_created_anew(attempts),
        )
    yield Case(
        "exclusive_claims_of_one_victim",
        "The eviction of a pod that uses two ReadWriteOncePod claims frees both of them.",
        _one_victim_with_both(),
        ("R-VOLRESTR-04",),
        needs=("preemption",),
    )
    for wanted, which in (("c2", "another"), ("c1", "the_same")):
        yield Case(
            f"exclusive_claim_exchanged_for_another_and_{which}_wanted",
            "A ReadWriteOncePod claim is in use if a pod runs with it at this attempt, and not if one did at the"
            f" last: a pod with another claim has taken the place, and {which.replace('_', ' ')} claim is wanted.",
            _taken_in_turn("c2", wanted=wanted),
        )
        yield Case(
            f"exclusive_claim_released_and_{which}_wanted",
            "A ReadWriteOncePod claim whose pod was deleted between two attempts is not in use:"
            f" {which.replace('_', ' ')} claim is wanted.",
            _taken_in_turn(wanted=wanted),
        )
