# SPDX-License-Identifier: Apache-2.0
"""A framework that looks for an answer among those remembered before it asks its plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import Factory, define, evolve, field, fields, frozen

from refsched.cycle.find_nodes import NodeFilter, Search, find_nodes
from refsched.framework.cycle_state import CycleState, Scores
from refsched.framework.interface import ScorePlugin
from refsched.framework.lazy_mapping import LazyMapping
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterPlugin
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.disruption import Budgets
from refsched.preemption.victims import PreemptionSteps
from refsched.queue.nominator import Nominator
from refsched.remembering.answers import AskAnewError, FilterAnswers, ScoreAnswers
from refsched.remembering.changes import NodeChanges
from refsched.remembering.kinds import PodKind, PodKinds, reads_who_it_is
from refsched.remembering.node_kinds import NodeKinds
from refsched.remembering.preempting import DryRuns, Found, SelectVictims
from refsched.remembering.snapshots import RememberedSnapshot
from refsched.rules import is_heard

T = TypeVar("T")


# --- The memory -----------------------------------------------------------------------------------


@define(eq=False)
class Memory:
    """A Memory is what is remembered of one scheduler. ``numbers`` are those of the nodes, in the snapshot's
    order."""

    nominator: Nominator
    changes: NodeChanges
    kinds: PodKinds = Factory(PodKinds)
    node_kinds: NodeKinds = Factory(lambda memory: NodeKinds(memory.changes), takes_self=True)
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
        is_assigned = bool(filters.pod.pod.spec.node_name)
        if _is_unknown(snapshot) or nodes is not snapshot.nodes or filters.state.filters or is_assigned:
            return find_nodes(nodes, start, number_to_find, filters)
        numbers = self.numbered(snapshot)
        nominated = {numbers[name] for name in self.nominator.nodes if name in numbers}
        kind, framework, skipped = self.kinds.of(filters.pod), filters.framework, filters.state.skipped
        plain = framework.plain if isinstance(framework, RememberingFramework) else framework
        answers = _kept(
            kind,
            (framework.profile_name, "filter", skipped),
            lambda: FilterAnswers(plain, skipped, self.node_kinds),
        )
        try:
            found, at = answers.search(start, number_to_find, filters, numbers, nominated)
        except AskAnewError:
            return find_nodes(nodes, start, number_to_find, filters)
        self.last = found.feasible, at
        return found


def _is_unknown(snapshot: Snapshot) -> bool:
    return is_heard() or not isinstance(snapshot, RememberedSnapshot)


def _kept(kind: PodKind, what: object, make: Callable[[], T]) -> T:
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

    def is_asked_anew(self, state: CycleState) -> bool:
        """Returns whether a plugin computes its state anew when a pod is added or removed, or reads who the pod
        is."""
        asked = (plugin for plugin in self.filter_plugins if plugin.name not in state.skipped)
        return bool(self._with_extensions(state)) or any(map(reads_who_it_is, asked))

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
            lambda: ScoreAnswers(scoring, self.score_weights, memory.node_kinds),
        )
        sums = answers.totals(states, pod, nodes, at, snapshot, numbers)
        return RememberedScores(
            LazyMapping(lambda: anew().raw),
            LazyMapping(lambda: anew().normalized),
            self.score_weights,
            sums=sums,
        )


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
        """Returns what is remembered of this dry run, or None if nothing is."""
        snapshot, state, framework = context.snapshot, context.state, self.framework
        memory = framework.memory
        if _is_unknown(snapshot) or state.filters or framework.is_asked_anew(state):
            return None
        kind = memory.kinds.of(context.pod)
        runs = _kept(kind, (framework.profile_name, "dry run", state.skipped), DryRuns)
        if not runs.meet(state.states, snapshot.objects.list(PodDisruptionBudget)):
            return None
        return runs.remembered(context, self.plain, framework.plain, memory.nominator.nodes)
