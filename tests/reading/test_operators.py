# SPDX-License-Identifier: Apache-2.0
"""Operators: a selector that cannot be is refused with its place, wherever it stands."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.errors import InputError
from refsched.reading.objects import read_object
from refsched.reading.operators import check_operators

BAD = {"key": "k", "operator": "Is"}
TERMS = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Gt", "values": ["1"]}, BAD]}]}
SELECTOR = {"matchExpressions": [BAD]}
SPREAD = {
    "maxSkew": 1,
    "topologyKey": "z",
    "whenUnsatisfiable": "ScheduleAnyway",
    "labelSelector": SELECTOR,
}


def _object(kind: str, api_version: str = "v1", **more: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, **more}


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (
            _object(
                "Pod",
                spec={
                    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": TERMS}}
                },
            ),
            "Pod a: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
            ".nodeSelectorTerms[0].matchExpressions[1].operator",
        ),
        (
            _object(
                "Pod",
                spec={"topologySpreadConstraints": [SPREAD]},
            ),
            "Pod a: spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator",
        ),
        (
            _object("PersistentVolume", spec={"nodeAffinity": {"required": TERMS}}),
            "PersistentVolume a: spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].operator",
        ),
        (
            _object("PodDisruptionBudget", "policy/v1", spec={"selector": SELECTOR}),
            "PodDisruptionBudget a: spec.selector.matchExpressions[0].operator",
        ),
        (
            _object("CSIStorageCapacity", "storage.k8s.io/v1", nodeTopology=SELECTOR),
            "CSIStorageCapacity a: nodeTopology.matchExpressions[0].operator",
        ),
    ],
)
def test_an_operator_that_there_is_not_is_refused_with_its_place(value: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError) as refused:
        check_operators(read_object(value))
    assert str(refused.value).startswith(f"{place}: expected one of In, NotIn, Exists, DoesNotExist")


def test_labels_are_not_compared_as_numbers_and_nodes_are() -> None:
    selector = {"matchExpressions": [{"key": "k", "operator": "Gt", "values": ["1"]}]}
    with pytest.raises(InputError, match=r"found 'Gt'$"):
        check_operators(read_object(_object("PersistentVolumeClaim", spec={"selector": selector})))
    terms = {"nodeSelectorTerms": [selector]}
    check_operators(read_object(_object("PersistentVolume", spec={"nodeAffinity": {"required": terms}})))


@pytest.mark.parametrize(
    ("operator", "values", "problem"),
    [
        ("In", [], "In takes at least one value"),
        ("NotIn", [], "NotIn takes at least one value"),
        ("Exists", ["a"], "Exists takes no values"),
        ("DoesNotExist", ["a"], "DoesNotExist takes no values"),
        ("Gt", ["1", "2"], "Gt takes exactly one value"),
        ("Lt", [], "Lt takes exactly one value"),
    ],
)
def test_values_that_do_not_go_with_the_operator_are_refused(
    operator: str, values: list[str], problem: str
) -> None:
    requirement = {"key": "k", "operator": operator, "values": values}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
    volume = read_object(_object("PersistentVolume", spec={"nodeAffinity": {"required": terms}}))
    with pytest.raises(InputError) as refused:
        check_operators(volume)
    place = "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values"
    assert str(refused.value) == f"PersistentVolume a: {place}: {problem}"


def test_objects_without_selectors_pass() -> None:
    check_operators(read_object(_object("Node")))
    check_operators(read_object(_object("Pod")))
