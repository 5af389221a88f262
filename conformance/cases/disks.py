# SPDX-License-Identifier: Apache-2.0
"""Cases of disks that pods name themselves: which two pods may use one on the same node."""

from __future__ import annotations

from itertools import product
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node, pod
from conformance.vocabulary.storage import inline
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _disk(kind: str, name: str) -> Json:
    by_kind: dict[str, Json] = {
        "gcePersistentDisk": {"pdName": name},
        "awsElasticBlockStore": {"volumeID": name},
        "iscsi": {"targetPortal": "10.0.0.1", "iqn": f"iqn.2026-01.test:{name}", "lun": 0},
        "rbd": {"monitors": ["m"], "image": name},
    }
    return by_kind[kind]


def _read_and_written(kind: str) -> History:
    """Of each two ways to use a disk there are two pods, which share one, and no other pod uses it."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    for number, ways in enumerate(product((True, False), repeat=2)):
        for reads in ways:
            disk = {**_disk(kind, f"d{number}"), **({"readOnly": True} if reads else {})}
            cluster.add_pod(pod("", volumes=inline(**{kind: disk})))
            cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = tuple(
    Case(
        f"{name}_that_two_pods_read_or_write",
        f"A node has one {says} for two pods only if both read it; one of AWS not even then.",
        _read_and_written(kind),
        ("R-VOLRESTR-05",),
    )
    for kind, name, says in (
        ("gcePersistentDisk", "disk_of_gce", "disk of GCE"),
        ("awsElasticBlockStore", "disk_of_aws", "disk of AWS"),
        ("iscsi", "iscsi_target", "iSCSI target"),
        ("rbd", "rbd_image", "RBD image"),
    )
)
