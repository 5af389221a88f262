# SPDX-License-Identifier: Apache-2.0
"""Cases of pods and volumes whose deletion has begun, and which a finalizer holds: until they are removed they
keep what they have, and their place in a queue."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from attrs import field, frozen

from conformance.cases.backoff import PORT
from conformance.cases.volumes import wanted
from conformance.vocabulary.allocations import allocated
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    REQUIRED,
    cpu,
    leaving,
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
from refsched.suite.histories.history import History, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_A, _OF_A = {"app": "a"}, {"matchLabels": {"app": "a"}}
_HAND = storage_class("hand")

# --- Pods that run --------------------------------------------------------------------------------


@frozen
class _Kept:
    """A _Kept is what a pod that runs ``has``, and another one ``wants``, in a sentence that ``says`` so. Their
    node takes so many ``pods``, and ``others`` are there beside them."""

    name: str
    says: str
    has: Json
    wants: Json
    others: tuple[Json, ...] = field(default=(), kw_only=True)
    pods: int = field(default=2, kw_only=True)
    needs: tuple[str, ...] = field(default=(), kw_only=True)


_DISK = inline(rbd={"monitors": ["m"], "image": "d"})
_EXCLUSIVE = with_some(bound_pair("c1", "v1")[0], spec={"accessModes": ["ReadWriteOncePod"]})
_ATTACHED = tuple(value for number in "12" for value in bound_pair(f"c{number}", f"v{number}"))
_KEPT = (
    _Kept("slot", "keeps its place among the pods of a node", pod(""), pod(""), pods=1),
    _Kept("cpu", "keeps its cpu", pod("", cpu("1")), pod("", cpu("1"))),
    _Kept("host_port", "keeps its host port", pod("", **PORT), pod("", **PORT)),
    _Kept(
        "neighbours",
        "keeps those away that it does not want beside it",
        pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A)),
        pod("", labels=_A),
    ),
    _Kept(
        "followers",
        "draws those that want to be beside it",
        pod("", labels=_A),
        pod("", affinity=near("podAffinity", REQUIRED, _OF_A)),
    ),
    _Kept(
        "avoiders",
        "keeps those away that do not want to be beside it",
        pod("", labels=_A),
        pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A)),
    ),
    _Kept("disk", "keeps its disk", pod("", volumes=_DISK), pod("", volumes=_DISK), needs=("volumes",)),
    _Kept(
        "exclusive_claim",
        "keeps its ReadWriteOncePod claim",
        pod("", volumes=using("c1")),
        pod("", volumes=using("c1")),
        others=(_HAND, _EXCLUSIVE, bound_pair("c1", "v1")[1]),
        needs=("volumes",),
    ),
    _Kept(
        "attached_volume",
        "keeps the one volume of a driver that its node takes",
        pod("", volumes=using("c1")),
        pod("", volumes=using("c2")),
        others=(_HAND, *_ATTACHED, csi_node("n1", {"count": 1})),
        needs=("volumes",),
    ),
)


def _wanted_while_it_leaves(kept: _Kept) -> History:
    """A pod wants what another one has that is being deleted, and is tried again when that one is removed."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*kept.others)
    cluster.add_node(node("", {"cpu": "1", "pods": str(kept.pods)}))
    cluster.add_pod(leaving(kept.has), 0)
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
    cluster.change_pod(0, leaving)
    cluster.change_pod(0, partial(with_spec, schedulingGates=[]))
    cluster.schedule()
    return cluster.history()


def _waits_on_while_it_leaves() -> History:
    """The deletion of a pod begins that no node has room for; then a node comes that has."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("2")))
    cluster.schedule()
    cluster.change_pod(0, leaving)
    cluster.wait()
    cluster.schedule()
    cluster.add_node(node(""))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


# --- Claims and volumes ---------------------------------------------------------------------------


def _relabelled_while_it_leaves() -> History:
    """The pod that another one keeps away from is being deleted, and gets another label."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(leaving(pod("", labels=_A)), 0)
    cluster.add_pod(pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A)))
    cluster.schedule()
    cluster.change_pod(0, partial(with_metadata, labels={"app": "b"}))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _device_of_a_leaving_claim() -> History:
    """The only device is allocated to a claim that is being deleted, and another claim wants it, before and after
    that one is removed."""
    cluster = HistoryBuilder(hosts=True)
    holder = leaving(resource_claim("c1", ONE, allocated("d0")))
    cluster.add(
        device_class("any"), resource_slice("s1", [{"name": "d0"}]), holder, resource_claim("c2", ONE)
    )
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c2"))
    cluster.schedule()
    cluster.steps.append(deleting(holder))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _cases() -> Iterator[Case]:
    yield Case(
        "a_leaving_pod_gets_another_label",
        "A pod that is kept away from one that is being deleted is requeued when that gets another label.",
        _relabelled_while_it_leaves(),
    )
    yield Case(
        "a_leaving_claim_keeps_its_device",
        "Until it is removed, a claim that is being deleted keeps its devices.",
        _device_of_a_leaving_claim(),
        needs=("devices",),
    )
    for kept in _KEPT:
        yield Case(
            f"a_leaving_pod_keeps_its_{kept.name}",
            f"Until it is removed, a pod that is being deleted {kept.says}.",
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
            wanted(_HAND, pair[0], leaving(pair[1])),
            needs=("volumes",),
        )


CASES: tuple[Case, ...] = tuple(_cases())
