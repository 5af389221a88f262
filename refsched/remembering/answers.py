# SPDX-License-Identifier: Apache-2.0
"""Answers: what the plugins of a profile said of each node, for the pods of one kind.

A plugin whose state was another one in a later cycle, or is no value, is *asked anew* in every cycle: of the
others everything is remembered until the node changes. The nodes are numbered as the snapshot orders them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import singledispatch
from itertools import chain
from typing import Any

from attrs import evolve

from refsched.cycle.find_nodes import NodeFilter, Search
from refsched.framework.interface import ScoreExtensions, ScorePlugin, extends
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.status import SUCCESS, Code, Status
from refsched.plugins.inter_pod_affinity import Filtering, InterPodAffinity
from refsched.plugins.pod_topology_spread import FilterState, PodTopologySpread
from refsched.remembering.changes import NodeChanges
from refsched.remembering.values import changed_domains, is_value


@singledispatch
def labels_read(plugin: object, state: Any) -> tuple[str, ...] | None:
    """Returns the keys of the labels of a node that the plugin reads at Filter, or None if it may read more of the
    node. Of TopologyCounts in its state it reads what they are in the domains of these labels, and whether they
    are empty."""
    return None


@labels_read.register(PodTopologySpread)
def _(plugin: PodTopologySpread, state: FilterState) -> tuple[str, ...]:
    return tuple(spread.constraint.topology_key for spread in state)


@labels_read.register(InterPodAffinity)
def _(plugin: InterPodAffinity, state: Filtering) -> tuple[str, ...]:
    existing = state.existing_anti_affinity
    keys = {key for key, _ in (*existing.counted, *existing.changes)}
    terms = (*state.affinity_terms, *state.anti_affinity_terms)
    return tuple(sorted(keys.union(term.topology_key for term in terms)))


class AskAnewError(Exception):
    """An AskAnewError says that what was met is rare, and is left to the specification as it stands."""


class _States:
    """The _States are the states of plugins, and the names of those whose states do not last."""

    def __init__(self, plugins: Sequence[str]) -> None:
        self._rank = {plugin: rank for rank, plugin in enumerate(plugins)}
        self._last: dict[str, Any] = {}
        self.anew: list[str] = []

    def rank(self, plugin: str) -> int:
        return self._rank[plugin]

    def meet(self, states: Mapping[str, Any]) -> list[str]:
        """Returns the plugins that have to be asked anew from now on, and had not before."""
        met: list[str] = []
        for plugin in self._rank:
            if plugin in self.anew:
                continue
            state = states.get(plugin)
            if plugin not in self._last:
                lasts = is_value(state)
                self._last[plugin] = state
            else:
                last = self._last[plugin]
                lasts = last is state or last == state
            if not lasts:
                met.append(plugin)
        self.anew = sorted((*self.anew, *met), key=self.rank)
        return met


class Numbered:
    """A Numbered has one value for each node, None if it is not known. It is forgotten when the node changes."""

    def __init__(self, changes: NodeChanges) -> None:
        self.of_node: list[Any] = []
        self._changes = changes
        self._generation = -1
        self._numbers: Mapping[str, int] = {}

    def bring_up_to_date(self, numbers: Mapping[str, int]) -> None:
        if numbers is not self._numbers:
            known = dict(zip(self._numbers, self.of_node, strict=True))
            self.of_node = [known.get(name) for name in numbers]
            self._numbers = numbers
        for name, generation in reversed(self._changes.changed.items()):
            if generation <= self._generation:
                break
            if name in numbers:
                self.of_node[numbers[name]] = None
        self._generation = self._changes.generation

    def clear(self) -> None:
        self.of_node = [None] * len(self.of_node)

    def forget(self, is_old: Callable[[Any], bool]) -> None:
        self.of_node = [None if one is None or is_old(one) else one for one in self.of_node]


# --- Filter ---------------------------------------------------------------------------------------


class FilterAnswers:
    """``pod`` is one of the kind, without a name."""

    def __init__(
        self, framework: Framework, pod: PodInfo, skipped: Collection[str], changes: NodeChanges
    ) -> None:
        self._plugins = {p.name: p for p in framework.filter_plugins if p.name not in skipped}
        self._framework = framework
        self._pod = pod
        self._states = _States(tuple(self._plugins))
        self._changes = changes
        self._statuses = Numbered(changes)
        self._lasting = framework
        self._by_labels: dict[str, ByLabels] = {}

    def search(
        self,
        start: int,
        number_to_find: int,
        filters: NodeFilter,
        numbers: Mapping[str, int],
        nominated: Collection[int],
    ) -> tuple[Search, list[int]]:
        """Returns what find_nodes returns, and the numbers of the feasible nodes."""
        self._prepare(filters, numbers)
        nodes, statuses = filters.snapshot.nodes, self._statuses.of_node
        asked = {plugin: self._asked_anew(plugin, filters, numbers) for plugin in self._states.anew}
        alone = next(iter(asked.values())) if len(asked) == 1 else None
        by_labels = alone if isinstance(alone, _AnewByLabels) else None
        feasible: list[int] = []
        rejected: dict[str, Status] = {}
        surplus: tuple[NodeInfo, ...] = ()
        for number in chain(range(start, len(nodes)), range(start)):
            status = statuses[number]
            if status is None:
                status = statuses[number] = self._ask(filters, nodes[number])
            if number in nominated:
                status = _no_error(filters.run(nodes[number]))
            elif by_labels is not None and status is SUCCESS:
                status = by_labels.known.get(by_labels.labels[number])
                if status is None:
                    status = by_labels.status(nodes[number], number)
            elif asked:
                status = self._with_those_anew(status, asked, nodes[number], number)
            if status is not SUCCESS:
                rejected[nodes[number].name] = status
            elif len(feasible) < number_to_find:
                feasible.append(number)
            else:
                surplus = (nodes[number],)
                break
        return Search(tuple(map(nodes.__getitem__, feasible)), rejected, surplus), feasible

    def _prepare(self, filters: NodeFilter, numbers: Mapping[str, int]) -> None:
        self._statuses.bring_up_to_date(numbers)
        met = self._states.meet(filters.state.states)
        if met or self._lasting is self._framework:
            lasting = tuple(p for name, p in self._plugins.items() if name not in self._states.anew)
            self._lasting = evolve(self._framework, filter_plugins=lasting)
            self._statuses.forget(lambda status: status.plugin in met)

    def _ask(self, filters: NodeFilter, node: NodeInfo) -> Status:
        return _no_error(self._lasting.run_filter_plugins(filters.state, self._pod, node))

    # --- Plugins that are asked anew ----------------------------------------------------------------

    def _asked_anew(self, plugin: str, filters: NodeFilter, numbers: Mapping[str, int]) -> _Anew:
        asked = self._plugins[plugin]
        alone = evolve(self._framework, filter_plugins=(asked,))
        state = filters.state.states.get(plugin)
        keys = labels_read(asked, state)
        if keys is None:
            return _Anew(alone, filters)
        if plugin not in self._by_labels or self._by_labels[plugin].keys != keys:
            self._by_labels[plugin] = ByLabels(keys, self._changes)
        answers = self._by_labels[plugin]
        answers.labels.bring_up_to_date(numbers)
        answers.bring_up_to_date(state)
        return _AnewByLabels(alone, filters, self._pod, answers)

    def _with_those_anew(
        self, status: Status, asked: Mapping[str, _Anew], node: NodeInfo, number: int
    ) -> Status:
        """Returns the status of the first plugin that rejects; those of ``status`` are in one row with the
        others."""
        rank = self._states.rank
        before = len(self._plugins) if status is SUCCESS else rank(status.plugin)
        for plugin, anew in asked.items():
            if rank(plugin) > before:
                break
            answer = anew.status(node, number)
            if answer is not SUCCESS:
                return answer
        return status


class _Anew:
    """An _Anew is one plugin, asked about each node that the search comes to."""

    def __init__(self, alone: Framework, filters: NodeFilter) -> None:
        self._alone = alone
        self._filters = filters

    def status(self, node: NodeInfo, number: int) -> Status:
        return self._ask(self._filters.pod, node)

    def _ask(self, pod: PodInfo, node: NodeInfo) -> Status:
        return _no_error(self._alone.run_filter_plugins(self._filters.state, pod, node))


class ByLabels:
    """A ByLabels has what a plugin answered for all nodes that have the same values of the labels that it reads.
    An answer holds until something changes that is counted in a domain of these nodes, or anything else."""

    def __init__(self, keys: Sequence[str], changes: NodeChanges) -> None:
        self.keys = keys
        self.labels = Numbered(changes)
        self.answers: dict[Any, Status] = {}
        self._in_domain: dict[Any, dict[Any, None]] = {}
        self._state: Any = None

    def bring_up_to_date(self, state: Any) -> None:
        changed = changed_domains(self._state, state)
        if changed is None:
            self.answers.clear()
            self._in_domain.clear()
        else:
            for domain in changed:
                for labels in self._in_domain.pop(domain, ()):
                    self.answers.pop(labels, None)
        self._state = state

    def put(self, labels: Sequence[str], status: Status) -> None:
        self.answers[labels] = status
        for domain in zip(self.keys, labels, strict=True):
            self._in_domain.setdefault(domain, {})[labels] = None


class _AnewByLabels(_Anew):
    """An _AnewByLabels is a plugin that is asked once for all nodes with the same labels, as far as it reads them;
    ``pod`` is one of the kind, without a name."""

    def __init__(self, alone: Framework, filters: NodeFilter, pod: PodInfo, answers: ByLabels) -> None:
        super().__init__(alone, filters)
        self._pod = pod
        self._answers = answers
        self.known = answers.answers
        self.labels = answers.labels.of_node

    def status(self, node: NodeInfo, number: int) -> Status:
        values = self.labels[number]
        if values is None:
            labels = node.existing_node.metadata.labels
            values = self.labels[number] = tuple(labels.get(key) for key in self._answers.keys)
        status = self.known.get(values)
        if status is None:
            status = self._ask(self._pod, node)
            self._answers.put(values, status)
        return status


def _no_error(status: Status) -> Status:
    if status.code is Code.ERROR:
        raise AskAnewError
    return SUCCESS if status.is_success else status


# --- Score ----------------------------------------------------------------------------------------


def _normalizes(plugin: ScorePlugin) -> bool:
    return extends(plugin, ScoreExtensions)


class ScoreAnswers:
    """ScoreAnswers have of each node the weighted sum of what lasting plugins without Normalize scored, and what
    each of the lasting ones with Normalize did."""

    def __init__(
        self,
        scoring: Sequence[ScorePlugin],
        weights: Mapping[str, int],
        pod: PodInfo,
        changes: NodeChanges,
    ) -> None:
        self._plugins = {plugin.name: plugin for plugin in scoring}
        self._weights = weights
        self._pod = pod
        self._states = _States(tuple(self._plugins))
        self._scores = Numbered(changes)
        self._whole: list[ScorePlugin] = []
        self._raw: list[ScorePlugin] = []

    def totals(
        self,
        states: Mapping[str, Any],
        pod: PodInfo,
        nodes: Sequence[NodeInfo],
        at: Sequence[int],
        numbers: Mapping[str, int],
    ) -> dict[str, int]:
        """Returns the totals by node, in the order given; ``at`` are their numbers."""
        self._scores.bring_up_to_date(numbers)
        if self._states.meet(states) or not (self._whole or self._raw):
            lasting = [p for name, p in self._plugins.items() if name not in self._states.anew]
            self._raw = [plugin for plugin in lasting if _normalizes(plugin)]
            self._whole = [plugin for plugin in lasting if not _normalizes(plugin)]
            self._scores.clear()
        of_node = self._scores.of_node
        known = [of_node[number] for number in at]
        if None in known:
            for place, number in enumerate(at):
                if known[place] is None:
                    known[place] = of_node[number] = self._ask(states, nodes[place])
        names = [node.name for node in nodes]
        sums = [scores[0] for scores in known]
        for place, plugin in enumerate(self._raw, 1):
            raw = dict(zip(names, [scores[place] for scores in known], strict=True))
            sums = self._added(sums, plugin, states, pod, raw)
        for name in self._states.anew:
            plugin, state = self._plugins[name], states.get(name)
            raw = {node.name: plugin.score(state, pod, node) for node in nodes}
            sums = self._added(sums, plugin, states, pod, raw)
        return dict(zip(names, sums, strict=True))

    def _ask(self, states: Mapping[str, Any], node: NodeInfo) -> tuple[int, ...]:
        whole = sum(
            plugin.score(states.get(plugin.name), self._pod, node) * self._weights[plugin.name]
            for plugin in self._whole
        )
        return whole, *(plugin.score(states.get(plugin.name), self._pod, node) for plugin in self._raw)

    def _added(
        self,
        sums: list[int],
        plugin: ScorePlugin,
        states: Mapping[str, Any],
        pod: PodInfo,
        raw: Mapping[str, int],
    ) -> list[int]:
        scores = raw
        if extends(plugin, ScoreExtensions):
            scores = plugin.normalize_score(states.get(plugin.name), pod, raw)
        weight = self._weights[plugin.name]
        return [total + scores[name] * weight for total, name in zip(sums, raw, strict=True)]
