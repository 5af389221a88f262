# SPDX-License-Identifier: Apache-2.0
"""Judge: an implementation is judged by the specification, and by the invariants that need none.

The specification follows what the implementation did; if that was not allowed, the rule is named. The
invariants check the same records independently, and come first: what they find is wrong by any specification.

Observed: the protocol is refsched's own, and no scheduler has to speak it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from attrs import evolve

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.mending import Mending
from refsched.checking.other_scheduler import OtherScheduler
from refsched.checking.own_plugins import OwnPlugins
from refsched.objects.writing import as_json
from refsched.oddities.known_defect import FixedOrder, KnownDefect
from refsched.plugins.scheduling_gates import WAITING
from refsched.processes.http.unread import combined
from refsched.records import ERROR, Attempt, Bind, Input, NodeStatus, Queues, Record
from refsched.releases import release_of
from refsched.rules import listening
from refsched.suite.adapters.answers import HAS_A_GATE
from refsched.suite.catalogue.applied_rules import AppliedRules
from refsched.suite.catalogue.attribution import MOST, Attribution
from refsched.suite.catalogue.rules import all_rules, counterpart
from refsched.suite.catalogue.showing import shown_with
from refsched.suite.findings import Finding, KnownDefectMetError
from refsched.suite.histories.compared_members import OF_PREEMPTION, compared, may_choose, missing_members
from refsched.suite.histories.history import History
from refsched.suite.histories.part import Part
from refsched.suite.invariants import Invariants
from refsched.suite.level import Level

ANSWERS = "R-ANSWER-01"
COMPLETE = "R-ANSWER-02"
EXTENDERS = "R-EXTENDER-"
SEARCH = "R-SEARCH-"
_OF_PREEMPTION = ("victims", "nominated_node", "filter", "message")
_IN_WORDS = {"message": ("message",), "reasons": ("filter", "pre_filter")}
"""What is decided in words alone, and in which members of an attempt it stands."""


class Judge:
    """A Judge is the Witness of a Driver (driver.py) that judges one history. Without
    ``with_specification`` only the invariants are checked. ``level`` says in what the implementation is free.

    ``decisive`` counts for each rule how often it decided a value that was checked, ``choices`` the values that
    the implementation chose, and ``single`` those of them that left it no choice. Nothing counts before the
    implementation has been asked for a pod, and answered.
    """

    def __init__(
        self, history: History, part: Part, *, with_specification: bool = True, level: Level = Level.ALL
    ) -> None:
        self._part = part
        self._capabilities = capabilities = part.capabilities
        release = release_of(part.kubernetes)
        self._reach = AppliedRules()
        reports_claims = "devices" in capabilities and "api" not in capabilities

        def own() -> OwnPlugins | None:
            return OwnPlugins(part.is_foreign, part.own) if part.may_have_own else None

        self._followed = Mending(
            lambda mended: Checker(
                history.config,
                history.feature_gates,
                release=release,
                other=OtherScheduler(
                    reports_claims=reports_claims,
                    reports_nominations=part.reports_nominations,
                    may_keep_nominations="preemption" not in capabilities,
                    in_real_time=not part.keeps_time,
                    may_search_all=not part.reads_config,
                    own_plugins=own(),
                ),
                without=mended,
            )
        )
        self._with_specification = with_specification
        self._level = level
        self._invariants = Invariants(history.config, history.feature_gates, release, own())
        self._attribution = Attribution(self._reach)
        self._decisive: Counter[str] = Counter()
        self._not_compared: dict[str, None] = {}
        self._has_extenders = bool(history.config.get("extenders"))
        self._has_decided = False
        self.choices = 0
        self.single = 0

    @property
    def _checker(self) -> Checker:
        return self._followed.checker

    @property
    def decisive(self) -> Counter[str]:
        """Returns how often each rule decided a value that was checked."""
        return self._decisive + self._invariants.decisive if self._has_decided else Counter()

    @property
    def has_diverged(self) -> bool:
        return self._checker.has_diverged

    def agrees(self) -> bool:
        """Returns whether the specification, as its code is now, allows all that came so far."""
        return self._followed.agrees(in_order=not self._level.allows_any_order)

    @property
    def asked(self) -> int:
        """Returns in how many steps it was compared."""
        return self._followed.asked

    def foresee(self, records: Sequence[Record]) -> None:
        self._followed.ask(lambda checker: checker.foresee(records))

    def take(self, record: Record) -> list[Finding]:
        if isinstance(record, Attempt):
            record = compared(self._part, record)
        findings = self._invariants.take(record)
        if isinstance(record, Queues) and "queue" not in self._capabilities:
            return findings
        found = self._compare(lambda checker: self._taken(checker, record), record)
        left_out = self._left_out(record) if isinstance(record, Attempt | Bind) else []
        if not isinstance(record, Input):
            self._count(record)
        if isinstance(record, Attempt):
            self._has_decided = True
            self._decisive[ANSWERS] += 1
            self._count_choices()
        return findings + (left_out if _explain(left_out, found) else found)

    def _taken(self, checker: Checker, record: Record) -> list[Disagreement]:
        """Returns what the checker finds, except for what the implementation is free in."""
        found = checker.take(record)
        specified = checker.specified
        if not (isinstance(record, Attempt) and isinstance(specified, Attempt)):
            return found
        nodes = checker.scheduler.state.cache.usage() if found else {}
        return [one for one in found if not may_choose(self._part, one, record, specified, nodes)]

    def begin(self, pod: str) -> list[Finding]:
        self._has_decided = True
        self._invariants.begin(pod)
        return self._compare(lambda checker: checker.begin(pod))

    def idle(self) -> list[Finding]:
        self._has_decided = True
        return self._invariants.idle() + self._compare(Checker.idle)

    def panics_as_released(self, message: str) -> str:
        """Returns the known defect because of which the release panics here, ``""`` if there is none. Then it is
        a panic of that kind, and the specification applies the rule of the defect when it tries one of the pods
        that may be next; after that it is followed no further."""
        scheduler, heard = self._checker.scheduler, set[str]()
        known = [each for each in scheduler.kubernetes.oddities if isinstance(each, KnownDefect)]
        panics = [each for each in known if each.panics and each.panics in message]
        if panics:
            for queued in scheduler.state.queue.heads():
                with listening(heard.add), suppress(Exception):
                    scheduler.schedule(queued.key)
        return min((each.id for each in panics if each.rule in heard), default="")

    def error(self, request: str, message: str) -> list[Finding]:
        """R-ANSWER-01 (promised: that every pending pod is tried is documented with the Pod API): A request that
        docs/protocol.md allows is answered, and not with an error.

        A pod with a gate that was attempted breaks the rule of gates. Raises KnownDefectMetError if the release
        itself panics here.
        """
        if message.endswith(HAS_A_GATE):
            return [Finding(WAITING.rule, request, "no attempt of it", message)]
        defect = self.panics_as_released(message)
        if defect:
            raise KnownDefectMetError(f"a known defect of the release is met: {defect}")
        return [Finding(ANSWERS, request, "an answer", message)]

    def _left_out(self, record: Attempt | Bind) -> list[Finding]:
        """R-ANSWER-02: An answer contains every member that one of the implementation's capabilities promises,
        or without which an attempt cannot be judged. What is followed no further may have other members."""
        specified = self._checker.specified
        if specified is None or self._checker.has_diverged or not self._with_specification:
            return []
        self._decisive[COMPLETE] += 1
        return [
            Finding(self._rule_of_left_out(member, expected), member, expected, None, record.pod)
            for member, expected in missing_members(self._part, record, specified)
        ]

    def _rule_of_left_out(self, member: str, expected: object) -> str:
        if member not in OF_PREEMPTION:
            return COMPLETE
        return self._attribution.rule_of(Disagreement(member, expected, None))

    def stored(self, object: dict[str, Any]) -> dict[str, Any]:
        """Returns the object as the specification's API server stores it; what the release does not read stays as
        it was given."""
        stored = self._checker.stored(object)
        if stored is None:
            return object
        whole: dict[str, Any] = combined(as_json(stored), object, lists_of_rest=True)
        return whole

    def settled(self) -> list[Finding]:
        return self._compare(Checker.take_missing)

    def may_be_next(self, pod: str) -> bool:
        """Returns whether this pod (``namespace/name``) may be popped next."""
        return self._checker.may_be_next(pod)

    def next_pod(self) -> str | None:
        return self._followed.ask(Checker.next_pod)

    def may_permit(self, pod: str, plugin: str) -> bool:
        """Returns whether the specification waits for this plugin to allow the pod, or does not know."""
        undecided = self._checker.scheduler.state.waiting_pods.undecided() if self._with_specification else ()
        waiting = [each for each in undecided if each.pod.key == pod]
        return not waiting or plugin in ("", *waiting[0].pending_plugins)

    def _compare(
        self, compare: Callable[[Checker], list[Disagreement]], record: Record | None = None
    ) -> list[Finding]:
        """Returns the disagreements that the absence of oddities does not explain. Those that only the absence
        of an order explains break the rule that states this order."""
        if not self._with_specification:
            return []
        pod = record.pod if isinstance(record, Attempt | Bind) else ""

        def ask() -> list[Disagreement]:
            return self._followed.ask(lambda checker: self._but_for_words(compare(checker)))

        found = self._reach.hearing(self._checker.scheduler.state.queue, ask)
        orders: Sequence[FixedOrder] = ()
        if found and self._followed.explains(found):
            found = []
        elif found:
            orders = self._followed.orders_left_open(found)
            found = [] if orders and self._level.allows_any_order else found
        causes = [(one, self._cause_of(one, record)) for one in found]
        findings = [
            self._finding(one, cause, pod) for one, cause in causes if cause is one or cause not in found
        ]
        if orders:
            return [_of_an_order(one, orders[0].rule) for one in findings]
        return [_with_message(one, record) if isinstance(record, Attempt) else one for one in findings]

    def _finding(self, found: Disagreement, cause: Disagreement, pod: str) -> Finding:
        applied = self._reach.applied | self._not_compared
        symptom = counterpart(self._attribution.rule_of(cause), self._part.kubernetes, applied)
        suspected = self._that_can_show_first(self._attribution.suspects(cause, symptom))
        return Finding(
            suspected[0],
            found.member,
            found.expected,
            found.got,
            pod,
            symptom=symptom,
            also=suspected[1:MOST],
            suspected=suspected,
        )

    def _that_can_show_first(self, suspected: Sequence[str]) -> tuple[str, ...]:
        """Returns the rules in the same order, except that those that cannot show in what the implementation
        reports come last."""
        return tuple(sorted(suspected, key=lambda rule: bool(_lacks(self._part, rule))))

    def _cause_of(self, found: Disagreement, record: Record | None) -> Disagreement:
        """Returns the cause of a disagreement. If a node was chosen that the specification rejects, the cause is
        the node's status at Filter, shown or not; likewise if no node was chosen because a node was rejected that
        the specification does not reject."""
        specified = self._checker.specified
        if found.member != "node":
            return found
        if isinstance(record, Attempt) and not record.node:
            for node in found.expected if isinstance(found.expected, list) else ():
                if (status := _rejection(record, node)) is not None:
                    return Disagreement(f"filter.{node}", NodeStatus("Success"), status)
        if isinstance(specified, Attempt) and (status := _rejection(specified, str(found.got))) is not None:
            return Disagreement(f"filter.{found.got}", status, NodeStatus("Success"))
        return found

    def _but_for_words(self, found: list[Disagreement]) -> list[Disagreement]:
        """Returns the disagreements except for those in words, from which nothing else follows: a scheduler with
        words of its own is judged to the end."""
        if not self._level.allows_other_words:
            return found
        return [one for one in found if not _members_in_words(self._attribution.rule_of(one))]

    def _count(self, record: Record) -> None:
        """Counts the rules that were applied since a record was compared in which they show, and that show in
        this one."""
        self._not_compared |= self._reach.applied
        self._reach.clear()
        for rule in [rule for rule in self._not_compared if self._has_a_say(rule, record)]:
            self._decisive[rule] += 1
            del self._not_compared[rule]

    def _has_a_say(self, rule: str, record: Record) -> bool:
        """Returns whether the rule decided a member that can be seen. Without extenders their rules decide
        nothing, though their code runs."""
        in_words = _members_in_words(rule)
        if in_words:
            return isinstance(record, Attempt) and _has_any(record, in_words)
        if _lacks(self._part, rule) or (rule.startswith(EXTENDERS) and not self._has_extenders):
            return False
        match shown_with(rule):
            case ("queue",):
                return isinstance(record, Queues | Attempt)
            case ("score",):
                return isinstance(record, Attempt) and (
                    rule.startswith(SEARCH)
                    or _has_any(record, ("scores", "totals", "evaluated"))
                    or (record.node is not None and "scores" in self._part.not_shown)
                )
            case ("preemption",):
                return isinstance(record, Attempt) and _has_any(record, _OF_PREEMPTION)
            case ("scripted",):
                return isinstance(record, Attempt | Bind) and record.calls is not None
        return not isinstance(record, Queues)

    def _count_choices(self) -> None:
        offered = self._checker.offered
        self.choices += len(offered)
        self.single += sum(options == 1 for options in offered.values())


@cache
def _lacks(part: Part, rule: str) -> str:
    return part.lacks(rule)


def _members_in_words(rule: str) -> tuple[str, ...]:
    """Returns the members of an attempt that the rule decides, if it decides words alone."""
    stated = all_rules().get(rule)
    decides = stated.said.decides if stated is not None else ()
    return tuple(member for each in decides for member in _IN_WORDS.get(each, ()))


def _rejection(attempt: Attempt, node: str) -> NodeStatus | None:
    """Returns the status with which the attempt shows that Filter rejected this node."""
    status = (attempt.filter or {}).get(node)
    return None if status is None or status.code == "Success" else status


def _of_an_order(finding: Finding, rule: str) -> Finding:
    """Returns the finding as one of the rule of an order, which is suspected before others."""
    suspected = (rule, *finding.suspected)
    return evolve(finding, rule=rule, symptom=rule, also=suspected[1:MOST], suspected=suspected)


def _with_message(finding: Finding, record: Attempt) -> Finding:
    """Returns the finding with the message of the error if the attempt ended in one and should not have."""
    if finding.member == "result" and finding.got == ERROR and record.message:
        return evolve(finding, got=f"{ERROR}: {record.message}")
    return finding


def _has_any(record: Attempt, members: Sequence[str]) -> bool:
    return any(getattr(record, member) is not None for member in members)


def _explain(findings_left_out: Sequence[Finding], found: Sequence[Finding]) -> bool:
    """Returns whether the members that were left out explain what was found. If another member is wrong, a
    member may be missing because of that: a single feasible node has no scores."""
    members = {one.member for one in findings_left_out}
    return bool(members) and (not found or not members.isdisjoint(one.member for one in found))
