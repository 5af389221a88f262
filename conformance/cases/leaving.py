# SPDX-License-Identifier: Apache-2.0
"""Cases of pods and volumes whose deletion has begun, and which a finalizer holds: until they are removed they
keep what they have, and their place in a queue."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from attrs import field, frozen

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    REQUIRED,
    cpu,
    near,
    node,
    pod,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.storage import (
    a_claim,
    a_volume,
    bound_pair,
    csi_node,
    inline,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_leaving = partial(with_metadata, deletionTimestamp=AN_AGE_AGO, finalizers=["example.com/held"])
_A, _OF_A = {"app": "a"}, {"matchLabels": {"app": "a"}}
_HAND = storage_class("hand")

# --- Pods that run --------------------------------------------------------------------------------


@frozen
class _Kept:
    """A _Kept is what a pod that runs has, and another pod wants: ``what`` it is, ``has`` and ``wants`` are these
    pods, and ``others`` what there is beside them."""

    name: str
    what: str
    has: Json
    wants: Json
    others: tuple[Json, ...] = ()
    needs: tuple[str, ...] = field(default=(), kw_only=True)


_PORT: Json = {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
_DISK = inline(rbd={"monitors": ["m"], "image": "d"})
_EXCLUSIVE = with_some(bound_pair("c1", "v1")[0], spec={"accessModes": ["ReadWriteOncePod"]})
_ATTACHED = tuple(value for number in "12" for value in bound_pair(f"c{number}", f"v{number}"))
_KEPT = (
    _Kept("slot", "its place among the pods of a node", pod(""), pod("")),
    _Kept("cpu", "its cpu", pod("", cpu("1")), pod("", cpu("1"))),
    _Kept("host_port", "its host port", pod("", **_PORT), pod("", **_PORT)),
    _Kept(
        "neighbours",
        "those away that it does not want beside it",
        pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A)),
        pod("", labels=_A),
    ),
    _Kept(
        "followers",
        "those near that want to be beside it",
        pod("", labels=_A),
        pod("", affinity=near("podAffinity", REQUIRED, _OF_A)),
    ),
    _Kept(
        "avoiders",
        "those away that do not want to be beside it",
        pod("", labels=_A),
        pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A)),
    ),
    _Kept("disk", "its disk", pod("", volumes=_DISK), pod("", volumes=_DISK), needs=("volumes",)),
    _Kept(
        "exclusive_claim",
        "its ReadWriteOncePod claim",
        pod("", volumes=using("c1")),
        pod("", volumes=using("c1")),
        (_HAND, _EXCLUSIVE, bound_pair("c1", "v1")[1]),
        needs=("volumes",),
    ),
    _Kept(
        "attached_volume",
        "the one volume of a driver that its node takes",
        pod("", volumes=using("c1")),
        pod("", volumes=using("c2")),
        (_HAND, *_ATTACHED, csi_node("n1", {"count": 1})),
        needs=("volumes",),
    ),
)


def _wanted_while_it_leaves(kept: _Kept) -> History:
    """A pod wants what another one has that is being deleted, and is tried again when that one is removed. Their
    node has one cpu and takes two pods, or one if its place is wanted."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*kept.others)
    cluster.add_node(node("", {"cpu": "1", "pods": "1" if kept.name == "slot" else "2"}))
    cluster.add_pod(_leaving(kept.has), 0)
    cluster.add_pod(kept.wants)
    cluster.schedule()
    cluster.remove_pod(0)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


# --- Pods that wait -------------------------------------------------------------------------------


def _freed_of_its_gate_while_it_leaves() -> History:
    """A gated pod is being deleted when its gate is removed."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", schedulingGates=[{"name": "g"}]))
    cluster.schedule()
    cluster.change_pod(0, _leaving)
    cluster.change_pod(0, partial(with_spec, schedulingGates=[]))
    cluster.schedule()
    return cluster.history()


def _waits_on_while_it_leaves() -> History:
    """The deletion of a pod begins that no node has room for; then a node comes that has."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("2")))
    cluster.schedule()
    cluster.change_pod(0, _leaving)
    cluster.wait()
    cluster.schedule()
    cluster.add_node(node(""))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


# --- Volumes --------------------------------------------------------------------------------------


def _of_a_leaving_volume(claim: Json, volume: Json) -> History:
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, claim, _leaving(volume))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


def _cases() -> Iterator[Case]:
    for kept in _KEPT:
        yield Case(
            f"a_leaving_pod_keeps_its_{kept.name}",
            f"Until it is removed, a pod that is being deleted keeps {kept.what}.",
            _wanted_while_it_leaves(kept),
            needs=kept.needs,
        )
    yield Case(
        "a_leaving_pod_loses_its_gate",
        "A gated pod that is being deleted is queued when its gate is removed, as any other one, and then not"
        " tried.",
        _freed_of_its_gate_while_it_leaves(),
        ("R-GATES-02",),
    )
    yield Case(
        "a_leaving_pod_waits_for_room",
        "An unschedulable pod that is being deleted goes on waiting, and is not tried when it is popped.",
        _waits_on_while_it_leaves(),
    )
    for name, says, pair in (
        ("bound", "A pod may use a claim that is bound to a volume", bound_pair("c1", "v1")),
        ("available", "No claim is bound to a volume", (a_claim("c1"), a_volume("v1"))),
    ):
        yield Case(
            f"a_leaving_volume_that_is_{name}",
            f"{says} whose deletion has begun.",
            _of_a_leaving_volume(*pair),
            needs=("volumes",),
        )


CASES: tuple[Case, ...] = tuple(_cases())
