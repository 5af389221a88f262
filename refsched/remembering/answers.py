# SPDX-License-Identifier: Apache-2.0
"""AnswersByNodeKind: what the plugins of a profile said of each kind of nodes, for the pods of one kind.

A plugin that reads who the pod is, or whose state was another one in a later cycle or is no value, is *asked anew*
in every cycle: what the others said is remembered. Nodes are given by their numbers in the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import singledispatch
from itertools import filterfalse, groupby, islice, repeat
from operator import add, mul
from typing import Any, Generic, TypeVar

from attrs import Factory, define, evolve

from refsched.cycle.find_nodes import NodeFilter, Search, round_from
from refsched.framework.interface import Plugin, ScoreExtensions, ScorePlugin, extends
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code, Status
from refsched.plugins.inter_pod_affinity import Filtering, InterPodAffinity
from refsched.plugins.pod_topology_spread import FilterState, PodTopologySpread
from refsched.remembering.kinds import reads_who_it_is
from refsched.remembering.node_kinds import Labels, NodeKinds, Part, Partition, parts_read, parts_read_by
from refsched.remembering.values import changed_domains, is_value

Answer = TypeVar("Answer")
Numbers = Mapping[str, int]


@singledispatch
def labels_read(plugin: object, state: Any) -> tuple[str, ...] | None:
    """Returns the keys of the labels of a node that the plugin reads at Filter, or None if it may read more of the
    node. Of TopologyCounts in its state it reads what they are in the domains of these labels, and whether those
    in READ_WHOLE are empty."""
    return None


READ_WHOLE = ("affinity",)
"""A pod that matches its own affinity may be the first one that does."""


@labels_read.register(PodTopologySpread)
def _(plugin: PodTopologySpread, state: FilterState) -> tuple[str, ...]:
    return tuple(spread.constraint.topology_key for spread in state)


@labels_read.register(InterPodAffinity)
def _(plugin: InterPodAffinity, state: Filtering) -> tuple[str, ...]:
    existing = state.existing_anti_affinity
    keys = {key for key, _ in (*existing.counted, *existing.changes)}
    terms = (*state.affinity_terms, *state.anti_affinity_terms)
    return tuple(sorted(keys.union(term.topology_key for term in terms)))


def _is_by_labels(plugin: object) -> bool:
    return labels_read.dispatch(type(plugin)) is not labels_read.dispatch(object)


class AskAnewError(Exception):
    """An AskAnewError says that what was met is rare, and is left to the specification as it stands."""


@define(eq=False)
class AnswersByNodeKind(Generic[Answer]):
    """AnswersByNodeKind are by the kind of a node; ``parts`` are what was read of it."""

    parts: tuple[Part, ...]
    known: dict[int, Answer] = Factory(dict)
    partition: Partition | None = None

    def bring_up_to_date(self, kinds: NodeKinds, snapshot: Snapshot, numbers: Numbers) -> None:
        partition = kinds.partition(self.parts, snapshot, numbers)
        if partition is not self.partition:
            self.partition, self.known = partition, {}

    def of(self, at: Sequence[int], ask: Callable[[int], Answer]) -> list[Answer]:
        """Returns what is said of these nodes; ``ask`` is called for one of each kind that was not asked about."""
        assert self.partition is not None
        known, kinds = self.known, [*map(self.partition.of_node.__getitem__, at)]
        with suppress(KeyError):
            return [*map(known.__getitem__, kinds)]
        for number, kind in zip(at, kinds, strict=True):
            if kind not in known:
                known[kind] = self.ask(number, ask)
        return [*map(known.__getitem__, kinds)]

    def ask(self, number: int, ask: Callable[[int], Answer]) -> Answer:
        return ask(number)


class ByLabels(AnswersByNodeKind[Answer]):
    """ByLabels are answers that hold until something changes that is counted in a domain of their nodes, or
    anything else in the state."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        super().__init__((Labels(keys),))
        self.keys = keys
        self._in_domain: dict[Any, dict[int, None]] = {}
        self._state: Any = None

    def follow(self, state: Any) -> None:
        changed = changed_domains(self._state, state, READ_WHOLE)
        if changed is None:
            self.known.clear()
            self._in_domain.clear()
        else:
            for domain in changed:
                for kind in self._in_domain.pop(domain, ()):
                    self.known.pop(kind, None)
        self._state = state

    def ask(self, number: int, ask: Callable[[int], Answer]) -> Answer:
        assert self.partition is not None
        kind = self.partition.of_node[number]
        (labels,) = self.partition.read[kind]
        for domain in zip(self.keys, labels, strict=True):
            self._in_domain.setdefault(domain, {})[kind] = None
        return ask(number)


class _States:
    """The _States are the states of plugins, and the names of the plugins that are asked anew, since they read who
    the pod is or their states do not last. What follows ``others`` is remembered otherwise."""

    def __init__(self, plugins: Sequence[Plugin], others: Collection[str] = ()) -> None:
        self.anew = {each.name for each in plugins if reads_who_it_is(each)}
        self._watched = [each.name for each in plugins if each.name not in {*self.anew, *others}]
        self._last: dict[str, Any] = {}

    def meet(self, states: Mapping[str, Any]) -> bool:
        """Returns whether a plugin that was not asked anew before has to be from now on."""
        met: set[str] = set()
        for plugin in self._watched:
            state = states.get(plugin)
            if plugin not in self._last:
                self._last[plugin] = state
                lasts = is_value(state)
            else:
                last = self._last[plugin]
                lasts = last is state or last == state
            if not lasts:
                met.add(plugin)
        if met:
            self.anew |= met
            self._watched = [plugin for plugin in self._watched if plugin not in met]
        return bool(met)


# --- Filter ---------------------------------------------------------------------------------------


@define(eq=False)
class _Group:
    """A _Group is some plugins of a profile that are asked together (``framework``): neighbours whose answers
    last, or a single plugin. None stands for success."""

    framework: Framework
    answers: AnswersByNodeKind[Status | None] | None = None

    def of(self, at: Sequence[int], filters: NodeFilter) -> list[Status | None]:
        def ask(number: int) -> Status | None:
            node = filters.snapshot.nodes[number]
            return _rejection(self.framework.run_filter_plugins(filters.state, filters.pod, node))

        return [ask(number) for number in at] if self.answers is None else self.answers.of(at, ask)


def _rejection(status: Status) -> Status | None:
    if status.code is Code.ERROR:
        raise AskAnewError
    return None if status.is_success else status


class FilterAnswers:
    def __init__(self, framework: Framework, skipped: Collection[str], kinds: NodeKinds) -> None:
        self._framework, self._kinds = framework, kinds
        self._plugins = [plugin for plugin in framework.filter_plugins if plugin.name not in skipped]
        self._by_labels = {plugin.name for plugin in self._plugins if _is_by_labels(plugin)}
        self._states = _States(self._plugins, self._by_labels)
        self._groups: list[_Group] = []

    def search(
        self,
        start: int,
        number_to_find: int,
        filters: NodeFilter,
        numbers: Numbers,
        nominated: Collection[int],
    ) -> tuple[Search, list[int]]:
        """Returns what find_nodes returns, and the numbers of the feasible nodes."""
        nodes = filters.snapshot.nodes
        self._bring_up_to_date(filters, numbers)
        feasible: list[int] = []
        rejected: dict[str, Status] = {}
        order = round_from(range(len(nodes)), start)
        while some := list(islice(order, number_to_find + 1 - len(feasible))):
            said = self._rejections(some, filters, nominated)
            if said:
                rejected.update(
                    (nodes[number].name, said[number]) for number in filter(said.__contains__, some)
                )
                some = [*filterfalse(said.__contains__, some)]
            feasible += some
        kept, surplus = feasible[:number_to_find], feasible[number_to_find:]
        found = Search(_at(kept, nodes), rejected, _at(surplus, nodes))
        return found, kept

    def _rejections(
        self, at: Sequence[int], filters: NodeFilter, nominated: Collection[int]
    ) -> dict[int, Status]:
        """Returns the nodes that are rejected, of these."""
        said: dict[int, Status] = {}
        if nominated:
            for number in at:
                if number in nominated:
                    status = _rejection(filters.run(filters.snapshot.nodes[number]))
                    if status is not None:
                        said[number] = status
            at = [number for number in at if number not in nominated]
        for group in self._groups:
            statuses = group.of(at, filters)
            if any(statuses):
                said |= {n: status for n, status in zip(at, statuses, strict=True) if status is not None}
                at = [*filterfalse(said.__contains__, at)]
        return said

    def _bring_up_to_date(self, filters: NodeFilter, numbers: Numbers) -> None:
        states = filters.state.states
        if self._states.meet(states) or not self._groups:
            self._groups = list(self._in_groups(states))
        for group in self._groups:
            if isinstance(group.answers, ByLabels) or group.answers is None:
                self._follow(group, states)
            if group.answers is not None:
                group.answers.bring_up_to_date(self._kinds, filters.snapshot, numbers)

    def _in_groups(self, states: Mapping[str, Any]) -> Iterator[_Group]:
        alone = {*self._states.anew, *self._by_labels}
        for name, some in groupby(self._plugins, lambda plugin: plugin.name if plugin.name in alone else ""):
            plugins = tuple(some)
            answers = None if name else AnswersByNodeKind[Status | None](parts_read_by(plugins, states))
            yield _Group(evolve(self._framework, filter_plugins=plugins), answers)

    @staticmethod
    def _follow(group: _Group, states: Mapping[str, Any]) -> None:
        """Gives a plugin that is asked alone the answers that hold with this state, if any may hold."""
        (plugin,) = group.framework.filter_plugins
        keys = labels_read(plugin, states.get(plugin.name))
        answers = group.answers
        if keys is None:
            group.answers = None
            return
        if not isinstance(answers, ByLabels) or answers.keys != keys:
            group.answers = answers = ByLabels(keys)
        answers.follow(states.get(plugin.name))


def _at(numbers: Sequence[int], nodes: Sequence[NodeInfo]) -> tuple[NodeInfo, ...]:
    return tuple(map(nodes.__getitem__, numbers))


# --- Score ----------------------------------------------------------------------------------------


class ScoreAnswers:
    def __init__(self, scoring: Sequence[ScorePlugin], weights: Mapping[str, int], kinds: NodeKinds) -> None:
        self._plugins, self._weights, self._kinds = scoring, weights, kinds
        self._states = _States(scoring)
        self._answers: dict[str, AnswersByNodeKind[int]] = {}

    def totals(
        self,
        states: Mapping[str, Any],
        pod: PodInfo,
        nodes: Sequence[NodeInfo],
        at: Sequence[int],
        snapshot: Snapshot,
        numbers: Numbers,
    ) -> dict[str, int]:
        """Returns the totals by node, in the order given; ``at`` are their numbers."""
        self._states.meet(states)
        names = [node.name for node in nodes]
        sums = [0] * len(names)
        for plugin in self._plugins:
            state, weight = states.get(plugin.name), self._weights[plugin.name]
            scores = self._scores(plugin, state, pod, at, snapshot, numbers)
            if extends(plugin, ScoreExtensions):
                raw = dict(zip(names, scores, strict=True))
                scores = [*map(plugin.normalize_score(state, pod, raw).__getitem__, names)]
            sums = [*map(add, sums, scores if weight == 1 else map(mul, scores, repeat(weight)))]
        return dict(zip(names, sums, strict=True))

    def _scores(
        self,
        plugin: ScorePlugin,
        state: Any,
        pod: PodInfo,
        at: Sequence[int],
        snapshot: Snapshot,
        numbers: Numbers,
    ) -> list[int]:
        def ask(number: int) -> int:
            return plugin.score(state, pod, snapshot.nodes[number])

        if plugin.name in self._states.anew:
            return [ask(number) for number in at]
        answers = self._answers.get(plugin.name)
        if answers is None:
            answers = self._answers[plugin.name] = AnswersByNodeKind[int](parts_read(plugin, state))
        answers.bring_up_to_date(self._kinds, snapshot, numbers)
        return answers.of(at, ask)
