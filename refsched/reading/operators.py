# SPDX-License-Identifier: Apache-2.0
"""Operators: a selector that no API server would have stored is refused before anything is matched with it.

Source: apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateLabelSelectorRequirement;
pkg/apis/core/validation/validation.go, ValidateNodeSelectorRequirement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from refsched.errors import InputError
from refsched.objects.kinds import described_as
from refsched.objects.meta import ApiObject, LabelSelectorRequirement
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import json_name
from refsched.objects.selectors import NodeSelectorRequirement

_OF_LABELS = ("In", "NotIn", "Exists", "DoesNotExist")
OPERATORS = {LabelSelectorRequirement: _OF_LABELS, NodeSelectorRequirement: (*_OF_LABELS, "Gt", "Lt")}


def check_operators(shown: ApiObject) -> None:
    """Raises InputError if a requirement of the object has an unknown operator, or values that do not go with it.
    A node has no selector, and a pod only in two places; every other object is searched as a whole."""
    if isinstance(shown, Node):
        return
    for path, requirement in _of_pod(shown) if isinstance(shown, Pod) else _requirements(shown, ""):
        allowed = OPERATORS[type(requirement)]
        if requirement.operator not in allowed:
            problem = f"expected one of {', '.join(allowed)}, found {requirement.operator!r:.60}"
            raise InputError(problem, f"{path}.operator", described_as(shown))
        if problem := _wrong_values(requirement.operator, len(requirement.values)):
            raise InputError(problem, f"{path}.values", described_as(shown))


def _wrong_values(operator: str, number: int) -> str:
    """Returns why no requirement with this operator has this number of values, or "" if one may."""
    if operator in ("In", "NotIn") and number == 0:
        return f"{operator} takes at least one value"
    if operator in ("Exists", "DoesNotExist") and number > 0:
        return f"{operator} takes no values"
    if operator in ("Gt", "Lt") and number != 1:
        return f"{operator} takes exactly one value"
    return ""


def _of_pod(pod: Pod) -> Iterator[tuple[str, Any]]:
    yield from _requirements(pod.spec.affinity, "spec.affinity")
    yield from _requirements(pod.spec.topology_spread_constraints, "spec.topologySpreadConstraints")


def _requirements(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yields every requirement of a selector in the value, and its place."""
    if type(value) in OPERATORS:
        yield path, value
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _requirements(item, f"{path}[{index}]")
    elif attrs.has(type(value)):
        for name in (attribute.name for attribute in attrs.fields(type(value))):
            yield from _requirements(getattr(value, name), f"{path}.{json_name(name)}".lstrip("."))
