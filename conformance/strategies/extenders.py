# SPDX-License-Identifier: Apache-2.0
"""Extenders: up to three of them, which filter, score, drop victims and bind as an annotation of each pod says.

Their answers are part of the pod (refsched/suite/histories/extender_server.py), so that every scheduler gets the
same answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies import extender_victims
from conformance.strategies.changes import (
    nodes_changed,
    nodes_created,
    pods_created,
    pods_removed,
    pods_running,
    with_many_changes,
)
from conformance.strategies.drawn import any_of, combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    START_TIMES,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.extender_server import ANNOTATION, REFUSES, SCORE
from refsched.suite.histories.history import History

Json = dict[str, Any]

_NAMES = ("a", "b", "c")
_NODES_NAMED = ("n1", "n2", "n3")
_PLAIN, _FOR_GOOD = "Unschedulable", "UnschedulableAndUnresolvable"

# --- Configuration --------------------------------------------------------------------------------

_VERBS: tuple[Json, ...] = (
    {"filterVerb": "filter", "prioritizeVerb": "prioritize", "preemptVerb": "preempt"},
    {"prioritizeVerb": "prioritize", "preemptVerb": "preempt"},
    {"filterVerb": "filter"},
    {"prioritizeVerb": "prioritize"},
    {"filterVerb": "filter", "preemptVerb": "preempt"},
    {},
)


def _extender(verbs: Json, by_name: bool, ignorable: bool, weight: int, managed: Json | None) -> Json:
    return {
        "weight": weight,
        **verbs,
        **({"nodeCacheCapable": True} if by_name else {}),
        **({"ignorable": True} if ignorable else {}),
        **({"managedResources": [managed]} if managed is not None else {}),
    }


_EXTENDERS = combinations(
    _extender,
    _VERBS,
    (True, False),
    (False, True, False),
    (1, 3),
    (None, {}, {"ignoredByScheduler": True}),
)
_BINDERS = st.sampled_from([None, 1, 0, 2, None])


def _config(extenders: list[Json], binder: int | None, ignored: Sequence[str] = ()) -> Json:
    """Returns a configuration. One of the extenders may bind, and only one; each manages a resource of its own, if
    any. ``ignored`` are resources that the arguments of NodeResourcesFit ignore, unless an extender says so
    itself: v1.19 refuses both."""
    configured: list[Json] = []
    for number, (name, extender) in enumerate(zip(_NAMES, extenders, strict=False)):
        made = {"urlPrefix": f"{EXTENDERS}/{name}", **extender}
        if binder is not None and number == binder % len(extenders):
            made["bindVerb"] = "bind"
        if "managedResources" in made:
            made["managedResources"] = [
                {"name": f"x.y/{name}", **resource} for resource in made["managedResources"]
            ]
        configured.append(made)
    given_twice = any(
        each.get("ignoredByScheduler") for made in configured for each in made.get("managedResources", ())
    )
    args = {"ignoredResources": list(ignored)}
    fit = [default_profile(("NodeResourcesFit", args))] if ignored and not given_twice else []
    return profile_config(*fit, extenders=configured)


_IGNORED: SearchStrategy[tuple[str, ...]] = st.sampled_from(
    [(), (), ("x.y/b",), ("x.y/a", "x.y/b"), ("x.y/a",)]
)
_CONFIGS = st.builds(_config, st.lists(_EXTENDERS, min_size=1, max_size=3), _BINDERS, _IGNORED)

# --- Pods and their annotations -------------------------------------------------------------------


def _of_nodes(*answers: object) -> SearchStrategy[Json]:
    return st.dictionaries(st.sampled_from(_NODES_NAMED), st.sampled_from(answers), max_size=3)


_REFUSALS = _of_nodes(_PLAIN, _FOR_GOOD)
_NAMED = st.sampled_from([["n1", "n1"], ["n2", "n1", "n2"], ["n2"], ["n1", "n2", "n2"], []])
_FAILED: SearchStrategy[Json] = st.sampled_from([{}, {}, {"n1": "failed"}, {"n1": "failed", "n2": "failed"}])


def _odd(names: Sequence[str], failed: Json, for_good: Json, problem: str) -> Json:
    of_nodes = {"NodeNames": names, "FailedNodes": failed, "FailedAndUnresolvableNodes": for_good}
    return {"answer": {**of_nodes, "Error": problem}}


_ODD = st.builds(_odd, _NAMED, _FAILED, _FAILED, st.sampled_from(["", "", "", "", "odd"]))
"""What an extender answers that was sent names: it may name a node twice, say nothing of one, both name one and
say that it failed, or name nodes beside an error."""
_SCORES = _of_nodes(10, 7, 1, 0)


def _hosts(*scored: tuple[str, int]) -> Json:
    return {"answer": [{"Host": host, "Score": score} for host, score in scored]}


_ODD_SCORES: tuple[Json, ...] = (
    _hosts(("n1", 3), ("n2", 4), ("n1", 5)),
    _hosts(("n2", 5), ("n2", 0)),
    _hosts(("n9", 10), ("n2", 1)),
    _hosts(),
)
"""It may score a node twice, one that is not there, or none."""
_FEWER_VICTIMS = _of_nodes("Refuse", 1, 0, 2)


def _rarely(scripted: SearchStrategy[Json], *failures: str) -> SearchStrategy[Json | str]:
    return st.one_of(scripted, st.sampled_from(failures))


_ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "filter": any_of(_REFUSALS, _REFUSALS, st.sampled_from(["Error", "Fail"]), _ODD),
        "prioritize": st.one_of(_SCORES, st.sampled_from(["Fail", *_ODD_SCORES])),
        "preempt": _rarely(_FEWER_VICTIMS, "Fail"),
    },
)


def _script(scripted: Json, bind: str) -> Json:
    """Returns what the extenders answer; whichever of them binds this pod, ``bind`` is how that fails."""
    return {name: {**scripted.get(name, {}), "bind": bind} for name in _NAMES} if bind else scripted


_SCRIPTS = st.builds(
    _script,
    st.dictionaries(st.sampled_from(_NAMES), _ANSWERS, max_size=3),
    st.sampled_from(["", "", "Error", "Fail"]),
)


def _pod(
    amount: str, priority: int, managed: str, script: Json, starting: bool = False, nominated: str = ""
) -> Json:
    """Returns a pod; ``managed`` names the extender whose resource a container of it, or one that is ``starting``,
    asks for."""
    asked = {f"x.y/{managed}": "1"} if managed else {}
    managing: Json = {"requests": asked, "limits": asked} if asked else {}
    own: Json = {"requests": {**cpu(amount), **({} if starting else asked)}}
    made = pod(
        "",
        containers=[{"name": "c", "image": "i", "resources": own if starting else {**managing, **own}}],
        priority=priority,
        initContainers=[{"name": "i", "image": "i", "resources": managing}] if starting else [],
        status={"nominatedNodeName": nominated} if nominated else None,
    )
    return (
        with_metadata(made, annotations={ANNOTATION: json.dumps(script, sort_keys=True)}) if script else made
    )


_PODS = st.builds(
    _pod,
    st.sampled_from(["1", "2", "500m"]),
    st.sampled_from([0, 10, 10]),
    st.sampled_from(["", "", "a", "b"]),
    _SCRIPTS,
    st.sampled_from([False, False, True]),
    st.sampled_from([*[""] * 6, "n1", "n2"]),
)
_RUNNING = combinations(
    lambda amount, priority, start: pod("", cpu(amount), priority=priority, status={"startTime": start}),
    ("2", "1", "500m"),
    (0, 5),
    START_TIMES,
)


def _node(cores: str, labels: Json, managed: str) -> Json:
    return node("", {"cpu": cores, "pods": "4", **({f"x.y/{managed}": "1"} if managed else {})}, labels)


_NODES = combinations(
    _node,
    ("2", "4"),
    ({}, {}, {SCORE: "9"}, {SCORE: "3"}, {SCORE: "1"}, {REFUSES: _PLAIN}, {REFUSES: _FOR_GOOD}),
    ("", "a", "b"),
)


# --- More than one extender scores ----------------------------------------------------------------

_WITHOUT_SCORES = default_profile(plugins={"score": {"disabled": [{"name": "*"}]}})
_FILTERS, _SCORES_ONLY, _PREEMPTS = ({f"{verb}Verb": verb} for verb in ("filter", "prioritize", "preempt"))
_APART: tuple[tuple[Json, ...], ...] = (
    *[(_FILTERS,)] * 2,
    (_PREEMPTS,),
    (_PREEMPTS, _SCORES_ONLY),
    (_PREEMPTS, _FILTERS),
    (_PREEMPTS,),
)
"""No plugin scores: some extenders prefer nodes, and one that supports only preemption does not score."""
_TOGETHER: tuple[tuple[Json, ...], ...] = (
    (_SCORES_ONLY,) * 2,
    (_SCORES_ONLY,) * 3,
    (_VERBS[0], _SCORES_ONLY),
)


def _team(
    verbs: tuple[Json, ...], first_manages: bool, ignorable: bool, by_name: bool, weight: int
) -> list[Json]:
    """Returns extenders, the first of which may not be asked about every pod. Whether they are ignorable does not
    matter for scores."""
    managed: list[Json | None] = [
        {"ignoredByScheduler": by_name} if first_manages and number == 0 else None
        for number in range(len(verbs))
    ]
    return [
        _extender(verb, by_name, ignorable, weight, manages)
        for verb, manages in zip(verbs, managed, strict=True)
    ]


_HIGHS: tuple[Json | str, ...] = (
    "Fail",
    {"n1": 10},
    {"n2": 4, "n1": 1},
    {"n3": 9, "n2": 9},
    {"n2": 10, "n3": 3},
    *_ODD_SCORES[:3],
)


def _scored(scripted: list[Json | str], refused: str, managed: str, bind: str, starting: bool) -> Json:
    """Returns a pod: each extender prefers some nodes or none for it; the first may reject one of the nodes, and
    the last the pod."""
    script: Json = {name: {"prioritize": scores} for name, scores in zip(_NAMES, scripted, strict=False)}
    if refused == "twice":
        script["a"]["filter"] = {"answer": {"NodeNames": ["n1", "n2", "n1"], "FailedNodes": {}, "Error": ""}}
    elif refused:
        script["a"]["filter"] = {refused: _PLAIN}
    return _pod("500m", 0, managed, _script(script, bind), starting)


_SCORED = st.builds(
    _scored,
    st.lists(st.sampled_from(_HIGHS), min_size=3, max_size=3),
    st.sampled_from(["", "n1", "twice", "", "n2"]),
    st.sampled_from(["", "a", "b", "a"]),
    st.sampled_from(["Error", "", "Fail"]),
    st.booleans(),
)


@st.composite
def _scoring(draw: DrawFn) -> History:
    """All nodes are alike, so that only extenders score them differently, often by a large difference. Then one
    pod is deleted from the node where it was bound, whichever extender bound it."""
    cluster = HistoryBuilder()
    for _ in range(draw(st.sampled_from([2, 3]))):
        cluster.add_node(node("", {"cpu": "4", "pods": "4", "x.y/a": "4", "x.y/b": "1"}))
    for value in draw(st.lists(_SCORED, min_size=2, max_size=3)):
        cluster.add_pod(value)
    cluster.schedule()
    cluster.remove_pod(draw(st.integers(0, 1)))
    alone = draw(st.booleans())
    verbs = st.sampled_from(_APART if alone else _TOGETHER)
    either = st.sampled_from([False, True, False])
    team = draw(st.builds(_team, verbs, st.booleans(), either, st.booleans(), st.sampled_from([1, 3])))
    config = _config(team, draw(st.sampled_from([len(team) - 1, None])), draw(_IGNORED))
    return cluster.history({**config, "profiles": [_WITHOUT_SCORES]} if alone else config)


# --- One extender after the other -----------------------------------------------------------------

_ALL_FILTER = st.builds(
    _extender,
    st.sampled_from([_FILTERS, _VERBS[0]]),
    st.booleans(),
    st.booleans(),
    st.just(1),
    st.none(),
)
_FILTERED: SearchStrategy[Json | str] = st.sampled_from(
    [
        dict.fromkeys(_NODES_NAMED, _PLAIN),
        "Fail",
        {"n1": _PLAIN},
        "Error",
        {"n1": _FOR_GOOD, "n2": _PLAIN},
        _odd(_NODES_NAMED, {}, {}, "odd"),
        {},
    ]
)


@st.composite
def _in_turn(draw: DrawFn) -> History:
    """Extenders filter one after the other, ignorable ones last: one may leave none to the next, which fails.
    Each pod is tried again, and may have lost a nomination."""
    cluster = HistoryBuilder()
    for _ in _NODES_NAMED:
        cluster.add_node(node("", {"cpu": "4", "pods": "4"}))
    for answers in draw(st.lists(st.tuples(*[_FILTERED] * 3), min_size=3, max_size=4)):
        script = {name: {"filter": said} for name, said in zip(_NAMES, answers, strict=True)}
        cluster.add_pod(_pod("1", 10, "", script, nominated=draw(st.sampled_from(["", "", "n1"]))))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history(_config(draw(st.lists(_ALL_FILTER, min_size=2, max_size=3)), None))


def histories() -> SearchStrategy[History]:
    anything = with_many_changes(
        pods_created(_PODS),
        pods_created(_PODS),
        pods_created(_PODS),
        pods_running(_RUNNING),
        pods_removed(),
        nodes_changed(_NODES),
        nodes_created(_NODES),
        nodes=st.lists(_NODES, min_size=2, max_size=3),
        pods=st.lists(st.tuples(_RUNNING, st.integers(0, 2)), max_size=4),
        config=_CONFIGS,
        most=12,
    )
    return st.one_of(anything, _scoring(), extender_victims.histories(), _scoring(), _in_turn())
