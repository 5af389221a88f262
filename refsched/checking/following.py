# SPDX-License-Identifier: Apache-2.0
"""Following: choices that repeat what was recorded, so that a checker can ask whether each of them is allowed.

If the recorded choice is not among the options, that is noted, and the choice is followed all the same if
possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any, TypeVar

from attrs import Factory, define

from refsched.checking.agreement import Disagreement
from refsched.checking.guesses import SCORE, VICTIMS, Guess
from refsched.checking.open_filters import followed
from refsched.checking.other_scheduler import OtherScheduler
from refsched.checking.own_plugins import register, with_stand_ins
from refsched.checking.recorded_devices import (
    allocated_claims,
    recorded_allocation,
    recorded_claim,
    recorded_status,
    recorded_trial,
    written_claims,
)
from refsched.checking.recorded_extenders import RecordedExtenders
from refsched.checking.recorded_volumes import (
    Claimed,
    GuessedVolume,
    VolumeScores,
    claimed_volumes,
    contested_volumes,
    explaining_order,
    guessed_volumes,
    unexplained,
)
from refsched.checking.search import SearchPlan, planned_search
from refsched.cycle.decide import NO_NODE_HINT
from refsched.cycle.find_nodes import NodeFilter, Search, find_nodes
from refsched.devices.errors import STOPPED
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status
from refsched.machine.scheduler import Scheduler
from refsched.machine.state import SchedulerState
from refsched.objects.dra import ResourceClaim
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.candidate import Candidate
from refsched.queue.queued_pod import QueuedPod
from refsched.records import Attempt, Nodes, NodeStatus, Record, Write
from refsched.volumes.orders import VolumeOrder

T = TypeVar("T")

NO_NODE = "no node"

_FEASIBLE = NodeStatus("Success")
_GAVE_UP = STOPPED.format("")


@define
class Following:
    """A Following makes the choices of a recorded scheduler."""

    other: OtherScheduler = OtherScheduler()
    recorded: RecordedExtenders | None = None
    """The calls of extenders, where a trace has them."""
    record: Attempt | None = None
    """The attempt that is followed."""
    pod: str = ""
    """Its pod, which may be known before there is an attempt."""
    not_allowed: list[Disagreement] = Factory(list)
    """The choices of the attempt that were not among the options."""
    offered: dict[str, int] = Factory(dict)
    """How many options there were for each question of the attempt."""
    has_extenders: bool = False
    claimed: Claimed = ()
    """The volumes that, as far as is known by now, will be written for a claim."""
    guessed_volumes: dict[str, GuessedVolume] = Factory(dict)
    """The volumes that claims were given before it was known which of equal ones, by claim."""
    written: Sequence[ResourceClaim] = ()
    """The claims for devices that, as far as is known by now, will be written."""
    created: Sequence[str] = ()
    """The names of the objects that, as far as is known by now, will be created."""
    counted: Mapping[str, Sequence[str]] = Factory(dict)
    """The pods, by node, that will be counted there."""
    guessed: set[str] = Factory(set)
    """The claims that were given one choice of possible devices before it was known which."""
    is_blind: bool = False
    """The number of nodes that were evaluated and kept does not follow from the record."""
    guesses: set[Guess] = Factory(set)
    """What else the record does not show of the attempt."""
    hint: str = ""
    """The node that the batch hinted at."""
    _snapshot: Callable[[], Snapshot] = Snapshot
    _exists: Callable[[Pod], bool] = lambda pod: True
    _has_budgets: Callable[[], bool] = lambda: False
    _volume_scores: Callable[[Attempt], VolumeScores | None] = lambda record: None

    def foresee(self, records: Sequence[Record]) -> None:
        """Takes note of the records that are about to come: what they write, and which pods they count where."""
        self.claimed = claimed_volumes(records)
        self.written = written_claims(records)
        self.created = [
            each.object["metadata"]["name"]
            for each in records
            if isinstance(each, Write) and each.verb == "create"
        ]
        counted = (each.nodes.items() for each in records if isinstance(each, Nodes))
        self.counted = {node: usage.pods for nodes in counted for node, usage in nodes}

    def follow(self, record: Attempt | None, pod: str = "") -> None:
        """Makes the choices repeat this attempt from now on. Without an attempt they take the first option,
        except for ``pod``."""
        self.record = record
        self.pod = record.pod if record is not None else pod
        if self.other.own_plugins is not None:
            self.other.own_plugins.attempt = record
        self.not_allowed = []
        self.offered = {}
        self.is_blind = False
        self.guesses = set()
        self.hint = ""

    def choose(self, question: str, options: Sequence[T]) -> T:
        """Returns the option that the records show. Where they show none, it is the first one."""
        self.offered[question] = len(options)
        if len(options) > 1:
            self._note_guess(question, options)
        by_attempt, record = _BY_ATTEMPT.get(question), self.record
        if by_attempt is not None and record is not None:
            shown: T = by_attempt(self, record, options)
            return shown
        by_what_comes = _BY_WHAT_COMES.get(question)
        if by_what_comes is None:
            return options[0]
        known: T = by_what_comes(self, options)
        return known

    def _note_guess(self, question: str, options: Sequence[Any]) -> None:
        """Notes what of this choice no record shows, or not yet."""
        if question in ("service", "capacity"):
            self.guesses.add(SCORE)
        if question == "allocation":
            self.guessed |= allocated_claims(options) - {claim.key for claim in self.written}

    # --- Search and Filter ------------------------------------------------------------------------

    def attach(self, scheduler: Scheduler) -> None:
        """Makes this scheduler search and filter as the one that is followed did."""
        state = scheduler.state
        self.has_extenders = any(framework.extenders for framework in state.profiles.values())
        self._snapshot = state.snapshot
        self._exists = lambda pod: state.api.get(Pod, pod.name, pod.namespace) is not None
        self._has_budgets = lambda: bool(state.objects.list(PodDisruptionBudget))
        self._volume_scores = lambda record: _volume_scores(record, state)
        state.search = self.search
        if self.other.in_real_time:
            for batch in state.batches.values():
                batch.is_too_old = lambda age: False
        own = self.other.own_plugins
        if own is not None:
            register(state.queue, state.profiles, own)
        state.profiles = {
            name: followed(
                framework if own is None else with_stand_ins(framework, own),
                self.status_on,
                self.status_in_preemption,
                own,
            )
            for name, framework in state.profiles.items()
        }

    def search(
        self, nodes: Sequence[NodeInfo], start: int, number_to_find: int, filters: NodeFilter
    ) -> Search:
        plan = self.plan_search(len(nodes), number_to_find)
        if plan is None:
            return find_nodes(nodes, start, number_to_find, filters)
        return planned_search(plan, nodes, start, number_to_find, filters)

    def status_on(self, node: str, statuses: Sequence[Status]) -> Status:
        """Returns the recorded status of the node if Filter may answer it."""
        self.offered["verdict"] = len(statuses)
        return statuses[0] if self.record is None else recorded_status(self.record, node, statuses)

    def status_in_preemption(self, node: str, statuses: Sequence[Status]) -> Status:
        """Returns the recorded status of a dry run, in which preemption tries which pods to evict."""
        self.offered["trial"] = len(statuses)
        return statuses[0] if self.record is None else recorded_trial(self.record, statuses)

    def plan_search(self, number_of_nodes: int, enough: int) -> SearchPlan | None:
        """Returns what the record shows of the search; an error or enough feasible nodes may have stopped it."""
        if self.record is None:
            return None
        if self.record.filter is None:
            return self._plan_unseen(self.record) if enough < number_of_nodes else None
        gave_up = {node: cause for node, status in self.record.filter.items() if (cause := _gave_up(status))}
        return SearchPlan(
            frozenset(self.record.filter),
            self._kept(self.record, enough),
            frozenset(gave_up),
            next(iter(gave_up.values()), ""),
            self._left(self.record) if self.has_extenders and self.recorded is None else None,
        )

    def _plan_unseen(self, record: Attempt) -> SearchPlan | None:
        """Returns the plan if the record does not show which nodes were evaluated. The nodes that were scored
        were kept; if the scores are not recorded either, the chosen node may have been the best of all that were
        found."""
        kept = frozenset(record.scores or record.totals or ([record.node] if record.node else ()))
        if not kept:
            return None
        self.is_blind = True
        return SearchPlan(kept, kept)

    def _kept(self, record: Attempt, enough: int) -> frozenset[str] | None:
        """Returns the nodes that were kept: those that were scored, or the single node that was chosen without
        scoring. If the scores are not recorded, the chosen node may have been the best of them. Extenders may
        have rejected any others afterwards: then those were kept about which the first extender was asked, if any
        was."""
        feasible = {node for node, status in (record.filter or {}).items() if status.code == "Success"}
        asked = list(self.recorded.nodes_asked_about(record.pod)) if self.recorded is not None else []
        if asked or (self.has_extenders and self.recorded is None):
            return next((nodes for nodes in asked if len(nodes) == enough and nodes < feasible), None)
        scored = record.scores or record.totals
        if scored:
            return frozenset(scored)
        if not record.node or len(feasible) <= enough:
            return None
        if enough > 1:
            self.is_blind = True
        return frozenset({record.node})

    @staticmethod
    def _left(record: Attempt) -> frozenset[str]:
        return frozenset(record.scores or record.totals or ([record.node] if record.node else ()))

    # --- Answers by what comes, as far as it is known -----------------------------------------------

    def _pod(self, options: Sequence[QueuedPod]) -> QueuedPod:
        """Returns the pod of the attempt. The checker has made sure that it is there (``Scheduler.schedule``)."""
        return next((option for option in options if option.key == self.pod), options[0])

    def _created(self, options: Sequence[str]) -> str:
        """Returns the name that the API server generated for an object, if it is recorded."""
        prefix = options[0].rpartition("-")[0] + "-"
        return next((each for each in self.created if each.startswith(prefix)), options[0])

    def _counted_node(self, options: Sequence[str]) -> str:
        """Returns the node on which the pod will be counted, if it is known."""
        return next((node for node in options if self.pod in self.counted.get(node, ())), options[0])

    def _counted_hint(self, options: Sequence[str]) -> str:
        self.hint = self._counted_node(options)
        return self.hint

    # --- Answers by the attempt ---------------------------------------------------------------------

    def _node(self, record: Attempt, options: Sequence[str]) -> str:
        """Returns the node that was chosen, allowed or not."""
        node = record.node or ""
        if node not in options:
            expected = [option or NO_NODE for option in options]
            self.not_allowed.append(Disagreement("node", expected, node or NO_NODE))
        return node

    def _hint(self, record: Attempt, options: Sequence[str]) -> str:
        """Returns the node that the record shows to be chosen, if no other one was evaluated; or else one that was
        rejected or does not exist any more, which leaves no other trace, or none where the hint may be passed
        over. After a hint no other node is evaluated, and none is scored."""
        evaluated, snapshot = record.filter or {}, self._snapshot()
        otherwise = record.node if record.node is not None and record.node in options else options[0]
        in_vain = (
            each
            for each in options
            if evaluated.get(each, _FEASIBLE) != _FEASIBLE or snapshot.get(each) is None
        )
        has_searched = not evaluated.keys() <= {otherwise}
        is_open = self.other.may_search_all or self.other.in_real_time
        if is_open and (has_searched or record.scores or record.node not in options):
            otherwise = NO_NODE_HINT
        self.hint = next(in_vain, otherwise) if has_searched else otherwise
        return self.hint

    def _volumes(self, record: Attempt, options: Sequence[VolumeOrder]) -> VolumeOrder:
        """Returns the order that explains the record. Notes the volumes that it does not explain, and those that
        it leaves open."""
        snapshot = self._snapshot()
        scores = self._volume_scores(record) if len(options) > 1 else None
        order = explaining_order(record, self.claimed, scores, options, snapshot)
        for pair in unexplained(order, record, self.claimed, snapshot):
            self.not_allowed.append(
                Disagreement("volumes", "another volume", f"{pair.volume} for {pair.claim}")
            )
        self.guessed_volumes |= {
            pair.claim: GuessedVolume(record.pod, pair.volume)
            for pair in guessed_volumes(order, contested_volumes(options), record, self.claimed, snapshot)
        }
        return order

    def _victim(self, record: Attempt, options: Sequence[PodInfo]) -> PodInfo:
        """Returns a pod that the record shows to be reprieved, if there is one, and any other after these. A pod
        that does not fit beside some of the others does not fit beside all of them either. The order decides what
        another node would have cost, which pods a budget still protects, and about which victims extenders are
        called."""
        shows_order = record.victims is not None and options[0].pod.spec.node_name == record.nominated_node
        if len(options) > 1 and (not shows_order or self.has_extenders or self._has_budgets()):
            self.guesses.add(VICTIMS)
        victims = record.victims or ()
        return next((info for info in options if info.pod.key not in victims), options[0])

    def _budgets(self, record: Attempt, options: Sequence[Candidate]) -> Candidate:
        """Returns the candidate with the recorded victims, of those on one node that differ by the order of
        budgets; of such candidates the one that violates the fewest, since it was preferred to other nodes."""
        shown = [candidate for candidate in options if self._shows(record, candidate)] or options
        if record.victims is None or shown[0].node != record.nominated_node:
            self.guesses.add(VICTIMS)
        return min(shown, key=lambda candidate: candidate.num_pdb_violations)

    def _candidate(self, record: Attempt, options: Sequence[Candidate]) -> Candidate:
        """Returns the candidate that the record shows. A record without ``victims`` may still show the nominated
        node; one without either may show that the eviction ended at a victim that does not exist any more."""
        cut_short = (option for option in options if self._shows_cut_short(record, option))
        whole = (option for option in options if self._shows(record, option))
        return next(chain(cut_short, whole), options[0])

    @staticmethod
    def _shows(record: Attempt, candidate: Candidate) -> bool:
        victims = tuple(sorted(victim.pod.key for victim in candidate.victims))
        same_victims = record.victims is None or tuple(sorted(record.victims)) == victims
        return same_victims and record.nominated_node in (None, candidate.node)

    def _shows_cut_short(self, record: Attempt, candidate: Candidate) -> bool:
        deleted = [
            victim.pod.key for victim in takewhile(lambda each: self._exists(each.pod), candidate.victims)
        ]
        is_cut_short = len(deleted) < len(candidate.victims)
        return is_cut_short and record.nominated_node is None and [*(record.victims or ())] == deleted


def _volume_scores(record: Attempt, state: SchedulerState) -> VolumeScores | None:
    namespace, _, name = record.pod.partition("/")
    pod = state.api.get(Pod, name, namespace)
    return (
        VolumeScores.recorded(record, state.profiles[pod.spec.scheduler_name], pod)
        if pod is not None
        else None
    )


def _first_named(record: Attempt, options: Sequence[str]) -> str:
    """Returns the option that the message names first, and of those that begin at one place the longest. Returns
    the first option if the message names none."""
    message = record.message or ""
    named = [option for option in options if option in message]
    return min(named or options[:1], key=lambda option: (message.find(option), -len(option)))


def _gave_up(status: NodeStatus) -> str:
    """Returns what stopped the search, if this node's status says that Filter was interrupted by it
    (DynamicResources, Filter)."""
    for reason in status.reasons:
        if reason.startswith(_GAVE_UP):
            return reason.removeprefix(_GAVE_UP)
    return ""


# --- Questions ------------------------------------------------------------------------------------

_BY_WHAT_COMES: Mapping[str, Callable[[Following, Sequence[Any]], Any]] = {
    "pod": Following._pod,
    "name": Following._created,
    "node": Following._counted_node,
    "hint": Following._counted_hint,
}
"""These questions have an answer before there is an attempt to follow, or besides it."""

_BY_ATTEMPT: Mapping[str, Callable[[Following, Attempt, Sequence[Any]], Any]] = {
    "node": Following._node,
    "hint": Following._hint,
    "volumes": Following._volumes,
    "victim": Following._victim,
    "budgets": Following._budgets,
    "candidate": Following._candidate,
    "error": lambda _, record, options: _first_named(record, options),
    "eviction": lambda _, record, options: options[0 if record.nominated_node is None else 1],
    "allocation": lambda following, _, options: recorded_allocation(following.written, options),
    "claim": lambda following, _, options: recorded_claim(following.written, options),
}
"""These questions are answered by the attempt that is followed, and what is known to be written after it."""
