# SPDX-License-Identifier: Apache-2.0
"""Cases of rules that hold in v1.19 alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.cases.volumes import wanted
from conformance.strategies.earlier_plugins import of_plugin
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    ZONE,
    container,
    default_profile,
    leaving,
    node,
    pod,
    profile_config,
    spread,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, WAITS, key, script
from conformance.vocabulary.storage import (
    BETA_CLASS,
    a_claim,
    a_volume,
    bound_pair,
    claim_reference,
    inline,
    reaching,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History, Observe, Release, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_OF_A = {"app": "a"}


def _requested_beyond_capacity() -> History:
    """Pods that request nothing count 100m of cpu each; one node has no more than 100m, and runs two of them."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": "100m", "memory": "4Gi", "pods": "9"}))
    cluster.add_node(node(""))
    for home in (0, 0, 1):
        cluster.add_pod(pod(""), home)
    cluster.add_pod(pod(""))
    cluster.schedule()
    return cluster.history(of_plugin("NodeResourcesMostAllocated", "score", alone=True))


# --- Nominations ----------------------------------------------------------------------------------

_FOUR = {"cpu": "4", "memory": "4Gi", "pods": "9"}


def _no_node_can_be_helped() -> History:
    """A nominated pod is tried while its node is cordoned; then the node is free for a pod of lower priority."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", _FOUR))
    cluster.add_pod(pod("", {"cpu": "4"}), 0)
    cluster.add_pod(pod("", {"cpu": "4"}, priority=5))
    cluster.schedule(1)
    cluster.change_node(0, node("", _FOUR, unschedulable=True))
    cluster.wait()
    cluster.schedule(1)
    cluster.change_node(0, node("", _FOUR))
    cluster.add_pod(pod("", {"cpu": "4"}, priority=1))
    cluster.schedule(1)
    return cluster.history()


def _outranked(status: Json) -> History:
    """A pod is nominated to the node on which another one of higher priority, which has this status, preempts
    after it."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", _FOUR))
    for _ in range(2):
        cluster.add_pod(pod("", {"cpu": "2"}), 0)
    for cpu, priority, its in (("2", 5, {}), ("4", 9, status)):
        cluster.add_pod(pod("", {"cpu": cpu}, priority=priority, **its))
        cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


# --- Pods that were deleted ------------------------------------------------------------------------


def _deleted_while_it_was_queued(*, has_successor: bool) -> History:
    """A pod that waits on Permit is bound to its node by somebody else, which returns it to the queue, and it is
    deleted, which the queue does not hear of. It is tried once more, when the node is full."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}), 0)
    cluster.add_pod(pod("", {"cpu": "1"}, priority=9, script=WAITS))
    cluster.schedule(1)
    cluster.change_pod(1, lambda value: with_spec(value, nodeName="n1"))
    if not has_successor:
        cluster.add_pod(pod("", {"cpu": "1"}), 0)
    cluster.remove_pod(1)
    if has_successor:
        cluster.add_pod(pod("", {"cpu": "1"}), 0)
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _changed_while_it_waits(changed: Callable[[Json], Json]) -> History:
    """A pod that names a node in its status and waits on Permit is changed."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script=WAITS, status={"nominatedNodeName": "n1"}))
    cluster.schedule(1)
    cluster.change_pod(0, changed)
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _annotated(value: Json) -> Json:
    return with_metadata(value, annotations={**value["metadata"]["annotations"], "note": "x"})


def _two_victims_of_one_name() -> History:
    """A pod is deleted while it is held before it is bound, and another one of its name runs on that node."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}, script={"ScriptedB": {"preBind": "Hold"}}))
    cluster.schedule(1)
    cluster.remove_pod(0)
    cluster.add_pod(pod("", {"cpu": "1"}), 0)
    cluster.add_pod(pod("", {"cpu": "2"}, priority=9))
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


# --- Disks that are to be made ---------------------------------------------------------------------


def _classes_of_disks() -> History:
    """A node that attaches no disk of the cloud, and a claim for each of two pods: one names the cloud's class in
    its annotation and another one in its spec, and the other claim the other way round."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("disk", "kubernetes.io/gce-pd"), storage_class("made", "csi.example"))
    for name, annotated, specified in (("c1", "disk", "made"), ("c2", "made", "disk")):
        metadata = {"annotations": {BETA_CLASS: annotated}}
        cluster.add(a_claim(name, metadata=metadata, spec={"storageClassName": specified}))
    cluster.add_node(node("", {**_FOUR, "attachable-volumes-gce-pd": "0"}))
    for name in ("c1", "c2"):
        cluster.add_pod(pod("", volumes=using(name)))
    cluster.schedule()
    return cluster.history()


def _disks_of_a_pod(disks: Sequence[Json], on: Json) -> History:
    """A pod has these disks, and there is this node."""
    cluster = HistoryBuilder()
    cluster.add_node(on)
    cluster.add_pod(pod("", volumes=[{"name": f"v{number}", **disk} for number, disk in enumerate(disks)]))
    cluster.schedule()
    return cluster.history()


def _disks_beyond_the_limit() -> History:
    """Two disks are on a node that attaches one, and a pod reads one of them."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {**_FOUR, "attachable-volumes-gce-pd": "1"}))
    for name in ("d", "e"):
        disk = {"pdName": name, "readOnly": True}
        cluster.add_pod(pod("", volumes=inline(gcePersistentDisk=disk)), 0)
    cluster.add_pod(pod("", volumes=inline(gcePersistentDisk={"pdName": "d", "readOnly": True})))
    cluster.schedule()
    return cluster.history()


def _not_reserved(of_class: str) -> History:
    """A pod has a claim of this class, which gets the one volume or is to be made. VolumeBinding is disabled at
    Reserve."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(
        storage_class("hand"),
        storage_class("made", "csi.example"),
        a_claim(spec={"storageClassName": of_class}),
    )
    cluster.add(*([a_volume()] if of_class == "hand" else []))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    disabled = {"reserve": {"disabled": [{"name": "VolumeBinding"}]}}
    return cluster.history(profile_config(default_profile(plugins=disabled)))


def _requests_changed_while_binding(is_deleted: bool) -> History:
    """A pod requests more once it is assumed; bound, it is deleted, or updated once more."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    held = pod("", {"cpu": "1"}, uid="p", script=script(("ScriptedA", "preBind", "Hold")))
    cluster.add_pod(held)
    cluster.schedule(1)
    more = with_spec(cluster.pods["p1"], containers=[container("c", {"cpu": "1500m"})])
    cluster.steps += [Update(more), Release(key(more))]
    bound = with_spec(more, nodeName="n1")
    cluster.steps.append(deleting(bound) if is_deleted else Update(with_metadata(bound, labels={"a": "b"})))
    cluster.steps.append(Observe())
    return cluster.history(SCRIPTED)


def _pre_bound_twice() -> History:
    """Each of six claims has two volumes that are pre-bound to it, one of which reaches only the first node."""
    cluster = HistoryBuilder(hosts=True)
    first = reaching({"key": HOSTNAME, "operator": "In", "values": ["n1"]})
    cluster.add(storage_class("hand"))
    for _ in range(2):
        cluster.add_node(node(""))
    for number in range(6):
        reference = claim_reference("default", f"c{number}", "")
        cluster.add(a_claim(f"c{number}"), with_some(a_volume(f"a{number}"), **reference))
        cluster.add(with_some(a_volume(f"b{number}", spec=first), **reference))
        cluster.add_pod(pod("", volumes=using(f"c{number}")))
    cluster.schedule()
    return cluster.history()


def _victim_on_its_way_out() -> History:
    """Of two pods on a node that count for the constraint one is being deleted and has the lowest priority. The
    other domain has no pod, and its node has a taint."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}, labels={ZONE: "a"}))
    taints = [{"key": "k", "effect": "NoSchedule"}]
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}, labels={ZONE: "b"}, taints=taints))
    cluster.add_pod(pod("", labels=_OF_A, priority=100), 0)
    cluster.add_pod(with_metadata(pod("", labels=_OF_A), deletionTimestamp=AN_AGE_AGO), 0)
    evenly = [spread(ZONE, 1, "DoNotSchedule")]
    cluster.add_pod(pod("", labels=_OF_A, priority=50, topologySpreadConstraints=evenly))
    cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = (
    Case(
        "victim_on_its_way_out_and_a_spread_constraint",
        "A victim that is being deleted does not count for a constraint, and its removal lowers the count.",
        _victim_on_its_way_out(),
        ("R-SPREAD-54",),
        ("preemption",),
    ),
    Case(
        "preemption_by_a_pod_that_was_deleted",
        "A pod that was deleted while it was queued preempts no pod.",
        _deleted_while_it_was_queued(has_successor=False),
        ("R-PREEMPT-61",),
        ("preemption", "scripted", "hold", "queue"),
    ),
    Case(
        "preemption_by_a_pod_that_became_another",
        "A pod that another one of its name has replaced preempts no pod that is as important as that one.",
        _deleted_while_it_was_queued(has_successor=True),
        ("R-PREEMPT-61",),
        ("preemption", "scripted", "hold", "queue"),
    ),
    Case(
        "annotation_of_a_pod_that_waits_on_permit",
        "An assumed pod of which only the annotations change does not return to the queue.",
        _changed_while_it_waits(_annotated),
        ("R-EVENT-57",),
        ("scripted", "queue"),
    ),
    Case(
        "nomination_cleared_of_a_pod_that_waits_on_permit",
        "An assumed pod returns to the queue when its status names no node any more.",
        _changed_while_it_waits(lambda value: with_status(value, nominatedNodeName="")),
        ("R-EVENT-57",),
        ("scripted", "queue"),
    ),
    Case(
        "two_victims_of_one_name",
        "The second of two victims of one name does not exist any more, so the pod is not nominated.",
        _two_victims_of_one_name(),
        ("R-EVICT-01",),
        ("preemption", "scripted", "hold", "queue"),
    ),
    Case(
        "nomination_to_a_node_that_was_cordoned",
        "The nomination of a pod is cleared if preemption could help on no node, so that others may use its node.",
        _no_node_can_be_helped(),
        ("R-PREEMPT-58",),
        ("preemption",),
    ),
    *(
        Case(
            f"nomination_of_a_pod_that_is_outranked{name}",
            "A pod of lower priority loses its nomination to the node on which another one preempts"
            f"{', which was nominated to it before' if name else ''}.",
            _outranked(status),
            ("R-PREEMPT-59",),
            ("preemption", "queue"),
        )
        for name, status in (("", {}), ("_by_one_nominated_there", {"status": {"nominatedNodeName": "n1"}}))
    ),
    Case(
        "most_allocated_beyond_capacity",
        "For NodeResourcesMostAllocated a resource scores at most 100 if pods count more of it than there is.",
        _requested_beyond_capacity(),
        ("R-MOST-01",),
    ),
    *(
        Case(
            f"claim_of_class_{of_class}_without_reserve",
            "Where VolumeBinding is disabled at Reserve, PreBind fails for a pod that has no volume to bind, or"
            f" none to make; here it has only one to {'bind' if of_class == 'hand' else 'make'}.",
            _not_reserved(of_class),
            ("R-VOLBIND-54",),
            ("volumes",),
        )
        for of_class in ("hand", "made")
    ),
    *(
        Case(
            f"{state}_claim_that_is_being_deleted",
            "An attempt for a pod with a claim that is being deleted ends with an error, here with one that is"
            f" {state}.",
            wanted(storage_class("hand"), leaving(claim), volume),
            ("R-BASIC-02",),
            ("volumes",),
        )
        for state, (claim, volume) in (
            ("bound", bound_pair("c1", "v1")),
            ("pending", (a_claim(), a_volume())),
        )
    ),
    Case(
        "disks_beyond_the_limit_and_a_pod_that_brings_none",
        "A node that has more disks than it attaches rejects a pod with a disk, though the disk is there.",
        _disks_beyond_the_limit(),
        ("R-CLOUDLIMIT-01",),
        ("volumes",),
    ),
    *(
        Case(
            f"{number}_disks_on_a_node_that_attaches_{limit}",
            f"A limit that a node states counts instead of that of its cloud; it states {limit}.",
            _disks_of_a_pod(
                [{"azureDisk": {"diskName": f"d{each}", "diskURI": "https://u"}} for each in range(number)],
                node("", {**_FOUR, "attachable-volumes-azure-disk": str(limit)}),
            ),
            ("R-CLOUDLIMIT-02",),
            ("volumes",),
        )
        for number, limit in ((17, 20), (17, 17), (18, 17))
    ),
    *(
        Case(
            f"{number}_disks_on_a_node_of_type_{instance}",
            f"An instance of a newer type attaches 25 disks, and any other one 39; this is of type {instance}.",
            _disks_of_a_pod(
                [{"awsElasticBlockStore": {"volumeID": f"d{each}"}} for each in range(number)],
                node("", _FOUR, {"node.kubernetes.io/instance-type": f"{instance}.large"}),
            ),
            ("R-CLOUDLIMIT-03",),
            ("volumes",),
        )
        for instance, number in (("c5", 26), ("c5d", 26), ("t3a", 26), ("z1d", 25), ("t2", 26), ("t2", 40))
    ),
    Case(
        "disks_of_the_class_that_the_spec_names",
        "A claim without a volume counts as a disk of the class that its spec names, not its annotation.",
        _classes_of_disks(),
        ("R-CLOUDLIMIT-04",),
        ("volumes",),
    ),
    *(
        Case(
            f"requests_changed_while_binding_and_pod_{then}",
            "A pod whose requests changed while it was being bound counts as it was assumed, and is taken off the"
            f" node as it was bound; it is {then}.",
            _requests_changed_while_binding(then == "deleted"),
            ("R-CACHE-52",),
            ("cache", "hold"),
        )
        for then in ("deleted", "updated")
    ),
    Case(
        "two_volumes_pre_bound_to_one_claim",
        "Of two volumes that are pre-bound to a claim it gets either, which is open anew on each node.",
        _pre_bound_twice(),
        ("R-VOLBIND-53",),
        ("volumes",),
    ),
)
