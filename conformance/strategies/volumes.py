# SPDX-License-Identifier: Apache-2.0
"""Volumes to bind and to provision: what claims request, which volumes exist, and where they can be used."""

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
    with_many_changes,
)
from conformance.strategies.drawn import sometimes
from conformance.strategies.storage import (
    CAPACITIES,
    CLASSES,
    EPHEMERAL_CLAIMS,
    NEAR,
    NODES,
    NUMBERS,
    SOURCES,
    TAKEN,
    TRACKS_CAPACITY,
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
from conformance.vocabulary.objects import default_profile, pod, profile_config
from conformance.vocabulary.storage import (
    EPHEMERAL,
    HERE,
    IN_ZONE_A,
    STORAGE,
    TRACKING,
    inline,
    using,
)
from refsched.records import Reference
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_STATES = ("bound", "bound", "sent", "promised", "lost", "leaving")
_CLAIMS = drawn_claims(*[""] * 12, *_STATES)
_LATER = drawn_claims("", *["made"] * 4, *_STATES)
"""What becomes of a claim: often a provisioner has made its volume, or says so before it has."""
_VOLUMES = drawn_volumes(
    VOLUME_LABELS[:4],
    ([], [], [HERE], [IN_ZONE_A]),
    SOURCES[:3],
    ("", "", "", "", "its uid", "its name", "an earlier one"),
)
_CSI_NODES = csi_nodes(None)
_USED: tuple[list[Json], ...] = (
    using("c1"),
    using("c2"),
    using("c1", "c2"),
    using("c3"),
    using("c3", "c1", "c2"),
    using("c1", "c1"),
    [EPHEMERAL],
    [*using("c1"), *inline(csi={"driver": TRACKING})],
)

_STORAGE = st.builds(
    cluster_storage,
    st.lists(_CLAIMS, min_size=2, max_size=3),
    st.lists(_VOLUMES, min_size=2, max_size=4),
    some(NEAR, 1),
    some(TRACKS_CAPACITY, 1),
    some(CAPACITIES, 2),
    some(_CSI_NODES, 1),
    some(EPHEMERAL_CLAIMS, 2),
    some(TAKEN, 1),
)
# With a timeout of 0 two things race on the wall clock: the first look, and the deadline.
CONFIGS = sometimes(
    st.sampled_from([1, 5]).map(
        lambda seconds: profile_config(default_profile(("VolumeBinding", {"bindTimeoutSeconds": seconds})))
    ),
    DEFAULT_CONFIG,
)


# --- Which of many volumes that would do -----------------------------------------------------------

PLAIN_CLAIM: Json = {"state": "", "class": "hand", "modes": ["ReadWriteOnce"], "disk": "", "mode": ""}
PLAIN_VOLUME: Json = {
    "class": "hand",
    "modes": ["ReadWriteOnce"],
    "source": SOURCES[0],
    "labels": {},
    "owner": "",
    "phase": "Available",
    "more": {},
}


_USERS: SearchStrategy[list[tuple[str, ...]]] = st.sampled_from(
    [[("c1", "c2")], [("c2", "c1")], [("c1",), ("c2",)]]
)


@st.composite
def _many_would_do(draw: DrawFn) -> History:
    """The smallest claim is served first, with the smallest volume that is large enough."""
    cluster = HistoryBuilder(hosts=True)
    asked = draw(st.permutations(["2Gi", "1Gi"]))
    offered = draw(st.lists(st.sampled_from(["3Gi", "4Gi", "2Gi"]), min_size=2, max_size=3, unique=True))
    cluster.add(
        *CLASSES[:1],
        *(claim(number, {**PLAIN_CLAIM, "size": size}) for number, size in enumerate(asked, 1)),
        *(
            volume(number, {**PLAIN_VOLUME, "size": size, "reach": draw(st.sampled_from([[], [HERE]]))})
            for number, size in enumerate(offered, 1)
        ),
    )
    for value in draw(st.lists(NODES, min_size=1, max_size=2)):
        cluster.add_node(value)
    for names in draw(_USERS):
        cluster.add_pod(pod("", volumes=using(*names)))
    cluster.schedule()
    return with_uids(cluster.history())


def histories() -> SearchStrategy[History]:
    return st.one_of(_anything(), _anything(), _anything(), _many_would_do())


def _anything() -> SearchStrategy[History]:
    waiting = waiting_pods(*_USED)
    return with_many_changes(
        pods_created(waiting),
        pods_created(waiting),
        pods_created(waiting),
        pods_removed(),
        nodes_created(NODES),
        nodes_changed(NODES),
        puts(st.builds(claim, NUMBERS, _LATER)),
        puts(st.builds(volume, NUMBERS, _VOLUMES)),
        puts(NEAR),
        puts(TRACKS_CAPACITY),
        puts(CAPACITIES),
        puts(_CSI_NODES),
        puts(EPHEMERAL_CLAIMS),
        puts(st.sampled_from(CLASSES)),
        removes(
            Reference("PersistentVolume", "v1"),
            Reference("PersistentVolumeClaim", "c1", namespace="default"),
            Reference("PersistentVolume", "v2"),
            Reference("StorageClass", "hand", STORAGE),
        ),
        nodes=st.lists(NODES, min_size=1, max_size=3),
        pods=placed(waiting, running_pods(*_USED), most=3),
        config=CONFIGS,
        others=_STORAGE,
        hosts=True,
        most=14,
    ).map(with_uids)
