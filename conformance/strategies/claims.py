# SPDX-License-Identifier: Apache-2.0
"""Claims: what goes together and what does not. A volume and a claim that differ in one thing, a capacity that is
too small by one byte, a disk that one of two drivers counts.

Few objects of each: what decides is one member of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.strategies.matching_volumes import matching
from conformance.strategies.storage import puts
from conformance.vocabulary.builder import Change, HistoryBuilder
from conformance.vocabulary.objects import (
    REGION,
    ROOM,
    ZONE,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from conformance.vocabulary.storage import (
    BETA_CLASS,
    GKE_ZONE,
    IN_ZONE_A,
    MIGRATED_PLUGINS,
    OLD_ZONE,
    SELECTED_NODE,
    STORAGE,
    TRACKING,
    a_claim,
    bound_pair,
    inline,
    reaching,
    storage_class,
    storage_object,
    using,
    with_some,
)
from refsched.suite.histories.history import Create, History, Update

Json = dict[str, Any]

# --- Volumes that are to be made, and room for them ------------------------------------------------

_ZONE_A: tuple[Json, ...] = (
    {"nodeTopology": {"matchLabels": {ZONE: "a"}}},
    {"nodeTopology": {"matchExpressions": [IN_ZONE_A]}},
    {"nodeTopology": {"matchExpressions": [IN_ZONE_A]}},
    {"nodeTopology": {}},
    {},
)
_ROOM: tuple[Json, ...] = (
    {"capacity": "1Gi"},
    {"capacity": "1073741823"},
    {"capacity": "2Gi", "maximumVolumeSize": "1073741823"},
    {"capacity": "1Mi", "maximumVolumeSize": "1Gi"},
    {"capacity": "512Mi"},
    {"capacity": "1Gi", "maximumVolumeSize": "512Mi"},
    {},
)
"""There is enough, or not enough, or even less."""


def _capacity(name: str, room: Json, reach: Json, of_class: str = "hand") -> Json:
    return storage_object(
        STORAGE, "CSIStorageCapacity", name, "default", storageClassName=of_class, **room, **reach
    )


def _capacities(name: str) -> SearchStrategy[Json]:
    return combinations(partial(_capacity, name), _ROOM, _ZONE_A, ("hand", "hand", "other"))


_DIFFER_IN_ROOM = st.builds(
    lambda rooms, reach: [_capacity(f"k{number}", room, reach) for number, room in enumerate(rooms, 1)],
    st.permutations(_ROOM).map(lambda rooms: rooms[:2]),
    st.sampled_from(_ZONE_A),
)


def _driver(tracks: bool) -> Json:
    return storage_object(STORAGE, "CSIDriver", TRACKING, spec={"storageCapacity": tracks})


_HAPPENS: tuple[SearchStrategy[Json], ...] = (
    _capacities("k1"),
    st.sampled_from([_driver(False), _driver(False), _driver(True)]),
    st.just(_driver(False)),
)


@st.composite
def _making(draw: DrawFn) -> History:
    """A driver publishes its capacity for one or two classes; then the capacity changes or is no longer
    published."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand", TRACKING), storage_class("other", TRACKING), a_claim())
    differ = st.tuples(_capacities("k1"), _capacities("k2"))
    cluster.add(
        _driver(True), *draw(st.one_of(_capacities("k1").map(lambda one: [one]), differ, _DIFFER_IN_ROOM))
    )
    for labels in draw(st.permutations([{ZONE: "a"}, {ZONE: "b"}]))[: draw(st.integers(1, 2))]:
        cluster.add_node(node("", labels=labels))
    tracked, other = ([*using("c1"), *inline(csi={"driver": name})] for name in (TRACKING, "csi.example"))
    cluster.add_pod(pod("", volumes=draw(st.sampled_from([using("c1"), tracked, tracked, other]))))
    cluster.schedule()
    for value in draw(st.lists(st.one_of(*_HAPPENS), min_size=1, max_size=3)):
        cluster.steps.append(Update(value))
        cluster.wait()
        cluster.schedule()
    return History(tuple(cluster.steps))


_SELECTED = st.sampled_from([{SELECTED_NODE: "n1"}, {}, {SELECTED_NODE: "n2"}, {SELECTED_NODE: "n1"}])
_TWO = st.permutations(["c1", "c2", "c3"]).map(lambda names: using(*names[:2]))


@st.composite
def _made_elsewhere(draw: DrawFn) -> History:
    """Volumes are being made, each for a node of its own or for any, and a pod uses two of them."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand", "csi.example"))
    for number, selected in enumerate(draw(st.lists(_SELECTED, min_size=3, max_size=3)), 1):
        cluster.add(a_claim(f"c{number}", metadata={"annotations": selected}))
    for _ in range(2):
        cluster.add_node(node(""))
    for volumes in draw(st.lists(_TWO, min_size=1, max_size=2)):
        cluster.add_pod(pod("", volumes=volumes))
    cluster.schedule()
    return cluster.history()


# --- Migrated disks ---------------------------------------------------------------------------------

_PLUGINS: tuple[tuple[str, str, tuple[Json, ...]], ...] = (
    ("gce-pd", "pd.csi.storage.gke.io", tuple({"gcePersistentDisk": {"pdName": name}} for name in "ab")),
    (
        "aws-ebs",
        "ebs.csi.aws.com",
        tuple(
            {"awsElasticBlockStore": {"volumeID": name}} for name in ("vol-1", "aws://a/vol-1", "aws://a/b")
        ),
    ),
    ("cinder", "cinder.csi.openstack.org", tuple({"cinder": {"volumeID": name}} for name in "ab")),
    (
        "azure-disk",
        "disk.csi.azure.com",
        (
            *(
                {"azureDisk": {"diskName": name, "diskURI": uri, "kind": "Managed"}}
                for name, uri in ("da", "db", "ea")
            ),
            {"azureDisk": {"diskName": "d", "diskURI": "a", "kind": "Dedicated"}},
        ),
    ),
    ("portworx-volume", "pxd.portworx.com", tuple({"portworxVolume": {"volumeID": name}} for name in "ab")),
)
"""The in-tree plugin, the CSI driver to which it is migrated, and its disks."""
_NEVER_COUNTED: tuple[list[Json], ...] = (
    inline(azureFile={"secretName": "s", "shareName": "a"}),
    inline(vsphereVolume={"volumePath": "a"}),
)
"""These are migrated to CSI drivers too, but the scheduler does not translate them."""
_NO_DISK_AT_ALL: Json = {"name": "z", "emptyDir": {}}
_WITH_ZONES = _PLUGINS[:3]
_ZONE_LABELS: tuple[Json, ...] = ({}, {OLD_ZONE: "b"}, {ZONE: "a"}, {OLD_ZONE: "a"}, {ZONE: "b"})
_ZONE_AFFINITIES: tuple[Json, ...] = ({}, reaching(IN_ZONE_A), reaching({**IN_ZONE_A, "key": OLD_ZONE}))
"""A volume may say its zone in both places, and in one spelling or the other."""
_LISTED = st.sampled_from([True, True, False])
"""Is the plugin among those that the node says are migrated?"""
_DRIVER_ZONES = {
    "gce-pd": GKE_ZONE,
    "aws-ebs": "topology.ebs.csi.aws.com/zone",
    "cinder": "topology.cinder.csi.openstack.org/zone",
}


def _to_be_made(plugin: str) -> Sequence[Json]:
    """Claims of the in-tree plugin's class and of another one, by the spec or by the annotation before it."""
    by_hand: Json = {"metadata": {"annotations": {BETA_CLASS: "hand"}}}
    as_disk: Json = {"metadata": {"annotations": {BETA_CLASS: "disk"}}}
    of_disks: Json = {"spec": {"storageClassName": "disk"}}
    return (
        storage_class("hand", "csi.example"),
        storage_class("disk", f"kubernetes.io/{plugin}"),
        a_claim("c3", **of_disks),
        a_claim("c4", **as_disk),
        a_claim("c5", **by_hand, **of_disks),
    )


@st.composite
def _migrated(draw: DrawFn) -> History:
    """Disks that pods name themselves, that volumes are, or that are to be made, on a node that attaches few of
    their driver's; or bound ones on nodes that attach many, so that only their zones matter."""
    of_zones = draw(st.sampled_from([False, False, True]))
    plugin, driver, sources = draw(st.sampled_from(_WITH_ZONES if of_zones else (*_PLUGINS, *_PLUGINS[-2:])))
    cluster = HistoryBuilder(hosts=True)
    drawn = draw(st.lists(st.sampled_from(sources), min_size=2, max_size=2))
    for number, source in enumerate(drawn, 1):
        cluster.add(*_bound_pair(draw, number, source, of_zones))
    cluster.add(*_to_be_made(plugin))
    idle = None if of_zones else draw(st.sampled_from([None, None, None, None, *_NEVER_COUNTED]))
    count = 9 if of_zones else draw(st.sampled_from([1, 0, 1, 2])) if idle is None else 0
    stated = draw(st.sampled_from([{f"attachable-volumes-{plugin}": str(count)}, {}]))
    for labels in draw(st.lists(_labels_of_nodes(plugin), min_size=1, max_size=2)):
        cluster.add_node(node("", {**ROOM, **stated}, labels=labels))
    cluster.add(_csi_node(plugin, driver, count, of_zones or draw(_LISTED)))
    if idle is not None:
        cluster.add_pod(pod("", volumes=idle), 0)
    inlined = [[*nothing, *inline(**source)] for source in sources for nothing in ([], [_NO_DISK_AT_ALL])]
    made = [using(name) for name in ("c3", "c4", "c5", "c4")]
    bound = [using("c1"), [_NO_DISK_AT_ALL, *using("c2")]]
    volumes = st.sampled_from(bound if of_zones else [*inlined, *bound * 3, *made])
    for used in draw(st.lists(volumes, min_size=1, max_size=2)):
        cluster.add_pod(pod("", volumes=used), 0)
    for used in draw(st.lists(volumes, min_size=1, max_size=2)):
        cluster.add_pod(pod("", volumes=used))
    cluster.schedule()
    if idle is not None or draw(st.booleans()):
        cluster.remove_pod(0)
        cluster.wait()
        cluster.schedule()
    return History(tuple(cluster.steps))


def _bound_pair(draw: DrawFn, number: int, source: Json, has_zones: bool) -> Sequence[Json]:
    claim, volume = bound_pair(f"c{number}", f"v{number}")
    labels = draw(st.sampled_from(_ZONE_LABELS[has_zones:]))
    affinity = draw(st.sampled_from(_ZONE_AFFINITIES[has_zones:]))
    volume = with_some(volume, metadata={"labels": labels} if labels else {}, spec={**source, **affinity})
    del volume["spec"]["csi"]
    return claim, volume


def _labels_of_nodes(plugin: str) -> SearchStrategy[Json]:
    zone = _DRIVER_ZONES.get(plugin, ZONE)
    return st.sampled_from([{ZONE: "a", zone: "a"}, {ZONE: "a", zone: "b"}, {ZONE: "a"}, {}])


def _csi_node(plugin: str, driver: str, count: int, is_listed: bool) -> Json:
    drivers = [{"name": driver, "nodeID": "n1", "allocatable": {"count": count}}]
    made = storage_object(STORAGE, "CSINode", "n1", spec={"drivers": drivers})
    return with_metadata(made, annotations={MIGRATED_PLUGINS: f"kubernetes.io/{plugin}"} if is_listed else {})


# --- Volumes in a zone, and what brings pods there ------------------------------------------------

_OTHERS = [{"name": "VolumeBinding"}, {"name": "VolumeRestrictions"}]
_BY_ITSELF = profile_config(default_profile(plugins={"multiPoint": {"disabled": _OTHERS}}))
"""There it is VolumeZone that misses what claims need."""
_PLACES: tuple[Json, ...] = ({ZONE: "b"}, {ZONE: "b"}, {ZONE: "a"}, {ZONE: "c"})
_CLAIM, _VOLUME = bound_pair("c1", "v1")
_IN_ZONES = tuple(
    with_metadata(_VOLUME, labels=labels)
    for labels in ({ZONE: "a"}, {ZONE: "b"}, {ZONE: "b", REGION: "r"}, {ZONE: "a____c"})
)
_TOUCHED = with_metadata(_IN_ZONES[0], annotations={"touched": "yes"})
_SECOND = bound_pair("c2", "v2")
_CLASSES_LATE = tuple(
    {**storage_class("hand"), "volumeBindingMode": mode} for mode in ("Immediate", "WaitForFirstConsumer")
)
_BEGINNINGS: tuple[tuple[Json, ...], ...] = (
    (_CLAIM, _IN_ZONES[0]),
    (_CLAIM, _IN_ZONES[0]),
    (_CLAIM,),
    (_IN_ZONES[0],),
    (a_claim(),),
    (a_claim(), _CLASSES_LATE[0]),
)
"""In the first case a pod is kept from nodes by the volume's zone; in the others something is missing."""
_ZONE_HAPPENINGS: tuple[SearchStrategy[Change], ...] = (
    puts(st.sampled_from([_CLAIM, _CLAIM, a_claim()])),
    puts(st.sampled_from([*_IN_ZONES, _TOUCHED, _TOUCHED])),
    puts(st.sampled_from(_SECOND)),
    st.just(lambda cluster: _once(cluster, a_claim("c1", "other"))),
    st.sampled_from(_PLACES).map(lambda labels: lambda cluster: cluster.add_node(node("", labels=labels))),
    st.sampled_from(_PLACES).map(
        lambda labels: lambda cluster: cluster.change_node(0, node("", labels=labels))
    ),
)


def _once(cluster: HistoryBuilder, value: Json) -> None:
    if Create(value) not in cluster.steps:
        cluster.add(value)


@st.composite
def _zoned(draw: DrawFn) -> History:
    """Draws a pod that goes nowhere, and one thing after another that might help. A class comes once."""
    cluster = HistoryBuilder(hosts=True)
    beginning = draw(st.sampled_from(_BEGINNINGS))
    cluster.add(*beginning)
    cluster.add_node(node("", labels=draw(st.sampled_from(_PLACES))))
    used = draw(st.sampled_from([("c1",), ("c1",), ("c2", "c1")]))
    if "c2" in used:
        cluster.add(*_SECOND)
    cluster.add_pod(pod("", volumes=using(*used)))
    cluster.schedule()
    happenings = draw(st.lists(st.one_of(*_ZONE_HAPPENINGS), min_size=2, max_size=5))
    if _CLASSES_LATE[0] not in beginning:
        late = draw(st.sampled_from(_CLASSES_LATE))
        happenings.insert(draw(st.sampled_from([0, 1])), lambda cluster: _once(cluster, late))
    for happening in happenings:
        happening(cluster)
        cluster.wait()
        cluster.schedule()
    return cluster.history(draw(st.sampled_from([_BY_ITSELF, None, _BY_ITSELF])))


def histories() -> SearchStrategy[History]:
    made = (_making(), _making(), _made_elsewhere())
    return st.one_of(*made, _migrated(), _migrated(), _zoned(), matching(), matching())
