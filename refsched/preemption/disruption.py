# SPDX-License-Identifier: Apache-2.0
"""Disruption: which of the possible victims a PodDisruptionBudget protects.

Promised: PodDisruptionBudget is documented with the policy API.
Source: framework/preemption/util.go, FilterVictimsWithPDBViolation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, permutations, product

from attrs import frozen

from refsched.errors import InputError
from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.objects.selectors import NOTHING, Selector, compile_selector
from refsched.rules import applies

MAX_ORDERS = 720
"""At most this many orders of budgets are considered: all those of six budgets that may be violated."""


@frozen
class Budgets:
    """Budgets hold PodDisruptionBudgets by namespace, each with its selector compiled."""

    by_namespace: Mapping[str, Sequence[tuple[PodDisruptionBudget, Selector]]]

    @classmethod
    def of(cls, budgets: Iterable[PodDisruptionBudget]) -> Budgets:
        by_namespace: dict[str, list[tuple[PodDisruptionBudget, Selector]]] = {}
        for budget in budgets:
            by_namespace.setdefault(budget.namespace, []).append((budget, _selector(budget)))
        return cls(by_namespace)


@frozen
class ByProtection:
    """ByProtection splits possible victims, in the order given, into those whose eviction would violate a
    budget, and the others."""

    violating: tuple[PodInfo, ...]
    others: tuple[PodInfo, ...]


def by_protection(pods: Sequence[PodInfo], budgets: Budgets) -> Sequence[ByProtection]:
    """R-PREEMPT-21 (observed: the order of a map is an accident; shows in preemption): A possible victim that
    violates a PodDisruptionBudget takes no disruption from those that are looked at after it. In which order they
    are looked at is open.

    Returns the splits that are possible, each once. kube-scheduler takes one order for all nodes of an attempt;
    here each node has its own."""
    found = split(pods, budgets)
    scarce = {namespace: _scarce(known, pods) for namespace, known in budgets.by_namespace.items()}
    if not found.violating or all(len(known) < 2 for known in scarce.values()):
        return (found,)
    orders = islice(product(*map(permutations, scarce.values())), MAX_ORDERS)
    splits = [split(pods, Budgets(dict(zip(scarce, order, strict=True)))) for order in orders]
    return tuple(dict.fromkeys(splits))


def _scarce(
    budgets: Sequence[tuple[PodDisruptionBudget, Selector]], pods: Sequence[PodInfo]
) -> Sequence[tuple[PodDisruptionBudget, Selector]]:
    """Returns those of the budgets of a namespace that select more of the pods than they allow disruptions: no
    other one can be violated, whatever the order."""
    return [
        (budget, selector)
        for budget, selector in budgets
        if budget.status.disruptions_allowed
        < sum(
            info.pod.namespace == budget.namespace and _counts_against(budget, selector, info.pod)
            for info in pods
        )
    ]


def split(pods: Sequence[PodInfo], budgets: Budgets, *, stops: bool = True) -> ByProtection:
    """R-PREEMPT-07 (shows in preemption): Each possible victim takes one disruption from every PodDisruptionBudget
    that selects it, and violates a budget that has none left; a pod listed in ``disruptedPods`` takes none.

    ``stops`` says that a pod takes none after it has violated a budget (R-PREEMPT-21). Before 1.37 it takes one
    from every budget."""
    left: dict[tuple[str, str], int] = {}
    violating: list[PodInfo] = []
    others: list[PodInfo] = []
    for info in pods:
        violated = False
        for budget, selector in budgets.by_namespace.get(info.pod.namespace, ()):
            if not _counts_against(budget, selector, info.pod):
                continue
            if violated and stops:
                applies("R-PREEMPT-21")
                break
            applies("R-PREEMPT-07")
            name = budget.namespace, budget.name
            left[name] = left.get(name, budget.status.disruptions_allowed) - 1
            violated = violated or left[name] < 0
        (violating if violated else others).append(info)
    return ByProtection(tuple(violating), tuple(others))


def _counts_against(budget: PodDisruptionBudget, selector: Selector, pod: Pod) -> bool:
    return bool(pod.labels) and selector.matches(pod.labels) and pod.name not in budget.status.disrupted_pods


def _selector(budget: PodDisruptionBudget) -> Selector:
    """Returns the budget's selector. Unlike the disruption controller, the scheduler takes an empty selector
    to match no pod, and a missing or an invalid one too."""
    try:
        selector = compile_selector(budget.spec.selector)
    except InputError:
        return NOTHING
    return selector if selector.requirements else NOTHING
