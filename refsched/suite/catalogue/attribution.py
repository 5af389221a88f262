# SPDX-License-Identifier: Apache-2.0
"""Attribution: from where a record and the specification differ to the rule that was broken.

A verdict or a score belongs to the plugin that the specification, or else the record, names, and there to a rule
of the method that is called at that point. A pod in the wrong queue belongs to the last transition that moved it
in the specification, or to the row of a plugin's events that was asked whether to requeue it. Other members
belong to the step that sets them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

from refsched.checking.agreement import Disagreement
from refsched.records import BOUND, Attempt, Bind, Nodes, NodeStatus, PreFilter, Queues, Record, Update
from refsched.suite.catalogue.reach import Move, Reach
from refsched.suite.catalogue.reasons import rule_of_reason
from refsched.suite.catalogue.rules import all_rules, plugin_of, rules_of_hint
from refsched.suite.catalogue.suspicion import Circumstances, rarity, suspects

_RULES_OF_MEMBERS: Mapping[str, Sequence[str]] = {
    "evaluated": ("R-SEARCH-02",),
    "feasible": ("R-SEARCH-01",),
    "totals": ("R-SEARCH-04",),
    "node": ("R-SEARCH-04",),
    "volumes": ("R-VOLBIND-11",),
    "write": ("R-DRA-50", "R-DRA-08"),
    "claimAdmin": ("R-DRA-50",),
    "claimConfig": ("R-DRA-61", "R-DRA-60"),
    "claimNodes": ("R-DRA-62",),
    "claimUsers": ("R-DRA-11", "R-DRA-10", "R-DRA-06"),
    "claimFinalizers": ("R-DRA-11", "R-DRA-08"),
    "claimDevices": ("R-DRA-06", "R-DRA-11"),
    "waiting": ("R-PERMIT-01",),
    "victims": ("R-PREEMPT-11", "R-PREEMPT-08", "R-PREEMPT-04"),
    "calls": ("R-ROLLBACK-01", "R-PERMIT-01", "R-RESERVE-01"),
    "message": ("R-WORDS-01",),
    "unschedulablePlugins": ("R-HINT-03",),
    "queues": ("R-FAIL-01",),
    "bind": ("R-BIND-04",),
    "result": ("R-FAIL-01",),
}
"""The first of these rules that was applied is meant, and without any the first."""

_OF_A_NOMINATION: Mapping[str, Sequence[str]] = {
    "a node": ("R-PREEMPT-11", "R-PREEMPT-04", "R-POSTFILTER-02"),
    "cleared": ("R-PREEMPT-15", "R-POSTFILTER-02"),
    "left": ("R-PREEMPT-13", "R-POSTFILTER-01", "R-POSTFILTER-02"),
}
"""The same, by what an attempt should have done to the pod's nomination."""

_OF_A_CODE: Mapping[str, str] = {"NodeResourcesFit": "R-FIT-03"}
"""By plugin the rule that says whether evicting pods helps, where it is not the one that gives the reason."""

_OF_A_CALL: Mapping[str, Sequence[str]] = {
    "reserve": ("R-RESERVE-01",),
    "unreserve": ("R-ROLLBACK-02", "R-ROLLBACK-03", "R-ROLLBACK-01"),
    "permit": ("R-PERMIT-01",),
    "preBind": ("R-BIND-01",),
    "bind": ("R-BIND-02",),
    "postBind": ("R-BIND-03",),
}
"""The same, by the point of the first call that differs."""

REQUEUES = "R-CURE-"
_OF_BACKOFF = "R-QUEUE-47"
_POPPED = ("R-QUEUE-04", "R-QUEUE-65")
_POPPED_FROM_BACKOFF = "R-QUEUE-05"
_BACKED_OFF = ("R-QUEUE-28", "R-QUEUE-31", "R-QUEUE-33", "R-QUEUE-36")
_REQUEUED = ("R-QUEUE-15", "R-QUEUE-16", "R-QUEUE-17", "R-QUEUE-22", "R-QUEUE-23", "R-QUEUE-24")
_REFUSED = ("R-QUEUE-07", "R-QUEUE-14", "R-QUEUE-21")
"""Transitions by what they say of a pod that is elsewhere: another's turn had come, its backoff is of another
length, or an event requeues it or does not."""

TURN = "R-SORT-01"
AFTER_ATTEMPT = "R-QUEUE-07"
BACKOFF = "R-BACKOFF-01"
LAST_SECOND = "R-BACKOFF-05"
WHO_IS_ASKED = "R-HINT-03"
ASKED_FOR = "R-FIT-01"
CAME_AND_WENT = "R-EVENT-01"
CHANGED = "R-EVENT-02"
NOMINATED_FIRST = "R-SEARCH-03"
EVALUATED = "R-SEARCH-02"
PROMISED = "R-NOM-01"
DRY_RUN = "R-PREEMPT-05"
COUNTED = "R-ASSUME-01"
GIVEN_BACK = "R-ROLLBACK-02"
GIVEN_BACK_LATE = "R-ROLLBACK-03"
MESSAGE = "R-WORDS-01"
REASONS = "R-WORDS-02"
SELECTED = "R-SEARCH-04"


_EXACT = (REASONS, MESSAGE, NOMINATED_FIRST)
"""Rules of a place that nothing else can be behind."""


class Attribution:
    """Remembers of one history what is needed to find the rule behind a difference."""

    def __init__(self, reach: Reach, nominated: Callable[[str], bool] = lambda node: False) -> None:
        """``nominated`` says of a node, by its name, whether others than the pod that is tried are nominated to
        it."""
        self._reach = reach
        self._nominated = nominated
        self._failed_late: dict[str, bool] = {}
        self._queues: Queues | None = None
        self._agreed: dict[str, Move] = {}
        self._has_pod_changed = False
        self._nodes = Nodes()
        self._nodes_before = Nodes()

    def saw(self, record: Record) -> None:
        """A pod's way back from where it failed, early or late; where the record has the pods that wait; what
        nodes had before, and whether a pod was changed since."""
        match record:
            case Bind():
                self._failed_late[record.pod] = record.result != BOUND
            case Queues():
                self._queues = record
            case Nodes():
                self._nodes_before, self._nodes = self._nodes, record
            case Update():
                self._has_pod_changed = record.object["kind"] == "Pod"
            case Attempt():
                self._has_pod_changed = False

    def agreed(self, record: Record) -> None:
        """So far the pods are where they should be."""
        if isinstance(record, Queues):
            self._agreed = dict(self._reach.moves)

    def rule_of(self, found: Disagreement) -> str:
        """The id of the rule that a disagreement breaks."""
        first, *rest = found.member.split(".")
        match first:
            case "filter" | "preFilter":
                return self._verdict(found, "filter" if first == "filter" else "pre_filter")
            case "scores":
                return self._score(rest[-1] if len(rest) > 1 else "")
            case "pod" | "attempt":
                return self._turn(found)
            case "queues":
                return self._misplaced(found)
            case "nodes":
                return self._miscounted(found)
            case "nominatedNode":
                return self._spoke(_OF_A_NOMINATION[_nominates(found.expected)])
            case "calls":
                return self._called(found)
            case "message" if _differ_in_preemption(str(found.expected), str(found.got)):
                return DRY_RUN
            case _:
                return self._spoke(_RULES_OF_MEMBERS.get(first, _RULES_OF_MEMBERS["result"]))

    def suspects(self, found: Disagreement, symptom: str) -> tuple[str, ...]:
        """The rules that this disagreement points to, the first one first. ``symptom`` is what ``rule_of``
        answers."""
        first, *rest = found.member.split(".")
        is_of_words = symptom in _EXACT and not _is_preempted_once(str(found.expected), str(found.got))
        if is_of_words or _differ_in_code(found.expected, found.got):
            missing, _ = _rules_that_differ(found.expected, found.got)
            return tuple(dict.fromkeys((symptom, *filter(None, missing))))
        is_missing = first in ("filter", "scores", "totals") and None in (found.expected, found.got)
        plugins = [plugin for plugin in (_plugin(found.expected), _plugin(found.got)) if plugin]
        if first == "scores" and len(rest) > 1:
            plugins.append(rest[-1])
        if first == "preFilter" and not plugins:
            plugins = [name for rule in self._asked_before_filter() if (name := plugin_of(rule))]
        moved: list[str] | None = None
        if first == "queues":
            moves = [self._reach.moves[pod] for pod in self._elsewhere(found)]
            moved = [rule for move in moves for rule in (move.rule, move.before)]
            plugins = [move.asked.split("-")[2] for move in moves if move.asked.startswith(REQUEUES)]
        ranked = suspects(
            symptom,
            Circumstances(
                "evaluated" if is_missing and not plugins else found.member,
                plugins,
                self._reach.applied,
                self._reach.ever,
                is_nominated=symptom == PROMISED,
                moved=moved,
            ),
        )
        is_of_no_binding = found.member == "bind" and found.expected is None
        return tuple(dict.fromkeys((symptom, *ranked))) if is_of_no_binding else ranked

    def _elsewhere(self, found: Disagreement) -> list[str]:
        """The pods that have moved in the specification and are not where they are there."""
        return [pod for pod in _differing(found.expected, found.got) if pod in self._reach.moves]

    def _spoke(self, rules: Sequence[str]) -> str:
        return next((rule for rule in rules if rule in self._reach.applied), rules[0])

    def _called(self, found: Disagreement) -> str:
        """The first call that differs says which point is wrong."""
        expected, got = _names(found.expected), _names(found.got)
        for one, other in zip_longest(expected, got, fillvalue=""):
            if one != other:
                point = (one or other).partition(".")[2]
                return self._spoke(_OF_A_CALL.get(point, _RULES_OF_MEMBERS["calls"]))
        return self._spoke(_RULES_OF_MEMBERS["calls"])

    # --- Verdicts and scores ----------------------------------------------------------------------

    def _verdict(self, found: Disagreement, method: str) -> str:
        expected, got = found.expected, found.got
        missing, surplus = _rules_that_differ(expected, got)
        if _says(expected) == _says(got) and len(_reasons(expected)) == len(_reasons(got)):
            return missing[0] if missing and surplus and all(surplus) else REASONS
        if self._is_about_nominations(found):
            return PROMISED
        plugin = _plugin(expected) or _plugin(got)
        if plugin in _OF_A_CODE and _plugin(got) == plugin and _reasons(expected) == _reasons(got):
            return _OF_A_CODE[plugin]
        if expected is None and NOMINATED_FIRST in self._reach.applied:
            return NOMINATED_FIRST
        known = next(filter(None, (*missing, *surplus)), "")
        if method == "pre_filter" and not plugin:
            known = known or next(iter(self._asked_before_filter()), "")
        return known or self._of_plugin(plugin, (method, "pre_filter", "filter")) or EVALUATED

    def _asked_before_filter(self) -> list[str]:
        """The rules of PreFilter that were applied in this attempt, the rarest one first. Which plugin a
        difference in PreFilter is about, the record need not say."""
        here = {rule for methods in _rules_of_plugins().values() for rule in methods.get("pre_filter", ())}
        return sorted((rule for rule in self._reach.applied if rule in here), key=rarity, reverse=True)

    def _is_about_nominations(self, found: Disagreement) -> bool:
        """One of the two took the node and the other did not, and others are nominated there."""
        takes = [
            isinstance(said, NodeStatus) and said.code == "Success" for said in (found.expected, found.got)
        ]
        return takes[0] != takes[1] and self._nominated(found.member.partition(".")[2])

    def _score(self, plugin: str) -> str:
        """A function that scores for the plugin goes before its methods, which only call it."""
        functions = _rules_of_scoring(plugin)
        spoken = next((rule for rule in self._reach.applied if rule in functions), None)
        return spoken or self._of_plugin(plugin, ("score", "normalize_score", "pre_score")) or SELECTED

    def _of_plugin(self, plugin: str, methods: Sequence[str]) -> str | None:
        """The first rule of the plugin that spoke at this point; else the first that it has there."""
        rules = _rules_of_plugins().get(plugin, {})
        for method in methods:
            here = rules.get(method, ())
            spoken = [rule for rule in self._reach.applied if rule in here]
            if here:
                return spoken[0] if spoken else here[0]
        return next((rule for here in rules.values() for rule in here), None)

    # --- Queues and nodes -------------------------------------------------------------------------

    def _turn(self, found: Disagreement) -> str:
        """A pod that was tried before its turn belongs to what keeps it where it is. If all that could be tried
        wait in backoffQ, it is a rule of its own that one of them is, unless another one was and both are equal
        but for the order of pods."""
        applied, pod = self._reach.applied, str(found.got)
        if _OF_BACKOFF in applied and not (TURN in applied and pod in self._reach.moves):
            return _POPPED_FROM_BACKOFF
        move = None if isinstance(found.expected, list) else self._reach.moves.get(pod)
        return self._of_a_move(pod, move) if move is not None else TURN

    def _misplaced(self, found: Disagreement) -> str:
        for pod in self._elsewhere(found):
            rule = self._of_a_move(pod, self._reach.moves[pod])
            return self._of_a_hint(rule) if rule.startswith(REQUEUES) else rule
        return self._spoke(_RULES_OF_MEMBERS["queues"])

    def _of_a_hint(self, row: str) -> str:
        """The rule of the hint that was asked for a row of a plugin's events: one that was applied, or the first;
        the row itself where there is none."""
        here = rules_of_hint(row)
        return next((rule for rule in self._reach.applied if rule in here), (*here, row)[0])

    def _of_a_move(self, pod: str, move: Move) -> str:
        """Where the specification has not moved a pod since all were in their places, an event was taken to
        concern other pods than it does."""
        if move.rule == _POPPED_FROM_BACKOFF:
            return move.rule
        if move.rule in _POPPED:
            return TURN
        is_refused = self._queues is not None and pod in self._queues.unschedulable
        if move.rule in _BACKED_OFF:
            backoff = LAST_SECOND if LAST_SECOND in self._reach.applied else BACKOFF
            return backoff if not is_refused else move.before or move.rule
        if move.rule in _REQUEUED:
            return move.asked if move.said_queue else move.rule
        if move.rule in _REFUSED and not is_refused:
            if self._agreed.get(pod) == move:
                return WHO_IS_ASKED
            return move.asked or (move.rule if move.rule == AFTER_ATTEMPT else WHO_IS_ASKED)
        return move.rule

    def _miscounted(self, found: Disagreement) -> str:
        """Too many pods on a node: something was not given back. Too few: it was not assumed. The right ones, and
        not what they ask for: that is added up wrong, or was changed."""
        if found.expected is None or found.got is None:
            return CAME_AND_WENT
        if not found.member.endswith(".pods"):
            return CHANGED if self._has_pod_changed and self._counts_as_before(found) else ASKED_FOR
        for pod in _differing(found.got, found.expected):
            if pod in _names(found.got):
                return GIVEN_BACK_LATE if self._failed_late.get(pod) else GIVEN_BACK
        return COUNTED

    def _counts_as_before(self, found: Disagreement) -> bool:
        node, _, member = found.member.partition(".")[2].rpartition(".")
        before, now = (each.nodes.get(node) for each in (self._nodes_before, self._nodes))
        name = _MEMBERS_OF_USAGE.get(member, member)
        return before is not None and getattr(before, name) == getattr(now, name)


_MEMBERS_OF_USAGE = {"milliCPU": "milli_cpu", "ephemeralStorage": "ephemeral_storage"}


def _rules_that_differ(expected: object, got: object) -> tuple[list[str], list[str]]:
    """The rules of the reasons that only the one has, and of those that only the other has; empty for a reason
    that nobody declares."""
    one, other = Counter(_reasons(expected)), Counter(_reasons(got))
    missing = [reason for reason in _reasons(expected) if reason in one - other]
    surplus = [reason for reason in _reasons(got) if reason in other - one]
    return [rule_of_reason(reason) for reason in missing], [rule_of_reason(reason) for reason in surplus]


def _nominates(expected: object) -> str:
    return "left" if expected is None else "a node" if expected else "cleared"


def _differ_in_preemption(expected: str, got: str) -> bool:
    """Whether both messages report preemption and are the same before that."""
    one, other = expected.partition(" preemption: "), got.partition(" preemption: ")
    return bool(one[1] and other[1]) and one[0] == other[0]


def _is_preempted_once(expected: str, got: str) -> bool:
    """Whether only one of both messages reports preemption."""
    return (" preemption: " in expected) != (" preemption: " in got)


def _says(value: Any) -> Any:
    return (value.code, value.plugin) if isinstance(value, NodeStatus | PreFilter) else value


def _reasons(value: Any) -> Sequence[str]:
    return value.reasons if isinstance(value, NodeStatus | PreFilter) else ()


def _plugin(value: Any) -> str:
    return value.plugin if isinstance(value, NodeStatus | PreFilter) else ""


def _differ_in_code(expected: object, got: object) -> bool:
    """Whether both reject for the same reasons, and only one says that no eviction helps."""
    return bool(_reasons(expected)) and _reasons(expected) == _reasons(got) and _says(expected) != _says(got)


def _names(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list | tuple) else []


def _differing(one: object, other: object) -> list[str]:
    """Pods that are in one of the two lists only."""
    left, right = _names(one), _names(other)
    return [pod for pod in (*left, *right) if (pod in left) != (pod in right)]


@cache
def _rules_of_plugins() -> Mapping[str, Mapping[str, list[str]]]:
    """Plugin → method → rules, as they stand in the plugins' modules."""
    found: dict[str, dict[str, list[str]]] = {}
    for rule in all_rules().values():
        plugin, _, method = rule.place.partition(".")
        if rule.is_of_a_plugin and rule.area != "CURE":
            found.setdefault(plugin, {}).setdefault(method, []).append(rule.id)
    return found


@cache
def _rules_of_scoring(plugin: str) -> frozenset[str]:
    """Those that stand, in the area of the plugin's own, in a module of how it scores."""
    areas = {
        rule.partition("-")[2].partition("-")[0]
        for here in _rules_of_plugins().get(plugin, {}).values()
        for rule in here
    }
    return frozenset(
        rule.id
        for rule in all_rules().values()
        if rule.is_of_a_plugin and rule.module.endswith("_scoring") and rule.area in areas
    )
