# SPDX-License-Identifier: Apache-2.0
"""A framework that looks for an answer among those remembered before it asks its plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, cast

from attrs import Factory, define, evolve, field, fields, frozen

from refsched.cycle.find_nodes import NodeFilter, Search, find_nodes
from refsched.framework.cycle_state import CycleState, Scores
from refsched.framework.interface import (
    Continue,
    PreFilterPlugin,
    PreScorePlugin,
    Reject,
    ScorePlugin,
    Skip,
)
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterPlugin
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.table import Table
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.disruption import Budgets
from refsched.preemption.victims import PreemptionSteps
from refsched.queue.nominator import Nominator
from refsched.remembering.answers import AskAnewError, FilterAnswers, Numbered, ScoreAnswers
from refsched.remembering.changes import NodeChanges
from refsched.remembering.kinds import Kind, Kinds, NameAskedError
from refsched.remembering.preempting import DryRuns, Found, SelectVictims
from refsched.remembering.snapshots import RememberedSnapshot
from refsched.remembering.values import is_value
from refsched.rules import is_heard

Answer = Continue[Any] | Skip | Reject
T = TypeVar("T")


# --- What follows from the pod alone --------------------------------------------------------------


class ClusterAskedError(BaseException):
    """A ClusterAskedError says that a plugin looked at the cluster; no plugin that catches exceptions may catch
    this one."""


class _Unseen:
    """An _Unseen stands for a snapshot, or for nodes, and shows nothing."""

    def _ask(self, *arguments: object) -> NoReturn:
        raise ClusterAskedError

    __getattr__ = __iter__ = __len__ = __bool__ = __getitem__ = __contains__ = _ask


_UNSEEN = cast("Any", _Unseen())


# --- The memory -----------------------------------------------------------------------------------


@define(eq=False)
class Memory:
    """A Memory is what is remembered of one scheduler. ``numbers`` are those of the nodes, in the snapshot's
    order."""

    nominator: Nominator
    changes: NodeChanges
    kinds: Kinds = Factory(Kinds)
    numbers: dict[str, int] = Factory(dict)
    ordered: int = -1
    last: tuple[Sequence[NodeInfo], Sequence[int]] = ((), ())

    def numbered(self, snapshot: Snapshot) -> Mapping[str, int]:
        if self.ordered != self.changes.ordered:
            self.ordered = self.changes.ordered
            self.numbers = {node.name: number for number, node in enumerate(snapshot.nodes)}
        return self.numbers

    def search(
        self, nodes: Sequence[NodeInfo], start: int, number_to_find: int, filters: NodeFilter
    ) -> Search:
        """Searches as ``find_nodes`` does."""
        snapshot = filters.snapshot
        if _is_unknown(snapshot) or nodes is not snapshot.nodes or filters.state.left_out:
            return find_nodes(nodes, start, number_to_find, filters)
        numbers = self.numbered(snapshot)
        nominated = {numbers[name] for name in self.nominator.nodes if name in numbers}
        kind, framework, skipped = self.kinds.of(filters.pod), filters.framework, filters.state.skipped
        plain = framework.plain if isinstance(framework, RememberingFramework) else framework
        answers = _kept(
            kind,
            (framework.profile_name, "filter", skipped),
            lambda: FilterAnswers(plain, kind.info, skipped, self.changes),
        )
        try:
            found, at = answers.search(start, number_to_find, filters, numbers, nominated)
        except (NameAskedError, AskAnewError):
            return find_nodes(nodes, start, number_to_find, filters)
        self.last = found.feasible, at
        return found


def _is_unknown(snapshot: Snapshot) -> bool:
    return is_heard() or not isinstance(snapshot, RememberedSnapshot)


def _kept(kind: Kind, what: object, make: Callable[[], T]) -> T:
    if what not in kind.kept:
        kind.kept[what] = make()
    kept: T = kind.kept[what]
    return kept


# --- The framework --------------------------------------------------------------------------------


@frozen
class RememberedScores(Scores):
    """``sums`` are the totals without extenders; what each plugin scored is asked when somebody reads it."""

    sums: Mapping[str, int] = field(factory=dict)

    def totals(self, nodes: Sequence[NodeInfo]) -> dict[str, int]:
        totals = dict(self.sums)
        for scores in self.extenders.values():
            for node in totals:
                totals[node] += scores.get(node, 0)
        return totals


@frozen
class RememberingFramework(Framework):
    """A RememberingFramework answers as ``plain`` does."""

    plain: Framework = field(kw_only=True)
    memory: Memory = field(kw_only=True)

    def pre_filter(self, plugin: PreFilterPlugin, pod: PodInfo, snapshot: Snapshot) -> Answer:
        answer = self._of_kind(pod, "preFilter", plugin.name, lambda info: plugin.pre_filter(info, _UNSEEN))
        return plugin.pre_filter(pod, snapshot) if answer is None else answer

    def pre_score(
        self, plugin: PreScorePlugin, pod: PodInfo, nodes: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Answer:
        answer = self._of_kind(
            pod, "preScore", plugin.name, lambda info: plugin.pre_score(info, _UNSEEN, _UNSEEN)
        )
        return plugin.pre_score(pod, nodes, snapshot) if answer is None else answer

    def _of_kind(
        self, pod: PodInfo, point: str, plugin: str, ask: Callable[[PodInfo], Answer]
    ) -> Answer | None:
        """Returns the answer that depends on nothing but the kind of the pod, or None if there is no such
        answer."""
        if is_heard():
            return None
        kind, what = self.memory.kinds.of(pod), (self.profile_name, point, plugin)
        if what not in kind.kept:
            kind.kept[what] = _without_cluster(ask, kind.info)
        answer: Answer | None = kind.kept[what]
        return answer

    def follows_pods(self, state: CycleState) -> bool:
        """Returns whether a plugin computes its state anew when a pod is added or removed."""
        return bool(self._with_extensions(state))

    def score_nodes(
        self,
        scoring: Sequence[ScorePlugin],
        states: Mapping[str, Any],
        pod: PodInfo,
        nodes: Sequence[NodeInfo],
        snapshot: Snapshot,
    ) -> Scores:
        def anew() -> Scores:
            return self.plain.score_nodes(scoring, states, pod, nodes, snapshot)

        if _is_unknown(snapshot):
            return anew()
        memory, kind = self.memory, self.memory.kinds.of(pod)
        numbers = memory.numbered(snapshot)
        at = memory.last[1] if memory.last[0] is nodes else [numbers[node.name] for node in nodes]
        answers = _kept(
            kind,
            (self.profile_name, "score", tuple(plugin.name for plugin in scoring)),
            lambda: ScoreAnswers(scoring, self.score_weights, kind.info, memory.changes),
        )
        try:
            sums = answers.totals(states, pod, nodes, at, numbers)
        except NameAskedError:
            return anew()
        return RememberedScores(
            Table(lambda: anew().raw), Table(lambda: anew().normalized), self.score_weights, sums=sums
        )


def _without_cluster(of_kind: Callable[[PodInfo], Answer], info: PodInfo) -> Answer | None:
    try:
        answer = of_kind(info)
    except (NameAskedError, ClusterAskedError):
        return None
    return answer if not isinstance(answer, Continue) or is_value(answer.state) else None


# --- A framework, and its preemption, with a memory -------------------------------------------------


def remembering(framework: Framework, memory: Memory) -> Framework:
    """Returns the framework that remembers. In a release that runs its plugins otherwise, it remembers only what
    Filter says."""
    if type(framework) is not Framework:
        return framework
    parts = {each.name: getattr(framework, each.name) for each in fields(Framework)}
    made = RememberingFramework(**parts, plain=framework, memory=memory)
    plugins = tuple(_remembering_victims(plugin, made) for plugin in made.post_filter_plugins)
    return evolve(made, post_filter_plugins=plugins)


def _remembering_victims(plugin: Any, framework: RememberingFramework) -> PostFilterPlugin:
    steps = getattr(plugin, "steps", None)
    if isinstance(steps, PreemptionSteps):
        steps = evolve(steps, select_victims=_Victims(framework, steps.select_victims))
        plugin = evolve(plugin, steps=steps)
    found: PostFilterPlugin = plugin
    return found


@define(eq=False)
class _Victims:
    """A _Victims is the step of preemption that selects victims, as ``plain`` does. ``dry_run`` is the one it is
    asked in."""

    framework: RememberingFramework
    plain: SelectVictims
    dry_run: tuple[PostFilterContext | None, SelectVictims | None] = (None, None)

    def __call__(
        self, context: PostFilterContext, node: NodeInfo, budgets: Budgets, steps: PreemptionSteps
    ) -> Found:
        if self.dry_run[0] is not context:
            self.dry_run = context, self._remembered(context)
        select = self.dry_run[1] or self.plain
        return select(context, node, budgets, steps)

    def _remembered(self, context: PostFilterContext) -> SelectVictims | None:
        """Returns what is remembered, or None if the dry run is not."""
        snapshot, state, framework = context.snapshot, context.state, self.framework
        memory = framework.memory
        if _is_unknown(snapshot) or state.left_out or framework.follows_pods(state):
            return None
        kind, numbers = memory.kinds.of(context.pod), memory.numbered(snapshot)
        runs = _kept(
            kind,
            (framework.profile_name, "dry run", state.skipped),
            lambda: DryRuns(kind.info, Numbered(memory.changes)),
        )
        runs.found.bring_up_to_date(numbers)
        if not runs.meet(state.states, snapshot.objects.list(PodDisruptionBudget)):
            return None
        return runs.remembered(context, self.plain, framework.plain, numbers, memory.nominator.nodes)
