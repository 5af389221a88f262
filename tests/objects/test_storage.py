# SPDX-License-Identifier: Apache-2.0
"""Volumes, claims and classes: what is read of them, and what they say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import (
    CSINode,
    PersistentVolumeClaim,
    StorageClass,
)


@pytest.mark.parametrize(
    ("owners", "namespace", "made"),
    [
        ([], "ns", False),
        ([{"uid": "p", "controller": True}], "ns", True),
        ([{"uid": "p", "controller": True}], "other", False),
        ([{"uid": "p"}], "ns", False),
        ([{"uid": "x", "controller": True}, {"uid": "p", "controller": True}], "ns", False),
    ],
)
def test_a_claim_is_made_for_the_pod_that_controls_it(
    owners: list[dict[str, Any]], namespace: str, made: bool
) -> None:
    pod = read_as(Pod, {"metadata": {"name": "p", "namespace": namespace, "uid": "p"}})
    owned = read_as(PersistentVolumeClaim, {"metadata": {"namespace": "ns", "ownerReferences": owners}})

    assert owned.is_made_for(pod) is made


@pytest.mark.parametrize(
    ("topologies", "allowed"),
    [
        ([], True),
        ([{}], False),
        ([{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}], True),
        ([{"matchLabelExpressions": [{"key": "zone", "values": ["b"]}]}], False),
        ([{}, {"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}], True),
        (
            [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}, {"key": "x", "values": ["y"]}]}],
            False,
        ),
    ],
)
def test_a_class_allows_nodes_that_match_one_of_its_topologies(
    topologies: list[dict[str, Any]], allowed: bool
) -> None:
    assert read_as(StorageClass, {"allowedTopologies": topologies}).allows({"zone": "a"}) is allowed


def test_a_csi_node_says_which_plugins_were_migrated_and_what_it_can_attach() -> None:
    key = "storage.alpha.kubernetes.io/migrated-plugins"
    node = read_as(
        CSINode,
        {
            "metadata": {"annotations": {key: "kubernetes.io/gce-pd,kubernetes.io/cinder"}},
            "spec": {"drivers": [{"name": "a", "allocatable": {"count": 3}}, {"name": "b"}]},
        },
    )

    assert node.migrated_plugins == {"kubernetes.io/gce-pd", "kubernetes.io/cinder"}
    assert CSINode().migrated_plugins == frozenset()
    assert [driver.limit for driver in node.spec.drivers] == [3, None]
