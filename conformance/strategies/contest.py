# SPDX-License-Identifier: Apache-2.0
"""Contests: full nodes that a pod could have at a price, which differs in one thing and is the same in others.

The prices are those of a ranking: protected victims, the priority of the highest, the sum of their priorities,
their number, how long they run. So that the later ones decide as often as the first, all victims of a history come
from one small range; and each pod that made room for itself leaves one node less to the next.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.history import DEFAULT_CONFIG, History
from conformance.strategies.objects import (
    AN_AGE_AGO,
    START_TIMES,
    combinations,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from conformance.strategies.scenes import Scene

Json = dict[str, Any]

LOWEST = -(2**31)
"""A victim of this priority adds nothing to a sum that counts from there."""
_HIGHEST = 2**31 - 1

_A: Json = {"app": "a"}
_B: Json = {"app": "b"}
_BOTH: Json = {"app": "a", "tier": "x"}

# --- Who is in the way ----------------------------------------------------------------------------

_PRIORITIES = st.sampled_from([(0, 1, 2), (0,), (0, 1), (0, 5, -5), (5, LOWEST), (-1, -3), (0, 9, 10)])
_AMOUNTS = st.sampled_from([("1",), ("1",), ("500m",), ("1", "500m"), ("500m", "1500m"), ("", "1")])
_LABELS = st.sampled_from([(_A, {}), (_A,), (_A, _B), (_BOTH, _B), (_A, _A, {})])
_STARTS = st.sampled_from([START_TIMES, START_TIMES[:1], START_TIMES[1:]])
_NAMESPACES = st.sampled_from([("",), ("",), ("", "other")])

_CONDITIONS: dict[str, Json] = {
    "preempted": {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"},
    "drained": {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"},
    "spared": {"type": "DisruptionTarget", "status": "False", "reason": "PreemptionByScheduler"},
    "doomed": {"type": "Ready", "status": "True", "reason": "PreemptionByScheduler"},
}
_LEAVING = st.sampled_from(["", "", "", "preempted", "drained", "preempted", "spared", "doomed", "kept"])
"""What the first pod of the first node says of its end; "kept" is told of it, and is not being deleted."""


def _leaving(value: Json, why: str) -> Json:
    if not why:
        return value
    told = _CONDITIONS["preempted" if why == "kept" else why]
    left = value if why == "kept" else with_metadata(value, deletionTimestamp=AN_AGE_AGO)
    return {**left, "status": {**left["status"], "conditions": [told]}}


# --- Who is protected -----------------------------------------------------------------------------


def _budget(selector: Json | None, allowed: int, namespace: str, disrupted: tuple[str, ...]) -> Json:
    told = {"disruptedPods": dict.fromkeys(disrupted, AN_AGE_AGO)} if disrupted else {}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", **({"namespace": namespace} if namespace else {})},
        "spec": {} if selector is None else {"selector": selector},
        "status": {"disruptionsAllowed": allowed, **told},
    }


_OF_A: Json = {"matchLabels": _A}
_STRICT = combinations(
    lambda allowed, disrupted: _budget(_OF_A, allowed, "", disrupted),
    (0, 0, 1, 2),
    ((), (), ("p1",), ("p1", "p2"), ("p2", "p3")),
)
_STRANGE = combinations(lambda allowed: _budget(_OF_A, allowed, "other", ()), (0, 0, 1))
_ANY = combinations(
    _budget,
    (
        _OF_A,
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
_BUDGETS = st.one_of(
    st.just([]),
    *[_STRICT.map(lambda budget: [budget])] * 3,
    _STRANGE.map(lambda budget: [budget]),
    st.lists(_ANY, min_size=1, max_size=2),
)


def _numbered(budgets: list[Json]) -> list[Json]:
    return [with_metadata(budget, name=f"b{number}") for number, budget in enumerate(budgets, 1)]


# --- Who comes ------------------------------------------------------------------------------------

_COMING = combinations(
    lambda amount, priority: pod("", cpu(amount), priority=priority),
    ("2", "2", "2", "1500m", "1"),
    (10, 10, 10, 3, _HIGHEST),
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
            for percentage, absolute in ((0, 2), (67, 1), (34, 1))
        ),
    ]
)


# --- Duels ----------------------------------------------------------------------------------------

_Victim = tuple[str, int, int]
"""Whether a budget protects it ("a") or not ("b"), its priority, and when it started."""

_DUELS: tuple[tuple[tuple[_Victim, ...], tuple[_Victim, ...]], ...] = (
    ((("a", 0, 0), ("a", 0, 0)), (("a", 1, 0),)),
    ((("a", 0, 0), ("a", 0, 0), ("a", 0, 0)), (("a", 1, 0), ("a", 2, 0))),
    ((("a", 0, 0), ("b", 5, 0)), (("a", 3, 0),)),
    ((("b", 5, 0), ("a", 0, 0)), (("b", 3, 0), ("a", 1, 0))),
    ((("b", 9, 0), ("a", 0, 1), ("b", 1, 0)), (("a", 5, 0), ("b", 4, 0))),
    ((("a", -1, 0),), (("b", 9, 0),)),
    ((("a", 0, 0),), (("b", 1, 0), ("b", 1, 0), ("b", 1, 0))),
    ((("b", 1, 0),), (("b", 0, 0), ("b", 0, 0))),
    ((("b", 1, 0), ("b", -1, 0)), (("b", 1, 0), ("b", 0, 0))),
    ((("b", 5, 0), ("b", -5, 0)), (("b", 5, 0),)),
    ((("b", 5, 0), ("b", LOWEST, 0)), (("b", 5, 0),)),
    ((("b", 5, 0), ("b", LOWEST, 1), ("b", LOWEST, 0)), (("b", LOWEST, 0), ("b", 5, 0))),
    ((("b", 0, 0),), (("b", 0, 1),)),
    ((("b", 0, 0), ("b", -1, 2)), (("b", 0, 1), ("b", -1, 0))),
    ((("b", 0, 2), ("b", 0, 0)), (("b", 0, 1), ("b", 0, 1))),
    ((("b", 0, 1), ("b", 0, 2)), (("b", 0, 0), ("b", 0, 2))),
    ((("a", 0, 1), ("b", 0, 2)), (("a", 0, 0), ("b", 0, 2))),
)
"""Pairs of crowds whose prices differ in one thing, or in two that speak for different ones.
Each is decided on two nodes of its own."""

_SPARED: SearchStrategy[_Victim | None] = st.sampled_from(
    [None, None, None, ("a", 9, 0), ("a", -9, 0), ("b", 9, 0)]
)
"""One that asks for nothing, and may stay unless pods are counted; what a budget allows it takes all the same."""


def _duels() -> SearchStrategy[History]:
    strict = combinations(
        lambda allowed, namespace, disrupted: _budget(_OF_A, allowed, namespace, disrupted),
        (0, 0, 0, 0, 1),
        ("", "", "", "other"),
        ((), (), (), ("p1", "p4", "p9"), ("p2", "p5")),
    )

    @st.composite
    def several(draw: DrawFn) -> History:
        scene = Scene()
        scene.add(*_numbered(draw(st.sampled_from([1, 1, 1, 1, 1, 0])) * [draw(strict)]))
        for number, (one, other) in enumerate(
            draw(st.lists(st.sampled_from(_DUELS), min_size=3, max_size=4))
        ):
            where = {"duel": str(number)}
            pods = draw(st.sampled_from(["9", "9", "1"]))
            for crowd in (one, other) if draw(st.booleans()) else (other, one):
                scene.add_node(node("", {"cpu": "2", "memory": "8Gi", "pods": pods}, where))
                spared = draw(_SPARED)
                for victim in (*crowd, spared) if spared is not None else crowd:
                    amount = "" if victim is spared else "500m"
                    scene.add_pod(_of_a_crowd(amount, *victim), len(scene.nodes) - 1)
            amount = draw(st.sampled_from(["2", "2", "2", "1500m"]))
            scene.add_pod(pod("", cpu(amount), priority=10, nodeSelector=where))
        scene.schedule()
        return scene.history()

    return several()


def _of_a_crowd(amount: str, app: str, priority: int, start: int) -> Json:
    return _victim(amount, priority, {"app": app}, START_TIMES[start], "")


# --- Contests -------------------------------------------------------------------------------------


def histories() -> SearchStrategy[History]:
    return st.one_of(_duels(), _contests(), _duels())


def _contests() -> SearchStrategy[History]:
    @st.composite
    def contest(draw: DrawFn) -> History:
        ranges = [draw(each) for each in (_AMOUNTS, _PRIORITIES, _LABELS, _STARTS, _NAMESPACES)]
        victims = combinations(_victim, *ranges)
        scene = Scene()
        scene.add(*_numbered(draw(_BUDGETS)))
        crowds = draw(st.lists(st.lists(victims, min_size=1, max_size=4), min_size=2, max_size=3))
        for _ in crowds:
            scene.add_node(node("", {"cpu": "2", "memory": "8Gi", "pods": "9"}))
        why = draw(_LEAVING)
        for home, crowd in enumerate(crowds):
            for place, victim in enumerate(crowd):
                scene.add_pod(_leaving(victim, why if home == place == 0 else ""), home)
        coming = draw(st.lists(_COMING, min_size=1, max_size=3))
        for number, value in enumerate(coming):
            first = why and number == 0
            scene.add_pod({**value, "status": {"nominatedNodeName": "n1"}} if first else value)
        scene.schedule()
        scene.wait()
        scene.schedule()
        return scene.history(draw(_CONFIGS))

    return contest()


def _victim(amount: str, priority: int, labels: Json, start: str, namespace: str) -> Json:
    return pod(
        "",
        cpu(amount),
        labels=labels,
        priority=priority,
        namespace=namespace,
        status={"phase": "Running", "startTime": start},
    )
