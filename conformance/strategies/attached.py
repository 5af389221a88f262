# SPDX-License-Identifier: Apache-2.0
"""Existing volumes: how many of them a node can attach, in which zone they are, and which pods may share them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import (
    nodes_changed,
    nodes_created,
    placed,
    pods_created,
    pods_removed,
    pods_running,
    with_many_changes,
)
from conformance.strategies.drawn import sometimes
from conformance.strategies.storage import (
    ATTACHMENTS,
    EPHEMERAL_CLAIMS,
    LATE,
    NODES,
    NUMBERS,
    SOURCES,
    VOLUME_LABELS,
    claim,
    cluster_storage,
    csi_nodes,
    drawn_claims,
    drawn_volumes,
    puts,
    removes,
    running_pods,
    some,
    volume,
    waiting_pods,
    with_uids,
)
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    REGION,
    ZONE,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from conformance.vocabulary.storage import (
    EPHEMERAL,
    IN_ZONE_A,
    OLD_REGION,
    OLD_ZONE,
    STORAGE,
    bound_pair,
    csi_node,
    inline,
    using,
)
from refsched.records import Reference
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_CLAIMS = drawn_claims(*["bound"] * 9, "")
_VOLUMES = drawn_volumes(
    (*VOLUME_LABELS, {}, {}), ([], [], [], [], [IN_ZONE_A]), SOURCES[:2] * 2 + SOURCES, ("",)
)
_CSI_NODES = csi_nodes({"count": 1}, {"count": 1}, {"count": 2}, {"count": 0}, {}, None)
_ROOMIER = (csi_node("n1", {"count": 3}), csi_node("n1", {"count": 1}), csi_node("n2", {}))

_DISKS: tuple[list[Json], ...] = (
    inline(gcePersistentDisk={"pdName": "d1"}),
    inline(gcePersistentDisk={"pdName": "d1", "readOnly": True}),
    inline(gcePersistentDisk={"pdName": "d2"}),
    inline(awsElasticBlockStore={"volumeID": "vol-1"}),
    inline(iscsi={"targetPortal": "t", "iqn": "q", "lun": 0, "readOnly": True}),
    inline(iscsi={"targetPortal": "t", "iqn": "q", "lun": 1}),
    inline(rbd={"monitors": ["m", "n"], "image": "i"}),
    inline(rbd={"monitors": ["n"], "image": "i", "readOnly": True}),
    inline(azureDisk={"diskName": "d1", "diskURI": "d1", "kind": "Managed"}),
)
_CLAIMED = (using("c1"), using("c2"), using("c3"), using("c1", "c2"), using("c2", "c3"), using("c1"))
_USED: tuple[list[Json], ...] = (
    *_CLAIMED * 3,
    *_DISKS * 2,
    inline(azureDisk={"diskName": "d1", "diskURI": "d1"}),
    [EPHEMERAL],
    using("c9"),
)

_WITHOUT_BINDING: Json = {"multiPoint": {"disabled": [{"name": "VolumeBinding"}]}}
_CONFIGS = sometimes(st.just(profile_config(default_profile(plugins=_WITHOUT_BINDING))), DEFAULT_CONFIG)
"""Without VolumeBinding, VolumeZone rejects pods with wrong claims."""

_COMES_OR_CHANGES = (
    puts(st.sampled_from(_ROOMIER)),
    puts(st.builds(claim, NUMBERS, _CLAIMS)),
    puts(st.builds(volume, NUMBERS, _VOLUMES)),
    puts(LATE),
    puts(EPHEMERAL_CLAIMS),
    removes(*(Reference("VolumeAttachment", f"a{number}", STORAGE) for number in (1, 2))),
    pods_removed(),
    nodes_changed(NODES),
)

# --- What requeues a rejected pod ---------------------------------------------------------------------

_ROOMY_NODES = (node(""), node("", labels={ZONE: "b"}))
_LIMITED = st.builds(
    cluster_storage,
    st.lists(drawn_claims("bound"), min_size=3, max_size=3),
    st.lists(drawn_volumes(({}, {}, {ZONE: "a"}), ([],), SOURCES[:2], ("",)), min_size=3, max_size=3),
    st.sampled_from([[csi_node("n1", {"count": count})] for count in (1, 0)]),
    st.lists(ATTACHMENTS, min_size=1, max_size=2),
)
_CLAIMANTS = waiting_pods(*_CLAIMED, [EPHEMERAL])


@st.composite
def _requeued(draw: DrawFn) -> History:
    """Draws a node that can attach one volume or none, and events that may make a rejected pod schedulable."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*draw(_LIMITED))
    cluster.add_node(draw(st.sampled_from(_ROOMY_NODES)))
    for value in draw(st.lists(_CLAIMANTS, min_size=2, max_size=4)):
        cluster.add_pod(value)
    for happening in draw(st.lists(st.one_of(*_COMES_OR_CHANGES), min_size=1, max_size=4)):
        cluster.schedule()
        happening(cluster)
        cluster.wait()
    cluster.schedule()
    return History(tuple(cluster.steps))


# --- Shared volumes -------------------------------------------------------------------------------


def _rbd(image: str, *monitors: str, **more: Any) -> list[Json]:
    return inline(rbd={"monitors": list(monitors), "image": image, **more})


def _target(iqn: str, portal: str, lun: int, **more: Any) -> list[Json]:
    return inline(iscsi={"targetPortal": portal, "iqn": iqn, "lun": lun, **more})


_FAMILIES: tuple[tuple[list[Json], ...], ...] = (
    (using("c1"), using("c1"), using("c2"), using("c1", "c2")),
    tuple(
        inline(gcePersistentDisk=disk)
        for disk in ({"pdName": "d1"}, {"pdName": "d1", "readOnly": True}, {"pdName": "d2"})
    ),
    tuple(
        inline(awsElasticBlockStore=disk)
        for disk in ({"volumeID": "vol-1"}, {"volumeID": "vol-1", "readOnly": True}, {"volumeID": "vol-2"})
    ),
    (_target("q", "t", 0), _target("q", "u", 1, readOnly=True), _target("q", "u", 0), _target("r", "t", 0)),
    (
        *(_rbd("i", "m", "n"), _rbd("i", "n", readOnly=True), _rbd("i", "o", "n")),
        *(_rbd("i", "n", pool="p"), _rbd("j", "n"), _rbd("i", "o")),
    ),
)
"""Volumes that are the same, or nearly."""
_EXCLUSIVE: list[Json] = [
    {"state": "bound", "class": "made", "size": "1Gi", "disk": "", "mode": "", "modes": [mode]}
    for mode in ("ReadWriteOncePod", "ReadWriteOnce")
]


_PLACES = (node(), node(labels={ZONE: "a"}), node(labels={ZONE: "a", REGION: "r"}), node(labels={ZONE: "b"}))


@st.composite
def _sharing(draw: DrawFn) -> History:
    """Pods with volumes of one family; those that run may be of another namespace, and go."""
    family = draw(st.sampled_from((*_FAMILIES, *_FAMILIES[:1] * 3)))
    volumes = drawn_volumes(({}, {ZONE: "a", REGION: "r"}, {ZONE: "a__b"}), ([],), SOURCES[:2], ("",))
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*cluster_storage(_EXCLUSIVE, draw(st.lists(volumes, min_size=2, max_size=2))))
    for value in draw(st.lists(st.sampled_from(_PLACES), min_size=1, max_size=2)):
        cluster.add_node(value)
    for value, home, namespace in draw(
        st.lists(
            st.tuples(running_pods(*family), st.integers(0, 1), st.sampled_from(["", "other", ""])),
            min_size=1,
            max_size=3,
        )
    ):
        cluster.add_pod(with_metadata(value, namespace=namespace) if namespace else value, home)
    for value in draw(st.lists(waiting_pods(*family), min_size=1, max_size=2)):
        cluster.add_pod(value)
    for _ in range(draw(st.integers(0, 2))):
        cluster.schedule()
        draw(pods_removed())(cluster)
        cluster.wait()
    cluster.schedule()
    return History(tuple(cluster.steps))


# --- Histories ------------------------------------------------------------------------------------


def _anything() -> SearchStrategy[History]:
    waiting, running = waiting_pods(*_USED), running_pods(*_USED)
    others = st.builds(
        cluster_storage,
        st.lists(_CLAIMS, min_size=2, max_size=3),
        st.lists(_VOLUMES, min_size=2, max_size=3),
        some(_CSI_NODES, 3),
        some(ATTACHMENTS, 3),
        some(EPHEMERAL_CLAIMS, 1),
    )
    return with_many_changes(
        pods_created(waiting),
        pods_created(waiting),
        pods_created(waiting),
        pods_running(running),
        nodes_created(NODES),
        puts(_CSI_NODES),
        removes(
            Reference("PersistentVolumeClaim", "c1", namespace="default"), Reference("PersistentVolume", "v1")
        ),
        *_COMES_OR_CHANGES,
        nodes=st.lists(NODES, min_size=1, max_size=2),
        pods=placed(waiting, running, most=4),
        config=_CONFIGS,
        others=others,
        hosts=True,
        most=14,
    )


def histories() -> SearchStrategy[History]:
    return st.one_of(_sharing(), _anything(), _requeued(), _in_zones(), _sharing()).map(with_uids)


# --- Zones in both spellings ----------------------------------------------------------------------

_SPELLED = st.fixed_dictionaries(
    {
        ZONE: st.sampled_from([None, "a", "b", "a", ""]),
        OLD_ZONE: st.sampled_from([None, "", "a", "", "b"]),
        REGION: st.sampled_from([None, None, "a", ""]),
        OLD_REGION: st.sampled_from([None, None, "", "b"]),
    }
).map(lambda labels: {key: value for key, value in labels.items() if value is not None})
_LISTED = st.dictionaries(
    st.sampled_from([ZONE, OLD_ZONE, OLD_ZONE, REGION, OLD_REGION]),
    st.sampled_from(["a", "b", "a__b", "aa", "a____c"]),
    min_size=1,
    max_size=2,
)


@st.composite
def _in_zones(draw: DrawFn) -> History:
    """Nodes and bound volumes have zones and regions in the usual spelling, the legacy one or both. One may be
    empty."""
    cluster = HistoryBuilder()
    for number in (1, 2, 3):
        held, bound = bound_pair(f"c{number}", f"v{number}")
        cluster.add(held, with_metadata(bound, labels=draw(_LISTED)))
    for labels in draw(st.lists(_SPELLED, min_size=3, max_size=3)):
        cluster.add_node(node(labels=labels))
    for volumes in (using("c1"), using("c2"), using("c3", "c1")):
        cluster.add_pod(pod("", volumes=volumes))
    cluster.schedule()
    return cluster.history()
