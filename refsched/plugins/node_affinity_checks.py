# SPDX-License-Identifier: Apache-2.0
"""Checks of the node affinity that a configuration adds.

Source: component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go, NewNodeSelector,
NewPreferredSchedulingTerms; apimachinery/pkg/labels/selector.go, NewRequirement.
"""

from __future__ import annotations

from refsched.config.args import check_choice, check_qualified
from refsched.config.scalars import within
from refsched.errors import InputError
from refsched.objects.pod import NodeAffinity
from refsched.objects.selectors import NodeSelectorRequirement, NodeSelectorTerm, int64, is_label_value

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def check_node_affinity(affinity: NodeAffinity) -> None:
    """Raises InputError if a term is malformed. A preference of weight 0 is not checked."""
    required = affinity.required_during_scheduling_ignored_during_execution
    with within("requiredDuringSchedulingIgnoredDuringExecution"):
        for index, term in enumerate(required.node_selector_terms if required is not None else ()):
            with within(f"nodeSelectorTerms[{index}]"):
                _check_term(term)
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        with within(f"preferredDuringSchedulingIgnoredDuringExecution[{index}].preference"):
            if preferred.weight != 0:
                _check_term(preferred.preference)


def _check_term(term: NodeSelectorTerm) -> None:
    for index, expression in enumerate(term.match_expressions):
        with within(f"matchExpressions[{index}]"):
            _check_expression(expression)
    for index, requirement in enumerate(term.match_fields):
        with within(f"matchFields[{index}]"):
            check_choice(requirement.operator, ("In", "NotIn"), "operator")
            _check_count(requirement, exactly_one=True)


def _check_expression(expression: NodeSelectorRequirement) -> None:
    operator = expression.operator
    check_choice(operator, _OPERATORS, "operator")
    check_qualified(expression.key, "key")
    if operator in ("Exists", "DoesNotExist"):
        if expression.values:
            raise InputError(f"{operator} takes no values", "values")
        return
    _check_count(expression, exactly_one=operator in ("Gt", "Lt"))
    for index, value in enumerate(expression.values):
        if operator in ("Gt", "Lt") and int64(value) is None:
            raise InputError(f"{value!r} is not an integer", f"values[{index}]")
        if not is_label_value(value):
            raise InputError(f"{value!r} is not a label value", f"values[{index}]")


def _check_count(requirement: NodeSelectorRequirement, *, exactly_one: bool) -> None:
    if exactly_one and len(requirement.values) != 1:
        raise InputError(f"{requirement.operator} takes exactly one value here", "values")
    if not requirement.values:
        raise InputError(f"{requirement.operator} takes at least one value", "values")
