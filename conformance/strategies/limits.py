# SPDX-License-Identifier: Apache-2.0
"""Limits: what each of a few drivers can attach to one node, pods for which that is too little, and what may
help them.

All else on the node is plentiful. What counts does not stand first among a pod's volumes, nor its driver first
among the node's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import pods_removed
from conformance.strategies.drawn import any_of, sometimes
from conformance.strategies.storage import EPHEMERAL_CLAIMS, puts, removes, with_uids
from conformance.vocabulary.builder import Change, HistoryBuilder
from conformance.vocabulary.objects import ROOM, default_profile, node, pod, profile_config, with_metadata
from conformance.vocabulary.storage import (
    DRIVER,
    EPHEMERAL,
    GCE,
    MIGRATED_PLUGINS,
    STORAGE,
    TRACKING,
    a_claim,
    bound_pair,
    inline,
    storage_class,
    storage_object,
    using,
    with_some,
)
from refsched.records import Reference
from refsched.suite.histories.history import History

Json = dict[str, Any]

_AWS = "ebs.csi.aws.com"
_BY_ITSELF = profile_config(
    default_profile(
        plugins={
            "multiPoint": {
                "disabled": [{"name": f"Volume{what}"} for what in ("Binding", "Restrictions", "Zone")]
            }
        }
    )
)
"""There it is NodeVolumeLimits that misses a claim."""

# --- What drivers can attach ----------------------------------------------------------------------

_ONE: Json = {"allocatable": {"count": 1}}
_NONE: Json = {"allocatable": {"count": 0}}
_TWO: Json = {"allocatable": {"count": 2}}
_UNREPORTED: Json = {"allocatable": {}}
_FEW = st.sampled_from([_ONE, _NONE, _NONE, _ONE, _ONE, {}])
_ANY = st.sampled_from([_ONE, _NONE, {}, _TWO, _UNREPORTED])
_MIGRATED = st.sampled_from(["kubernetes.io/gce-pd", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs", ""])


@st.composite
def _csi_nodes(draw: DrawFn, limits: SearchStrategy[Json] = _ANY) -> Json:
    names = draw(st.permutations([DRIVER, TRACKING, GCE]))[: draw(st.sampled_from([3, 3, 2, 3, 1]))]
    drivers = [{"name": name, "nodeID": "n1", **draw(limits)} for name in names]
    made = storage_object(STORAGE, "CSINode", "n1", spec={"drivers": drivers})
    return with_metadata(made, annotations={MIGRATED_PLUGINS: draw(_MIGRATED)})


# --- Volumes --------------------------------------------------------------------------------------


def _pair(number: int, driver: str, handle: str) -> Sequence[Json]:
    """Without its volume the claim counts as one that its class would make."""
    claim, volume = bound_pair(f"c{number}", f"v{number}")
    made = {"storageClassName": "made"}
    volume = with_some(volume, spec={**made, "csi": {"driver": driver, "volumeHandle": handle}})
    return with_some(claim, spec=made), volume


_CLAIMS: tuple[Json, ...] = (
    *_pair(1, DRIVER, "h1"),
    *_pair(2, DRIVER, "h2"),
    *_pair(3, TRACKING, "h1"),
    *_pair(4, DRIVER, "h1"),
    *(a_claim(name, spec={"storageClassName": "made"}) for name in ("c5", "c6")),
    *(a_claim(name, spec={"storageClassName": "disk"}) for name in ("c7", "c8")),
    a_claim("c10", spec={"storageClassName": ""}),
)
"""Bound ones, of which the first and the last are the same volume to their driver; four to be made; and one of no
class, whose driver is not known."""
_LATE = a_claim("c9", spec={"storageClassName": "made"})
_LATE_ELSEWHERE = a_claim("c9", "other", spec={"storageClassName": "made"})
_NO_DISK: list[Json] = [{"name": "z", "emptyDir": {}}]
_MISSED = (using("c9"), [*_NO_DISK, *using("c9")], [EPHEMERAL])
"""Volumes whose claim is not there yet."""
_GCE_DISKS = tuple(inline(gcePersistentDisk={"pdName": name}) for name in "ab")
_AWS_DISKS = tuple(inline(awsElasticBlockStore={"volumeID": name}) for name in ("vol-1", "aws://a/b"))
"""The second volume cannot be translated for its CSI driver."""
_ONES: tuple[list[Json], ...] = (
    *(using(name) for name in ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c10")),
    *_GCE_DISKS,
)
_SETS: SearchStrategy[list[Json]] = st.one_of(
    st.sampled_from([*_ONES, *_GCE_DISKS * 4]),
    st.sampled_from(_ONES).map(lambda one: [*_NO_DISK, *one]),
    st.permutations(["c1", "c2", "c3", "c5", "c7"]).map(lambda names: using(*names[:2])),
    st.sampled_from([*_AWS_DISKS, [*_NO_DISK, *_AWS_DISKS[0]], [*_AWS_DISKS[0], *using("c1")], _NO_DISK]),
)

# --- What happens ---------------------------------------------------------------------------------


def _attached(number: int, driver: str, source: Json, on: str = "n1") -> Json:
    attached = {"attacher": driver, "nodeName": on, "source": source}
    return storage_object(STORAGE, "VolumeAttachment", f"a{number}", spec=attached)


def _attachment(number: int, driver: str, on: str = "n1") -> Json:
    return _attached(number, driver, {"persistentVolumeName": f"v{number}"}, on)


def _inline_attachment(number: int, driver: str) -> Json:
    source = {"accessModes": ["ReadWriteOnce"], "csi": {"driver": driver, "volumeHandle": f"inline-{number}"}}
    return _attached(number, driver, {"inlineVolumeSpec": source})


_ATTACHMENTS = st.sampled_from(
    [
        *(_attachment(number, driver) for number, driver in ((1, DRIVER), (2, DRIVER), (3, TRACKING))),
        _attachment(1, GCE),
        _attachment(2, GCE),
        _attachment(2, _AWS),
        _attachment(1, DRIVER, "n9"),
        _inline_attachment(2, DRIVER),
    ]
)
_HAPPENINGS: SearchStrategy[Change] = any_of(
    puts(_csi_nodes()),
    puts(_csi_nodes()),
    *[removes(*(Reference("VolumeAttachment", f"a{number}", STORAGE) for number in (1, 2)))] * 2,
    removes(Reference("CSINode", "n1", STORAGE)),
    pods_removed(),
    puts(st.just(_LATE)),
    puts(st.just(_LATE_ELSEWHERE)),
    puts(EPHEMERAL_CLAIMS),
    st.just(lambda cluster: cluster.change_node(0, node("", labels={"touched": "yes"}))),
)


_STATED: SearchStrategy[Json] = st.sampled_from(
    [{}, {f"attachable-volumes-csi-{DRIVER}": "1"}, {f"attachable-volumes-csi-{TRACKING}": "0"}]
)
"""The limits that a node states itself, which only v1.19 reads, and not where the CSINode has one."""


@st.composite
def _limited(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    cluster.add(
        storage_class("hand"), storage_class("made", DRIVER), storage_class("disk", "kubernetes.io/gce-pd")
    )
    missing = draw(st.sampled_from(["", "v1", "", "v2"]))
    cluster.add(*(each for each in _CLAIMS if each["metadata"]["name"] != missing), draw(_csi_nodes(_FEW)))
    cluster.add(*_once(draw(st.lists(_ATTACHMENTS, max_size=3))))
    cluster.add_node(node("", {**ROOM, **draw(_STATED)}))
    for volumes in draw(st.lists(st.one_of(_SETS, st.just([])), max_size=2)):
        cluster.add_pod(pod("", volumes=volumes), 0)
    config = draw(sometimes(st.just(_BY_ITSELF)))
    late: Sequence[list[Json]] = _MISSED if config else _ONES
    for volumes in draw(st.lists(st.one_of(_SETS, st.sampled_from(late)), min_size=2, max_size=3)):
        cluster.add_pod(pod("", volumes=volumes))
    cluster.schedule()
    for happening in draw(st.lists(_HAPPENINGS, min_size=2, max_size=5)):
        happening(cluster)
        cluster.wait()
        cluster.schedule()
    return cluster.history(config)


def _once(attachments: Sequence[Json]) -> Sequence[Json]:
    return list({each["metadata"]["name"]: each for each in attachments}.values())


def histories() -> SearchStrategy[History]:
    return _limited().map(with_uids)
