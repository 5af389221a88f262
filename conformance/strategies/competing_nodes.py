# SPDX-License-Identifier: Apache-2.0
"""Full nodes that compete in preemption: their victims differ in one of the criteria by which a node is picked,
and agree in others.

The criteria are protected victims, the highest priority, the sum of the priorities, the number of victims and
the start times. So that the later ones decide as often as the first, all victims of a history come from one
small range; and each pod that preempted leaves one node less to the next.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    START_TIMES,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.victims import LOWEST, PRIORITY, a_budget, a_victim
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Step, Update, deleting

Json = dict[str, Any]

_HIGHEST = 2**31 - 1

_A: Json = {"app": "a"}
_B: Json = {"app": "b"}
_BOTH: Json = {"app": "a", "tier": "x"}

# --- Victims --------------------------------------------------------------------------------------

_PRIORITIES = st.sampled_from([(0, 1, 2), (0,), (0, 1), (0, 5, -5), (5, LOWEST), (-1, -3), (-3,), (0, 9, 10)])
_AMOUNTS = st.sampled_from([("1",), ("1",), ("500m",), ("1", "500m"), ("500m", "1500m"), ("", "1")])
_LABELS = st.sampled_from([(_A, {}), (_A,), (_A, _B), (_BOTH, _B), (_A, _A, {})])
_STARTS = st.sampled_from([START_TIMES, START_TIMES[:1], START_TIMES[1:], (*START_TIMES[:2], "")])
"""A pod that has not started differs from those that have; two such pods do not differ from each other."""
_NAMESPACES = st.sampled_from([("",), ("",), ("", "other")])
_SCHEDULERS = st.sampled_from([("",), ("",), ("", "other")])

_RANGES = (_AMOUNTS, _PRIORITIES, _LABELS, _STARTS, _NAMESPACES, _SCHEDULERS)

_CONDITIONS: dict[str, Json] = {
    "preempted": {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"},
    "drained": {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"},
    "condition_false": {"type": "DisruptionTarget", "status": "False", "reason": "PreemptionByScheduler"},
    "doomed": {"type": "Ready", "status": "True", "reason": "PreemptionByScheduler"},
}
_OF_OLD: Json = {"type": "PodScheduled", "status": "True"}
"""What every pod that runs says before anything else."""
_LEAVING = st.sampled_from(
    [
        *[("", None, False)] * 2,
        *[("preempted", None, False)] * 3,
        *[("drained", None, False)] * 2,
        ("condition_false", None, False),
        ("doomed", None, False),
        ("kept", None, False),
        *[("preempted", PRIORITY, False)] * 4,
        *[("preempted", None, True)] * 2,
    ]
)
"""The disruption of the first pod on the first node ("kept": its status has the condition, and it is not being
deleted), its priority if it differs from the others, and whether the node is cordoned meanwhile."""


def _leaving(value: Json, why: str) -> Json:
    condition = _CONDITIONS["preempted" if why == "kept" else why]
    left = value if why == "kept" else with_metadata(value, deletionTimestamp=AN_AGE_AGO)
    return {**left, "status": {**left["status"], "conditions": [_OF_OLD, condition]}}


# --- Protected pods -------------------------------------------------------------------------------


OF_A: Json = {"matchLabels": _A}
_STRICT = combinations(
    lambda allowed, disrupted: a_budget(OF_A, allowed, "", disrupted),
    (0, 0, 1, 2),
    ((), (), ("p1",), ("p1", "p2"), ("p2", "p3")),
)
_STRANGE = combinations(lambda allowed: a_budget(OF_A, allowed, "other", ()), (0, 0, 1))
_ANY = combinations(
    a_budget,
    (
        OF_A,
        {"matchLabels": _B},
        {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]},
        {},
        None,
    ),
    (0, 1, 2),
    ("", "", "other"),
    ((), ("p1", "p3")),
)
_BUDGETS: SearchStrategy[list[Json]] = st.one_of(
    st.just([]),
    _STRICT.map(lambda budget: [budget]),
    _STRANGE.map(lambda budget: [budget]),
    st.lists(_ANY, min_size=1, max_size=2),
)


def _numbered(budgets: list[Json]) -> list[Json]:
    return [with_metadata(each, name=f"b{number}") for number, each in enumerate(budgets, 1)]


def _changed(budget: Json, how: str) -> Step:
    """Returns the change after which the budget allows one disruption more or none, or is deleted."""
    if how == "ends":
        return deleting(budget)
    return Update(with_status(budget, disruptionsAllowed=1 if how == "grows" else 0))


# --- Preemptors -----------------------------------------------------------------------------------

_COMING = combinations(
    lambda amount, priority: pod("", cpu(amount), priority=priority),
    ("2", "2", "2", "1500m", "1"),
    (PRIORITY, PRIORITY, PRIORITY, 3, -2, _HIGHEST),
)
_CONFIGS = st.sampled_from(
    [
        *[DEFAULT_CONFIG] * 9,
        *(
            profile_config(
                default_profile(
                    (
                        "DefaultPreemption",
                        {"minCandidateNodesPercentage": percentage, "minCandidateNodesAbsolute": absolute},
                    )
                )
            )
            for percentage, absolute in ((0, 2), (67, 1), (34, 1), (34, 0), (50, 0), (100, 1))
        ),
    ]
)


# --- Contests -------------------------------------------------------------------------------------


def histories() -> SearchStrategy[History]:
    return st.one_of(_contests(), _changing())


def _change(allowed: int, how: str) -> History:
    """Victims of two prices, of which a budget protects the cheaper ones before it changes, or after that."""
    cluster = HistoryBuilder()
    budget = with_metadata(a_budget(OF_A, allowed, "", ()), name="b1")
    cluster.add(budget)
    for app, priority in (("a", 0), ("b", 1)) * 2:
        cluster.add_node(node("", {"cpu": "1", "memory": "8Gi", "pods": "9"}))
        cluster.add_pod(a_victim("1", priority, {"app": app}, START_TIMES[0]), len(cluster.nodes) - 1)
    cluster.add_pod(pod("", cpu("1"), priority=PRIORITY))
    cluster.schedule()
    cluster.steps.append(_changed(budget, how))
    cluster.add_pod(pod("", cpu("1"), priority=PRIORITY))
    cluster.schedule()
    return cluster.history()


def _changing() -> SearchStrategy[History]:
    return st.sampled_from([(0, "grows"), (0, "ends"), (1, "shrinks")]).map(lambda kind: _change(*kind))


def _contests() -> SearchStrategy[History]:
    @st.composite
    def contest(draw: DrawFn) -> History:
        ranges = [draw(each) for each in _RANGES]
        victims = combinations(a_victim, *ranges)
        cluster = HistoryBuilder()
        cluster.add(*_numbered(draw(_BUDGETS)))
        crowds = draw(st.lists(st.lists(victims, min_size=1, max_size=4), min_size=2, max_size=3))
        why, priority, is_cordoned = draw(_LEAVING)
        for home in range(len(crowds)):
            amounts = {"cpu": "2", "memory": "8Gi", "pods": "9"}
            cluster.add_node(node("", amounts, unschedulable=is_cordoned and home == 0))
        if why:
            first = _leaving(crowds[0][0], why)
            crowds[0][0] = first if priority is None else with_spec(first, priority=priority)
        for home, crowd in enumerate(crowds):
            for victim in crowd:
                cluster.add_pod(victim, home)
        for number, value in enumerate(draw(st.lists(_COMING, min_size=1, max_size=3))):
            if why and number == 0:
                value = with_status(value, nominatedNodeName="n1")
                value = with_spec(value, priority=PRIORITY)
            cluster.add_pod(value)
        cluster.schedule()
        cluster.wait()
        cluster.schedule()
        return cluster.history(draw(_CONFIGS))

    return contest()
