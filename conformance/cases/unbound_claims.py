# SPDX-License-Identifier: Apache-2.0
"""Cases of claims that wait for their first consumer: the node that was selected for one, what the volumes
that would be bound count for the score, and which updates requeue their pods."""

from __future__ import annotations

from typing import Any

from conformance.cases.volumes import wanted
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import HOSTNAME, node, pod, with_metadata
from conformance.vocabulary.scripted import SCRIPTED, WAITS, script
from conformance.vocabulary.storage import (
    BETA_CLASS,
    DRIVER,
    SELECTED_NODE,
    STORAGE,
    TRACKING,
    a_claim,
    a_volume,
    bound_pair,
    claim_of_immediate_class,
    claim_reference,
    inline,
    reaching,
    storage_class,
    storage_object,
    using,
    with_some,
)
from refsched.suite.histories.history import History, Observe, Permit, Update
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _selected_by_name(selected: str) -> History:
    """Each of two nodes has the other's name in the label of its host, and one of them was selected."""
    cluster = HistoryBuilder()
    annotations = {"annotations": {SELECTED_NODE: selected}}
    claim = a_claim(metadata=annotations, spec={"storageClassName": "made"})
    cluster.add(storage_class("made", DRIVER), claim)
    for host in ("n2", "n1"):
        cluster.add_node(node(labels={HOSTNAME: host}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


def _volumes_of_two_sizes(gate: bool) -> History:
    """One of two equal nodes reaches a volume of just the size that a claim asks for, the other one a large
    one."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), a_claim())
    for number, size in ((1, "1Gi"), (2, "9Gi")):
        reach = {"key": HOSTNAME, "operator": "In", "values": [f"n{number}"]}
        volume = a_volume(f"v{number}", spec=reaching(reach))
        cluster.add(with_some(volume, spec={"capacity": {"storage": size}}))
        cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history(gates={} if gate else {"StorageCapacityScoring": False})


def _volumes_that_an_annotation_gives_a_class() -> History:
    """Two claims get the two volumes that either of two nodes reaches, and a third one is provisioned. All volumes
    are of one class; on the first node the spec of the second one names another class, and its annotation this
    one."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), storage_class("other"), storage_class("made", DRIVER))
    cluster.add(a_claim("c1"), a_claim("c2"), a_claim("c3", spec={"storageClassName": "made"}))
    annotated: Json = {
        "metadata": {"annotations": {BETA_CLASS: "hand"}},
        "spec": {"storageClassName": "other"},
    }
    for number, size, more in ((1, "1Gi", {}), (1, "9Gi", annotated), (2, "1Gi", {}), (2, "9Gi", {})):
        reach = {"key": HOSTNAME, "operator": "In", "values": [f"n{number}"]}
        volume = with_some(a_volume(f"v{number}-{size[0]}", spec=reaching(reach)), **more)
        cluster.add(with_some(volume, spec={"capacity": {"storage": size}}))
    for _ in range(2):
        cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1", "c2", "c3")))
    cluster.schedule()
    return cluster.history()


def _updated(later: Json, *objects: Json) -> History:
    """A pod that uses the claim c1 is tried with these objects, and again when one of them is ``later``."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*objects)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    cluster.steps.append(Update(later))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _driver_is_updated(name: str, before: bool, after: bool) -> History:
    """A pod with an inline volume of ``DRIVER`` waits for a claim that should have been bound at once, and the
    driver of this name says another thing of its storageCapacity."""
    cluster = HistoryBuilder()
    cluster.add(*claim_of_immediate_class())
    drivers = [
        storage_object(STORAGE, "CSIDriver", name, spec={"storageCapacity": is_on})
        for is_on in (before, after)
    ]
    cluster.add(drivers[0])
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=[*using("c1"), *inline(csi={"driver": DRIVER})]))
    cluster.schedule()
    cluster.steps.append(Update(drivers[1]))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _bound_in_two_updates() -> History:
    """A claim of a class that binds at once names its volume, and the binding is completed after an attempt."""
    at_once = {**storage_class("hand"), "volumeBindingMode": "Immediate"}
    claim, volume = bound_pair("c1", "v1")
    return _updated(claim, at_once, with_metadata(claim, annotations={}), volume)


def _smallest_of(*sizes: str) -> History:
    """A claim of one gibibyte may get volumes of these sizes."""
    volumes = [
        a_volume(f"v{number}", spec={"capacity": {"storage": size}}) for number, size in enumerate(sizes, 1)
    ]
    return wanted(storage_class("hand"), a_claim(), *volumes)


_TWO_GIBIBYTES: Json = {"resources": {"requests": {"storage": "2Gi"}}}
_MADE_WHERE_IT_FITS = (
    storage_class("made", DRIVER),
    storage_object(STORAGE, "CSIDriver", DRIVER, spec={"storageCapacity": True}),
)


def _storage_changes(before: Json, after: Json) -> History:
    """The storage says these sizes, by which it takes no volume of a claim's size, and then those."""
    storage = storage_object(
        *(STORAGE, "CSIStorageCapacity", "k", "default"), storageClassName="made", nodeTopology={}
    )
    claim = a_claim(spec={"storageClassName": "made", **_TWO_GIBIBYTES})
    return _updated({**storage, **after}, *_MADE_WHERE_IT_FITS, claim, {**storage, **before})


def _stored_where(first: Json) -> History:
    """The storage that the first of two nodes reaches says this of its size, and that of the second one is large
    and takes volumes of any size."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*_MADE_WHERE_IT_FITS, a_claim(spec={"storageClassName": "made"}))
    for number, size in enumerate((first, {"capacity": "100Gi"}), 1):
        reached = {"matchLabels": {HOSTNAME: f"n{number}"}}
        of_class = {"storageClassName": "made", "nodeTopology": reached}
        cluster.add(
            storage_object(STORAGE, "CSIStorageCapacity", f"k{number}", "default", **of_class, **size)
        )
        cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


def _two_equal_claims(*names: str) -> History:
    """A pod names two claims of one size in this order, and there are volumes of two sizes."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), *(a_claim(name) for name in names))
    cluster.add(a_volume("v1"), with_some(a_volume("v2"), spec={"capacity": {"storage": "2Gi"}}))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using(*names)))
    cluster.schedule()
    return cluster.history()


def _pre_bound_by_name(has_uid: bool) -> History:
    """A volume that the first of two nodes reaches is reserved for a claim, and any node reaches another one. The
    first node is cordoned."""
    cluster = HistoryBuilder(hosts=True)
    claim = a_claim()
    first = reaching({"key": HOSTNAME, "operator": "In", "values": ["n1"]})
    reference = claim_reference("default", "c1", claim["metadata"]["uid"] if has_uid else "")
    cluster.add(storage_class("hand"), claim, a_volume("v2"))
    cluster.add(with_some(a_volume("v1", spec=first), **reference))
    for is_cordoned in (True, False):
        cluster.add_node(node("", unschedulable=is_cordoned))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


def _changes_while_it_waits(which: int) -> History:
    """A pod with two claims, each of which a volume of its size would serve, waits on Permit, and one of these
    volumes changes meanwhile."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), a_claim("c1"), a_claim("c2", spec=_TWO_GIBIBYTES))
    volumes = [a_volume("v1"), with_some(a_volume("v2"), spec={"capacity": {"storage": "2Gi"}})]
    cluster.add(*volumes)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1", "c2"), script=WAITS))
    cluster.schedule(1)
    cluster.steps.append(Update(with_metadata(volumes[which], labels={"new": "yes"})))
    cluster.steps += [Permit("default/p1", "allow"), Observe()]
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _becomes_available() -> History:
    """The only volume that serves a claim is pending, and becomes available after an attempt."""
    volume = a_volume("v1")
    return _updated(volume, storage_class("hand"), a_claim(), with_some(volume, status={"phase": "Pending"}))


def _shared_and_given_back(storage: str) -> History:
    """A pod is assumed on the first node with a claim of this class, and waits. Another one with the same claim is
    rejected at Permit there, and then comes one with the claim that wants the second node."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), storage_class("made", DRIVER))
    cluster.add(a_claim(spec={"storageClassName": storage}), a_volume("v1"))
    for _ in range(2):
        cluster.add_node(node(""))
    for number, answers in ((1, WAITS), (1, script(("ScriptedA", "permit", "Unschedulable"))), (2, {})):
        there = {HOSTNAME: f"n{number}"}
        cluster.add_pod(pod("", volumes=using("c1"), nodeSelector=there, script=answers))
        cluster.schedule(1)
    return cluster.history(SCRIPTED)


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"claim_of_two_pods_given_back_by_one_{name}",
            f"A pod that comes to nothing gives back what another one assumed for the claim of both, {says}.",
            _shared_and_given_back(storage),
            ("R-VOLBIND-17",),
        )
        for name, says, storage in (
            ("with_a_volume", "a volume", "hand"),
            ("with_a_selected_node", "the node that was selected", "made"),
        )
    ),
    *(
        Case(
            f"{which}_driver_that_turns_{'on' if after else 'off'}_its_capacity",
            "A pod with an inline volume that VolumeBinding rejected is requeued when the driver of this volume"
            f" turns off storageCapacity, and by nothing else of a driver; {says} it {'on' if after else 'off'}.",
            _driver_is_updated(name, not after, after),
            ("R-VOLBIND-27",),
        )
        for which, says, name in (
            ("inline", "its driver turns", DRIVER),
            ("another", "another driver turns", TRACKING),
        )
        for after in (False, True)
    ),
    *(
        Case(
            f"smallest_volume_of_{'_and_'.join(sizes).lower()}",
            "A claim gets the smallest volume that is large enough, to the byte; there are some of"
            f" {' and '.join(sizes)}.",
            _smallest_of(*sizes),
            ("R-VOLBIND-11",),
        )
        for sizes in (("1900Mi", "1100Mi"), ("1073741826", "1073741825"), ("2G", "1954Mi"))
    ),
    *(
        Case(
            f"volume_of_one_node_reserved_{'with' if has_uid else 'without'}_a_uid",
            "A claim for which a volume is reserved gets no other one, though its reservation says no uid.",
            _pre_bound_by_name(has_uid),
            ("R-VOLBIND-10",),
        )
        for has_uid in (True, False)
    ),
    *(
        Case(
            f"claims_of_one_size_{'_and_'.join(names)}",
            "Of claims of one size the one that the pod names first gets the smallest volume; it names"
            f" {' before '.join(names)}.",
            _two_equal_claims(*names),
        )
        for names in (("a", "b"), ("b", "a"))
    ),
    *(
        Case(
            f"{place}_of_two_volumes_changes_before_it_is_bound",
            "What PreBind of VolumeBinding has written before a write fails stays written; of the two volumes that"
            f" it binds the {place} has changed since the pod was assumed.",
            _changes_while_it_waits(which),
            ("R-VOLBIND-18",),
            needs=("hold",),
        )
        for which, place in enumerate(("first", "second"))
    ),
    *(
        Case(
            f"storage_of_{name}",
            "Storage that takes a volume and says no capacity, or less than the volume, counts for the score as"
            f" used up; one of two storages is of {name.replace('_', ' ')}.",
            _stored_where(size),
            ("R-VOLBIND-33",) if size != {"capacity": "2Gi"} else (),
        )
        for name, size in (
            ("no_capacity", {"maximumVolumeSize": "10Gi"}),
            ("a_capacity_of_zero", {"maximumVolumeSize": "10Gi", "capacity": "0"}),
            ("a_capacity_less_than_the_volume", {"maximumVolumeSize": "10Gi", "capacity": "1Mi"}),
            ("twice_the_volume", {"capacity": "2Gi"}),
        )
    ),
    Case(
        "largest_size_of_a_volume_grows",
        "A pod is requeued when the storage takes larger volumes, though there is as much of it as before.",
        _storage_changes(
            {"capacity": "100Gi", "maximumVolumeSize": "1Gi"},
            {"capacity": "100Gi", "maximumVolumeSize": "10Gi"},
        ),
        ("R-VOLBIND-28",),
    ),
    *(
        Case(
            f"storage_that_says_{name}",
            f"A pod is requeued when storage says for the first time how large it is, even if that is too little,"
            f" and not when it does not say so any more; here it says {name.replace('_', ' ')}.",
            _storage_changes(before, after),
            ("R-VOLBIND-28",),
        )
        for name, before, after in (
            ("at_last_that_it_is_large", {}, {"capacity": "10Gi"}),
            ("at_last_that_it_is_small", {}, {"capacity": "1Gi"}),
            ("a_largest_size_of_zero_at_last", {}, {"maximumVolumeSize": "0"}),
            ("no_more_how_large_it_is", {"capacity": "1Gi"}, {}),
            ("no_more_how_large_volumes_may_be", {"maximumVolumeSize": "1Gi"}, {"capacity": "1Gi"}),
        )
    ),
    Case(
        "volume_that_becomes_available",
        "A pod whose claim no available volume serves is requeued by any update of a volume, of its status too.",
        _becomes_available(),
        ("R-CURE-VolumeBinding-PersistentVolume-Add+Update",),
    ),
    Case(
        "claim_whose_binding_is_completed_later",
        "A pod that was rejected for its unbound claim is requeued by any update of the claim, such as one that"
        " says no more than that the binding is complete.",
        _bound_in_two_updates(),
        ("R-VOLBIND-25",),
    ),
    *(
        Case(
            f"node_{selected}_selected_where_hosts_bear_other_names",
            "A claim for which a node was selected keeps the pod away from all others, by the names of the nodes"
            f" and not of their hosts; here from all but {selected}.",
            _selected_by_name(selected),
            ("R-VOLBIND-08",),
        )
        for selected in ("n1", "n2")
    ),
    *(
        Case(
            f"volumes_of_two_sizes_{'scored' if gate else 'without_the_gate'}",
            "Which of two volumes is of the better size counts for the score only with StorageCapacityScoring,"
            f" which is {'as the release has it' if gate else 'off'}.",
            _volumes_of_two_sizes(gate),
        )
        for gate in (True, False)
    ),
    Case(
        "volumes_that_an_annotation_gives_a_class",
        "Volumes that claims get count for the score under the class that their spec names, even if an annotation"
        " names another one, which says what claims they serve.",
        _volumes_that_an_annotation_gives_a_class(),
        ("R-VOLBIND-31",),
    ),
)
