# SPDX-License-Identifier: Apache-2.0
"""Volumes in v1.19: their node affinity knows no names of nodes."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolume
from refsched.releases.v1_19.objects import as_read
from tests.applied import applied

RULE = "R-VOLBIND-55"
IN_A = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}


def by_name(operator: str) -> dict[str, Any]:
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": ["n1"]}]}


def reaches(*terms: dict[str, Any]) -> bool:
    affinity = {"required": {"nodeSelectorTerms": list(terms)}}
    volume = as_read(read_as(PersistentVolume, {"spec": {"nodeAffinity": affinity}}))
    assert isinstance(volume, PersistentVolume)
    return volume.reaches({"zone": "a"})


@pytest.mark.parametrize(("operator", "expected"), [("In", False), ("NotIn", True)])
def test_names_of_nodes_are_compared_with_an_empty_name(operator: str, expected: bool) -> None:
    assert reaches(by_name(operator)) is expected
    assert reaches({**by_name(operator), **IN_A}) is expected
    assert RULE in applied(lambda: reaches(by_name(operator)))


def test_a_term_without_names_matches_by_labels_and_an_empty_one_matches_no_node() -> None:
    assert reaches(by_name("In"), IN_A)
    assert not reaches({})
    assert RULE not in applied(lambda: reaches(IN_A))


def test_a_volume_without_node_affinity_reaches_every_node() -> None:
    volume = read_as(PersistentVolume, {})
    assert as_read(volume) is volume
    assert read_as(PersistentVolume, {"spec": {"nodeAffinity": {}}}).reaches({})
