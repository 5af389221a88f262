# SPDX-License-Identifier: Apache-2.0
"""Disks: network disks that pods name themselves, and of which some exclude each other on a node."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import with_few_changes
from conformance.strategies.drawn import any_of, combinations
from conformance.vocabulary.objects import node, pod
from refsched.suite.histories.history import History

Json = dict[str, Any]


def _volume(name: str, kind: str, source: Json, reads: bool) -> Json:
    read_only = {"readOnly": True} if reads and kind != "emptyDir" else {}
    return {"name": name, kind: {**source, **read_only}}


def _rbd(image: str, pool: str = "rbd", *monitors: str) -> Json:
    return {"image": image, "pool": pool, "monitors": list(monitors) or ["m1"]}


def _target(iqn: str, lun: int = 0) -> Json:
    return {"iqn": f"iqn.2026-01.test:{iqn}", "lun": lun, "targetPortal": "10.0.0.1"}


_SOURCES: tuple[tuple[str, Json], ...] = (
    ("gcePersistentDisk", {"pdName": "a"}),
    ("gcePersistentDisk", {"pdName": "b"}),
    ("awsElasticBlockStore", {"volumeID": "a"}),
    ("awsElasticBlockStore", {"volumeID": "b"}),
    ("rbd", _rbd("a")),
    ("rbd", _rbd("a", "rbd", "m2", "m1")),
    ("rbd", _rbd("a", "rbd", "m2")),
    ("rbd", _rbd("a", "other")),
    ("rbd", _rbd("b")),
    ("iscsi", _target("a")),
    ("iscsi", _target("a", lun=1)),
    ("iscsi", _target("b")),
)
_NO_DISK: tuple[str, Json] = ("emptyDir", {})


def _pod(first: tuple[str, Json], reads: bool, second: tuple[str, Json] | None) -> Json:
    volumes = [_volume("v", *first, reads)]
    if second is not None:
        volumes.insert(0, _volume("w", *second, not reads))
    return pod("", volumes=volumes)


def _pods(*sources: tuple[str, Json]) -> SearchStrategy[Json]:
    return combinations(_pod, sources, (False, True), (None, None, _NO_DISK, *sources))


def histories() -> SearchStrategy[History]:
    """Draws disks of one kind at a time: those of different kinds have nothing to do with each other."""
    kinds = sorted({kind for kind, _ in _SOURCES})
    of_a_kind = st.sampled_from(kinds).flatmap(
        lambda kind: with_few_changes(
            st.just(node()),
            _pods(*(source for source in _SOURCES if source[0] == kind)),
            most_nodes=2,
            most_pods=5,
        )
    )
    return any_of(of_a_kind, of_a_kind, with_few_changes(st.just(node()), _pods(*_SOURCES), most_nodes=2))
