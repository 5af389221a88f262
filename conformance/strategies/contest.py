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

from conformance.history import DEFAULT_CONFIG, History, Step, Update, deleting
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
    with_spec,
    with_status,
)
from conformance.strategies.scenes import Scene

Json = dict[str, Any]

LOWEST = -(2**31)
"""A victim of this priority adds nothing to a sum that counts from there."""
_HIGHEST = 2**31 - 1
_PRIORITY = 10
"""Of most of those who come."""

_A: Json = {"app": "a"}
_B: Json = {"app": "b"}
_BOTH: Json = {"app": "a", "tier": "x"}

# --- Who is in the way ----------------------------------------------------------------------------

_PRIORITIES = st.sampled_from([(0, 1, 2), (0,), (0, 1), (0, 5, -5), (5, LOWEST), (-1, -3), (-3,), (0, 9, 10)])
_AMOUNTS = st.sampled_from([("1",), ("1",), ("500m",), ("1", "500m"), ("500m", "1500m"), ("", "1")])
_LABELS = st.sampled_from([(_A, {}), (_A,), (_A, _B), (_BOTH, _B), (_A, _A, {})])
_STARTS = st.sampled_from([START_TIMES, START_TIMES[:1], START_TIMES[1:], (*START_TIMES[:2], "")])
"""One that has not started is told from those that have; and two of those from each other by nothing."""
_NAMESPACES = st.sampled_from([("",), ("",), ("", "other")])
_SCHEDULERS = st.sampled_from([("",), ("",), ("", "other")])

_RANGES = (_AMOUNTS, _PRIORITIES, _LABELS, _STARTS, _NAMESPACES, _SCHEDULERS)

_CONDITIONS: dict[str, Json] = {
    "preempted": {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"},
    "drained": {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"},
    "spared": {"type": "DisruptionTarget", "status": "False", "reason": "PreemptionByScheduler"},
    "doomed": {"type": "Ready", "status": "True", "reason": "PreemptionByScheduler"},
}
_OF_OLD: Json = {"type": "PodScheduled", "status": "True"}
"""What every pod that runs says before anything else."""
_LEAVING = st.sampled_from(
    [
        *[("", None, False)] * 2,
        *[("preempted", None, False)] * 3,
        *[("drained", None, False)] * 2,
        ("spared", None, False),
        ("doomed", None, False),
        ("kept", None, False),
        *[("preempted", _PRIORITY, False)] * 4,
        *[("preempted", None, True)] * 2,
    ]
)
"""What the first pod of the first node says of its end ("kept": it is told of one, and is not being deleted), its
priority where that is another one than those of the others, and whether the node is cordoned meanwhile."""


def _leaving(value: Json, why: str) -> Json:
    told = _CONDITIONS["preempted" if why == "kept" else why]
    left = value if why == "kept" else with_metadata(value, deletionTimestamp=AN_AGE_AGO)
    return {**left, "status": {**left["status"], "conditions": [_OF_OLD, told]}}


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


def _changed(budget: Json, how: str) -> Step:
    """It then allows one more disruption or none, or is gone."""
    if how == "ends":
        return deleting(budget)
    return Update(with_status(budget, disruptionsAllowed=1 if how == "grows" else 0))


# --- Who comes ------------------------------------------------------------------------------------

_COMING = combinations(
    lambda amount, priority: pod("", cpu(amount), priority=priority),
    ("2", "2", "2", "1500m", "1"),
    (_PRIORITY, _PRIORITY, _PRIORITY, 3, -2, _HIGHEST),
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


# --- Duels ----------------------------------------------------------------------------------------

_Victim = tuple[str, int, int]
"""Its label (``a`` is protected where anybody is, ``b`` is not, and nothing cannot be), its priority, and when it
started, the last being never."""
_Crowd = tuple[_Victim, ...]

_DUELS: tuple[tuple[_Crowd, ...], ...] = (
    ((("a", 0, 1), ("a", 0, 1)), (("a", 1, 0),)),
    ((("a", 0, 1), ("a", 0, 1), ("a", 0, 1)), (("a", 1, 0), ("a", 2, 0))),
    ((("a", 0, 1), ("b", 5, 1)), (("a", 3, 0),)),
    ((("b", 5, 1), ("a", 0, 1)), (("b", 3, 0), ("a", 1, 0))),
    ((("b", 9, 0), ("a", 0, 1), ("b", 1, 0)), (("a", 5, 0), ("b", 4, 0))),
    ((("a", -1, 1),), (("b", 9, 0),)),
    ((("a", 0, 1),), (("b", 1, 0), ("b", 1, 0), ("b", 1, 0))),
    ((("", 0, 0),), (("b", 1, 1),)),
    ((("", 0, 1), ("b", 0, 0)), (("b", 1, 1),)),
    ((("b", 1, 1),), (("b", 0, 0), ("b", 0, 0))),
    ((("b", 1, 1), ("b", 0, 1)), (("b", 1, 0), ("b", -1, 0))),
    ((("b", 5, 1), ("b", -5, 1)), (("b", 5, 0),)),
    ((("b", 5, 1), ("b", LOWEST, 1)), (("b", 5, 0),)),
    ((("b", 5, 1), ("b", LOWEST, 1), ("b", LOWEST, 0)), (("b", LOWEST, 0), ("b", 5, 0))),
    ((("b", 5, 1), ("b", LOWEST, 1), ("b", LOWEST, 0)), (("b", 0, 0), ("b", 5, 0))),
    ((("b", 0, 0),), (("b", 0, 1),)),
    ((("b", 0, 1), ("b", -1, 2)), (("b", 0, 2), ("b", -1, 0))),
    ((("b", 3, 1), ("b", 2, 2)), (("b", 2, 0), ("b", 3, 2))),
    ((("b", 0, 2), ("b", 0, 0)), (("b", 0, 1), ("b", 0, 1))),
    ((("a", 0, 1), ("b", 0, 2)), (("a", 0, 0), ("b", 0, 2))),
    *[((("a", 0, 1), ("b", 5, 1)), (("a", 3, 1), ("b", 1, 1)))] * 2,
)
"""Pairs of crowds whose prices differ in one thing, or in two that speak for different ones.
Each is decided on two nodes of its own."""

_CHOICES: tuple[tuple[_Crowd, ...], ...] = (
    ((("b", 0, 1), ("b", 0, 0), ("b", 0, 2)),),
    ((("b", 0, 3), ("b", 0, 2)),),
    ((("b", 0, 1), ("b", 0, 3), ("b", 1, 3)),),
    ((("b", 0, 0), ("b", 1, 2), ("b", -1, 0)),),
    ((("b", 5, 0), ("a", 0, 2)),),
    ((("a", 0, 1), ("a", 0, 0), ("b", 1, 2)),),
    ((("", 0, 1), ("b", 0, 0), ("a", -1, 2)),),
    ((("a", 2, 1), ("b", 3, 0), ("a", 1, 2), ("b", 0, 2)),),
)
"""Crowds on one node of which some may stay."""

_SPARED: SearchStrategy[_Victim | None] = st.sampled_from(
    [None, None, None, ("a", 9, 0), ("a", -9, 0), ("b", 9, 0)]
)
"""One that asks for nothing, and may stay unless pods are counted; what a budget allows it takes all the same."""

_PROTECTION = st.sampled_from(
    [
        "strict",
        *["strict first"] * 3,
        *["strict last"] * 3,
        *["elsewhere"] * 2,
        "once",
        *["paid"] * 3,
        *["nobody"] * 2,
        "",
    ]
)
_OF_WHO_IS_BARE = st.sampled_from(["bare", "bare", "bare", ""])
"""Who is protected in a match, and who is not though it looks so: it has no label, the budget is one of another
namespace or selects nobody, or the disruption has been paid for."""


def _protecting(kind: str, match: str, listed: tuple[str, ...]) -> list[Json]:
    """The budgets of one match. ``listed`` are its pods; of these every other one has been paid for."""
    of_a: Json = {"matchLabels": {**_A, "match": match}}
    strict = _budget(of_a, 0, "", ())
    everybody = _budget({"matchLabels": {"match": match}}, 20, "", ())
    no_b = [
        {"key": "app", "operator": "NotIn", "values": ["b"]},
        {"key": "match", "operator": "NotIn", "values": [other for other in "01234" if other != match]},
    ]
    budgets = {
        "strict": [strict],
        "once": [_budget(of_a, 1, "", ())],
        "bare": [_budget({"matchExpressions": no_b}, 0, "", ())],
        "elsewhere": [_budget(of_a, 0, "other", ())],
        "paid": [_budget(of_a, 0, "", listed[::2])],
        "nobody": [_budget({}, 0, "", ())],
        "strict first": [strict, everybody],
        "strict last": [everybody, strict],
        "": [],
    }[kind]
    return [with_metadata(budget, name=f"b{match}{number}") for number, budget in enumerate(budgets)]


def _duels() -> SearchStrategy[History]:
    matches = st.lists(st.sampled_from([*_DUELS, *_CHOICES]), min_size=4, max_size=5)

    @st.composite
    def several(draw: DrawFn) -> History:
        scene = Scene()
        for number, crowds in enumerate(draw(matches)):
            match, before = str(number), len(scene.pods)
            pods = draw(st.sampled_from(["9", "9", "1"]))
            is_duel = len(crowds) > 1
            for crowd in crowds if draw(st.booleans()) else crowds[::-1]:
                cores = "2" if is_duel else f"{500 * len(crowd)}m"
                scene.add_node(node("", {"cpu": cores, "memory": "8Gi", "pods": pods}, {"match": match}))
                spared = draw(_SPARED)
                for victim in (*crowd, spared) if spared is not None else crowd:
                    amount = "" if victim is spared else "500m"
                    scene.add_pod(_of_a_crowd(amount, match, *victim), len(scene.nodes) - 1)
            is_bare = any(not app for crowd in crowds for app, *_ in crowd)
            protection = draw(_OF_WHO_IS_BARE if is_bare else _PROTECTION)
            scene.add(*_protecting(protection, match, tuple(scene.pods)[before:]))
            amount = draw(st.sampled_from(["2", "2", "2", "1500m"] if is_duel else ["500m", "1"]))
            scene.add_pod(pod("", cpu(amount), priority=_PRIORITY, nodeSelector={"match": match}))
        scene.schedule()
        return scene.history()

    return several()


def _of_a_crowd(amount: str, match: str, app: str, priority: int, start: int) -> Json:
    labels = {"app": app, "match": match} if app else {}
    return _victim(amount, priority, labels, (*START_TIMES, "")[start])


# --- Contests -------------------------------------------------------------------------------------


def histories() -> SearchStrategy[History]:
    return st.one_of(*[_duels(), _contests()] * 5, _changing())


def _change(allowed: int, how: str) -> History:
    """Victims of two prices, of which a budget protects the cheaper ones before it changes, or after that."""
    scene = Scene()
    budget = with_metadata(_budget(_OF_A, allowed, "", ()), name="b1")
    scene.add(budget)
    for app, priority in (("a", 0), ("b", 1)) * 2:
        scene.add_node(node("", {"cpu": "1", "memory": "8Gi", "pods": "9"}))
        scene.add_pod(_victim("1", priority, {"app": app}, START_TIMES[0]), len(scene.nodes) - 1)
    scene.add_pod(pod("", cpu("1"), priority=_PRIORITY))
    scene.schedule()
    scene.steps.append(_changed(budget, how))
    scene.add_pod(pod("", cpu("1"), priority=_PRIORITY))
    scene.schedule()
    return scene.history()


def _changing() -> SearchStrategy[History]:
    return st.sampled_from([(0, "grows"), (0, "ends"), (1, "shrinks")]).map(lambda kind: _change(*kind))


def _contests() -> SearchStrategy[History]:
    @st.composite
    def contest(draw: DrawFn) -> History:
        ranges = [draw(each) for each in _RANGES]
        victims = combinations(_victim, *ranges)
        scene = Scene()
        scene.add(*_numbered(draw(_BUDGETS)))
        crowds = draw(st.lists(st.lists(victims, min_size=1, max_size=4), min_size=2, max_size=3))
        why, priority, is_cordoned = draw(_LEAVING)
        for home in range(len(crowds)):
            amounts = {"cpu": "2", "memory": "8Gi", "pods": "9"}
            scene.add_node(node("", amounts, unschedulable=is_cordoned and home == 0))
        if why:
            first = _leaving(crowds[0][0], why)
            crowds[0][0] = first if priority is None else with_spec(first, priority=priority)
        for home, crowd in enumerate(crowds):
            for victim in crowd:
                scene.add_pod(victim, home)
        for number, value in enumerate(draw(st.lists(_COMING, min_size=1, max_size=3))):
            if why and number == 0:
                value = with_status(value, nominatedNodeName="n1")
                value = with_spec(value, priority=_PRIORITY)
            scene.add_pod(value)
        scene.schedule()
        scene.wait()
        scene.schedule()
        return scene.history(draw(_CONFIGS))

    return contest()


def _victim(
    amount: str, priority: int, labels: Json, start: str, namespace: str = "", scheduler: str = ""
) -> Json:
    return pod(
        "",
        cpu(amount),
        labels=labels,
        priority=priority,
        namespace=namespace,
        schedulerName=scheduler,
        status={"phase": "Running", **({"startTime": start} if start else {})},
    )
