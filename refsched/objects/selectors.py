# SPDX-License-Identifier: Apache-2.0
"""Selectors: the labels, and the nodes, that are selected.

Promised: selectors are documented with LabelSelector and with NodeSelector of the API.
Used by: NodeAffinity, PodTopologySpread, VolumeBinding, DynamicResources.
Source: apimachinery/pkg/labels/selector.go, Requirement.Matches;
component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from attrs import frozen

from refsched.errors import InputError
from refsched.objects.meta import LabelSelector
from refsched.rules import applies

if TYPE_CHECKING:
    from refsched.objects.node import Node

_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_LONGEST_LABEL_VALUE = 63
"""In characters."""

_TOO_LONG = f"must be no more than {_LONGEST_LABEL_VALUE} bytes"
_NOT_SPELLED_SO = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start"
    " and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for"
    f" validation is '{_LABEL_VALUE.pattern}')"
)


@frozen
class Requirement:
    """A Requirement is one condition on one label. ``NotIn`` and ``DoesNotExist`` hold if the label is missing.

    Used by: NodeAffinity, PodTopologySpread, VolumeBinding, DynamicResources, InterPodAffinity."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """R-SELECTOR-01: In holds if the label has one of the values, NotIn if it has none of them or is missing,
        Exists if the label is there, even empty, and DoesNotExist if it is missing.
        """
        applies("R-SELECTOR-01")
        match self.operator:
            case "In":
                return self.key in labels and labels[self.key] in self.values
            case "NotIn":
                return self.key not in labels or labels[self.key] not in self.values
            case "Exists":
                return self.key in labels
            case "DoesNotExist":
                return self.key not in labels
            case "Gt" | "Lt":
                return self._compares(labels.get(self.key))
        raise InputError(f"{self.operator!r} is not a selector operator", "operator")

    @property
    def is_readable(self) -> bool:
        """Returns whether its values are such as labels may have, and that of Gt and Lt is one int64 integer. The
        API server checks neither of a preferred node."""
        return self.has_label_values and (self.operator not in ("Gt", "Lt") or self.has_integer)

    @property
    def has_label_values(self) -> bool:
        return all(map(is_label_value, self.values))

    @property
    def has_integer(self) -> bool:
        return len(self.values) == 1 and int64(self.values[0]) is not None

    def _compares(self, label: str | None) -> bool:
        """R-SELECTOR-02: Gt and Lt compare the label with one value, as int64 integers; what is not such an
        integer matches nothing.
        """
        applies("R-SELECTOR-02")
        left = int64(label) if label is not None else None
        right = int64(self.values[0]) if len(self.values) == 1 else None
        if left is None or right is None:
            return False
        return left > right if self.operator == "Gt" else left < right


def int64(text: str) -> int | None:
    """Returns the integer that the text spells, or None if it spells none of 64 bits."""
    number = int(text) if _INTEGER.match(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


@cache
def is_label_value(text: str) -> bool:
    """Returns whether a label may have this value. Source: apimachinery, IsValidLabelValue."""
    return not why_no_label_value(text)


def why_no_label_value(text: str) -> str:
    """Returns why no label can have this value, as Go says it, ``""`` if one can."""
    problems = []
    if len(text) > _LONGEST_LABEL_VALUE:
        problems.append(_TOO_LONG)
    if not _LABEL_VALUE.fullmatch(text):
        problems.append(_NOT_SPELLED_SO)
    return "; ".join(problems)


@frozen
class Selector:
    """A Selector has requirements that must all hold; ``None`` stands for the selector that matches nothing."""

    requirements: tuple[Requirement, ...] | None = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        if self.requirements is None:
            return False
        for requirement in self.requirements:  # noqa: SIM110  (a generator takes three times as long here)
            if not requirement.matches(labels):
                return False
        return True


NOTHING = Selector(None)
EVERYTHING = Selector(())
_LABEL_OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})


def compile_selector(selector: LabelSelector | None) -> Selector:
    """R-SELECTOR-05: A label selector that is left out selects nothing, and an empty one selects everything
    (metav1.LabelSelectorAsSelector).

    Used by: InterPodAffinity, PodTopologySpread.
    """
    if selector is None:
        applies("R-SELECTOR-05")
        return NOTHING
    equalities = (Requirement(key, "In", (value,)) for key, value in sorted(selector.match_labels.items()))
    expressions = (Requirement(e.key, e.operator, e.values) for e in selector.match_expressions)
    compiled = (*equalities, *expressions)
    for index, requirement in enumerate(selector.match_expressions):
        if requirement.operator not in _LABEL_OPERATORS:
            raise InputError(
                f"{requirement.operator!r} is not a label selector operator",
                f"matchExpressions[{index}].operator",
            )
    return Selector(compiled)


# --- Nodes ----------------------------------------------------------------------------------------


@frozen
class NodeSelectorRequirement(Requirement):
    """A NodeSelectorRequirement is a condition on a label, or on a field, of a node."""


@frozen
class NodeSelectorTerm:
    """A NodeSelectorTerm has conditions that must all hold; a term without any matches no node."""

    match_expressions: tuple[NodeSelectorRequirement, ...] = ()
    match_fields: tuple[NodeSelectorRequirement, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.match_expressions and not self.match_fields

    def matches(self, node: Node) -> bool:
        """R-SELECTOR-03: A node matches a node selector term if it matches all of its expressions and fields; a
        term without any matches no node, and neither does one with an expression that has a value which no label
        can have.
        """
        applies("R-SELECTOR-03")
        if self.is_empty:
            return False
        fields = {"metadata.name": node.name}
        return self.matches_labels(node.metadata.labels) and all(r.matches(fields) for r in self.match_fields)

    def matches_labels(self, labels: Mapping[str, str]) -> bool:
        """Returns whether these labels match all of its expressions."""
        return all(r.has_label_values for r in self.match_expressions) and all(
            r.matches(labels) for r in self.match_expressions
        )


@frozen
class NodeSelector:
    """A NodeSelector has terms of which one must match."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()

    def matches(self, node: Node) -> bool:
        """R-SELECTOR-04: A node matches a node selector if it matches one of its terms."""
        applies("R-SELECTOR-04", when=len(self.node_selector_terms) != 1)
        return any(term.matches(node) for term in self.node_selector_terms)


@frozen
class PreferredSchedulingTerm:
    weight: int
    preference: NodeSelectorTerm = NodeSelectorTerm()
