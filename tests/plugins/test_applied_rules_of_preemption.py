# SPDX-License-Identifier: Apache-2.0
"""Which rules preemption applies, and where it applies none because there is nothing to decide."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from applied import Call, applied
from preemption_world import NOW, budget, node, pod, preempt

from refsched.framework.choices import FirstChoice
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.oddities.known_defects import AS_PROMISED
from refsched.preemption.candidate import Candidate
from refsched.preemption.disruption import Budgets, by_protection
from refsched.preemption.dry_run import number_of_candidates
from refsched.preemption.extenders import consult
from refsched.preemption.importance import by_importance
from refsched.preemption.pick import possible_picks

CONDITION = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
LEAVING = pod("low", leaving=True, status={"conditions": [CONDITION]})
NOMINATED = pod("p", 4, 9, status={"nominatedNodeName": "n"})
ALWAYS = {"R-PREEMPT-03", "R-PREEMPT-09"}
"""They are asked for each pod that may preempt."""
FOUND = {"R-PREEMPT-06", "R-PREEMPT-08", "R-PREEMPT-11"}
"""And these for each candidate."""


def of_preemption(call: Call) -> set[str]:
    return {rule for rule in applied(call) if rule.startswith("R-PREEMPT-")}


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (
            lambda: preempt(pod("p", 4, 9, policy="Never"), node("n", pod("low"))),
            {"R-PREEMPT-01", "R-PREEMPT-13"},
        ),
        (lambda: preempt(NOMINATED, node("n", LEAVING)), {"R-PREEMPT-02", "R-PREEMPT-13"}),
        (
            lambda: preempt(NOMINATED, node("n", LEAVING), statuses={"n": unresolvable("no")}),
            ALWAYS | {"R-PREEMPT-15"},
        ),
        (lambda: preempt(pod("p", 4, 9), node("n", pod("low"))), ALWAYS | FOUND),
        (
            lambda: preempt(pod("p", 4, 9), node("n", pod("high", priority=9))),
            ALWAYS | {"R-PREEMPT-04", "R-PREEMPT-15"},
        ),
        (
            lambda: preempt(pod("p", 5, 9), node("n", pod("low"))),
            ALWAYS | {"R-PREEMPT-05", "R-PREEMPT-15"},
        ),
        (
            lambda: preempt(
                pod("p", 4, 9), node("n", pod("low", labels={"app": "a"})), budgets=[budget("a")]
            ),
            ALWAYS | FOUND | {"R-PREEMPT-07"},
        ),
        (
            lambda: preempt(pod("p", 4, 9), node("n", pod("low"), pod("other")), oddities=AS_PROMISED),
            ALWAYS | FOUND,
        ),
        (
            lambda: preempt(pod("p", 4, 9), node("n", pod("low"), pod("other"))),
            ALWAYS | FOUND | {"R-PREEMPT-18"},
        ),
        (
            lambda: preempt(pod("p", 4, 9), node("n", pod("low")), nominated={"n": [pod("q", priority=1)]}),
            ALWAYS | FOUND | {"R-PREEMPT-16"},
        ),
        (
            lambda: preempt(pod("p", 3, 9), node("n", pod("low", 2)), nominated={"n": [pod("q", 1, 9)]}),
            ALWAYS | FOUND,
        ),
    ],
)
def test_from_eligibility_to_the_candidate(call: Call, rules: set[str]) -> None:
    assert of_preemption(call) == rules


class Fails:
    """A plugin whose Filter fails on these nodes."""

    name: ClassVar[str] = "Fails"

    def __init__(self, *nodes: str) -> None:
        self._nodes = nodes

    def filter(self, state: object, pod: PodInfo, on: NodeInfo) -> Status:
        return error("lost") if on.name in self._nodes else SUCCESS


@pytest.mark.parametrize(
    ("failing", "rules"),
    [
        ((), ALWAYS | FOUND),
        (("n",), ALWAYS | FOUND | {"R-PREEMPT-05", "R-PREEMPT-14"}),
        (("n", "m"), ALWAYS | {"R-PREEMPT-05", "R-PREEMPT-14"}),
    ],
)
def test_errors_on_single_nodes(failing: tuple[str, ...], rules: set[str]) -> None:
    nodes = [node("n", pod("low")), node("m", pod("low"))]
    assert of_preemption(lambda: preempt(pod("p", 4, 9), *nodes, others=[Fails(*failing)])) == rules


def candidate(name: str, priority: int = 0, violations: int = 0) -> Candidate:
    return Candidate(name, (pod(f"v-{name}", priority=priority, started=9),), violations)


@pytest.mark.parametrize(
    ("candidates", "wanted", "rules"),
    [
        ([candidate("a"), candidate("b", 5)], 2, {"R-PREEMPT-11"}),
        ([candidate("a"), candidate("b", 5)], 1, {"R-PREEMPT-10", "R-PREEMPT-11"}),
        ([candidate("a"), candidate("b", violations=1)], 1, {"R-PREEMPT-11"}),
    ],
)
def test_a_search_that_ends_early_may_miss_a_candidate(
    candidates: list[Candidate], wanted: int, rules: set[str]
) -> None:
    assert of_preemption(lambda: possible_picks(candidates, wanted, NOW)) == rules


class Asked:
    is_ignorable = True
    supports_preemption = True

    def __init__(self, *, interested: bool = True) -> None:
        self._interested = interested

    def is_interested(self, pod: PodInfo) -> bool:
        return self._interested

    def process_preemption(self, pod: PodInfo, candidates: Any, snapshot: Snapshot) -> Any:
        return candidates


def consulted(*extenders: Any) -> Call:
    return lambda: consult(extenders, pod("p"), [candidate("a")], Snapshot(), FirstChoice())


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (consulted(), set()),
        (consulted(Asked(interested=False)), set()),
        (consulted(Asked(interested=False), Asked()), {"R-PREEMPT-12"}),
        (lambda: number_of_candidates(10, 10, 1), {"R-PREEMPT-09"}),
        (lambda: by_importance([pod("a"), pod("b")], NOW, FirstChoice()), {"R-PREEMPT-06"}),
        (lambda: by_protection([pod("a", labels={"app": "a"})], Budgets.of([budget("a")])), {"R-PREEMPT-07"}),
        (lambda: by_protection([pod("a", labels={"app": "b"})], Budgets.of([budget("a")])), set()),
        (lambda: by_protection([pod("a")], Budgets.of([budget("a")])), set()),
    ],
)
def test_steps_by_themselves(call: Call, rules: set[str]) -> None:
    assert of_preemption(call) == rules
