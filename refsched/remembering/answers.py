# SPDX-License-Identifier: Apache-2.0
"""Answers: what the plugins of a profile said of each kind of nodes, for the pods of one kind.

A plugin that reads who the pod is, or whose state was another one in a later cycle or is no value, is *asked anew*
in every cycle: what the others said is remembered. The nodes are numbered as the snapshot orders them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import singledispatch
from itertools import chain
from typing import Any

from attrs import evolve

from refsched.cycle.find_nodes import NodeFilter, Search
from refsched.framework.interface import Plugin, ScoreExtensions, ScorePlugin, extends
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Code, Status
from refsched.plugins.inter_pod_affinity import Filtering, InterPodAffinity
from refsched.plugins.pod_topology_spread import FilterState, PodTopologySpread
from refsched.remembering.kinds import reads_who_it_is
from refsched.remembering.node_kinds import Labels, NodeKinds, Part, Partition, parts_read, parts_read_by
from refsched.remembering.values import changed_domains, is_value


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


class _States:
    """The _States are the states of plugins, and the names of those that are asked anew: that read who the pod is,
    are ``by_labels``, or whose states do not last."""

    def __init__(self, plugins: Sequence[Plugin], by_labels: Collection[str] = ()) -> None:
        self._rank = {plugin.name: rank for rank, plugin in enumerate(plugins)}
        self._last: dict[str, Any] = {}
        self.anew = [each.name for each in plugins if reads_who_it_is(each) or each.name in by_labels]

    def rank(self, plugin: str) -> int:
        return self._rank[plugin]

    def meet(self, states: Mapping[str, Any]) -> bool:
        """Returns whether a plugin has to be asked anew from now on that had not before."""
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
        return bool(met)


# --- Filter ---------------------------------------------------------------------------------------


class FilterAnswers:
    """``_statuses`` has what those plugins said together that are not asked anew, by the kind of the node."""

    def __init__(self, framework: Framework, skipped: Collection[str], kinds: NodeKinds) -> None:
        self._plugins = {p.name: p for p in framework.filter_plugins if p.name not in skipped}
        self._framework = self._lasting = framework
        by_labels = [name for name, plugin in self._plugins.items() if _is_by_labels(plugin)]
        self._states = _States(tuple(self._plugins.values()), by_labels)
        self._kinds = kinds
        self._parts: tuple[Part, ...] = ()
        self._partition: Partition | None = None
        self._statuses: dict[int, Status] = {}
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
        kind_of = self._prepared(filters, numbers).of_node
        nodes, statuses = filters.snapshot.nodes, self._statuses
        asked = {plugin: self._asked_anew(plugin, filters, numbers) for plugin in self._states.anew}
        alone = next(iter(asked.values())) if len(asked) == 1 else None
        by_labels = alone if isinstance(alone, _AnewByLabels) else None
        feasible: list[int] = []
        rejected: dict[str, Status] = {}
        surplus: tuple[NodeInfo, ...] = ()
        first = start % len(nodes) if nodes else 0
        for number in chain(range(first, len(nodes)), range(first)):
            status = statuses.get(kind_of[number])
            if status is None:
                status = statuses[kind_of[number]] = self._ask(filters, nodes[number])
            if number in nominated:
                status = _no_error(filters.run(nodes[number]))
            elif by_labels is not None and status is SUCCESS:
                status = by_labels.known.get(by_labels.kind_of[number])
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

    def _prepared(self, filters: NodeFilter, numbers: Mapping[str, int]) -> Partition:
        if self._states.meet(filters.state.states) or self._lasting is self._framework:
            lasting = tuple(p for name, p in self._plugins.items() if name not in self._states.anew)
            self._lasting = evolve(self._framework, filter_plugins=lasting)
            self._parts = parts_read_by(lasting, filters.pod.pod, filters.state.states)
            self._partition = None
        partition = self._kinds.partition(self._parts, filters.snapshot, numbers)
        if partition is not self._partition:
            self._partition, self._statuses = partition, {}
        return partition

    def _ask(self, filters: NodeFilter, node: NodeInfo) -> Status:
        return _no_error(self._lasting.run_filter_plugins(filters.state, filters.pod, node))

    # --- Plugins that are asked anew ----------------------------------------------------------------

    def _asked_anew(self, plugin: str, filters: NodeFilter, numbers: Mapping[str, int]) -> _Anew:
        asked = self._plugins[plugin]
        alone = evolve(self._framework, filter_plugins=(asked,))
        state = filters.state.states.get(plugin)
        keys = labels_read(asked, state)
        if keys is None:
            return _Anew(alone, filters)
        partition = self._kinds.partition((Labels(keys),), filters.snapshot, numbers)
        answers = self._by_labels.get(plugin)
        if answers is None or answers.partition is not partition:
            answers = self._by_labels[plugin] = ByLabels(partition, keys)
        answers.bring_up_to_date(state)
        return _AnewByLabels(alone, filters, answers)

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
        return _no_error(self._alone.run_filter_plugins(self._filters.state, self._filters.pod, node))


class ByLabels:
    """A ByLabels has what a plugin answered for all nodes that have the same values of the labels that it reads.
    An answer holds until something changes that is counted in a domain of these nodes, or anything else."""

    def __init__(self, partition: Partition, keys: Sequence[str]) -> None:
        self.partition = partition
        self.answers: dict[int, Status] = {}
        self._keys = keys
        self._in_domain: dict[Any, dict[int, None]] = {}
        self._state: Any = None

    def bring_up_to_date(self, state: Any) -> None:
        changed = changed_domains(self._state, state, READ_WHOLE)
        if changed is None:
            self.answers.clear()
            self._in_domain.clear()
        else:
            for domain in changed:
                for kind in self._in_domain.pop(domain, ()):
                    self.answers.pop(kind, None)
        self._state = state

    def put(self, kind: int, status: Status) -> None:
        self.answers[kind] = status
        (labels,) = self.partition.read[kind]
        for domain in zip(self._keys, labels, strict=True):
            self._in_domain.setdefault(domain, {})[kind] = None


class _AnewByLabels(_Anew):
    """An _AnewByLabels is a plugin that is asked once for all nodes with the same labels, as far as it reads
    them."""

    def __init__(self, alone: Framework, filters: NodeFilter, answers: ByLabels) -> None:
        super().__init__(alone, filters)
        self._answers = answers
        self.known = answers.answers
        self.kind_of = answers.partition.of_node

    def status(self, node: NodeInfo, number: int) -> Status:
        kind = self.kind_of[number]
        status = self.known.get(kind)
        if status is None:
            status = super().status(node, number)
            self._answers.put(kind, status)
        return status


def _no_error(status: Status) -> Status:
    if status.code is Code.ERROR:
        raise AskAnewError
    return SUCCESS if status.is_success else status


# --- Score ----------------------------------------------------------------------------------------


def _normalizes(plugin: ScorePlugin) -> bool:
    return extends(plugin, ScoreExtensions)


class _ScoresByKind:
    """A _ScoresByKind has of each kind of nodes what plugins scored that read the same parts of a node: the
    weighted sum of those without Normalize, and what each of the others did."""

    def __init__(self, parts: tuple[Part, ...], plugins: Sequence[ScorePlugin]) -> None:
        self.parts = parts
        self.whole = [plugin for plugin in plugins if not _normalizes(plugin)]
        self.raw = [plugin for plugin in plugins if _normalizes(plugin)]
        self.scores: dict[int, tuple[int, ...]] = {}
        self.partition: Partition | None = None


class ScoreAnswers:
    """ScoreAnswers have what the lasting plugins scored, each by the kinds that the nodes are of to it."""

    def __init__(self, scoring: Sequence[ScorePlugin], weights: Mapping[str, int], kinds: NodeKinds) -> None:
        self._plugins = {plugin.name: plugin for plugin in scoring}
        self._weights = weights
        self._states = _States(scoring)
        self._kinds = kinds
        self._lasting: list[_ScoresByKind] = []

    def totals(
        self,
        states: Mapping[str, Any],
        pod: PodInfo,
        nodes: Sequence[NodeInfo],
        at: Sequence[int],
        snapshot: Snapshot,
        numbers: Mapping[str, int],
    ) -> dict[str, int]:
        """Returns the totals by node, in the order given; ``at`` are their numbers."""
        if self._states.meet(states) or not self._lasting:
            by_parts: dict[tuple[Part, ...], list[ScorePlugin]] = {}
            for name, plugin in self._plugins.items():
                if name not in self._states.anew:
                    by_parts.setdefault(parts_read(plugin, pod.pod, states.get(name)), []).append(plugin)
            self._lasting = [_ScoresByKind(*each) for each in by_parts.items()]
        names = [node.name for node in nodes]
        sums = [0] * len(names)
        for lasting in self._lasting:
            partition = self._kinds.partition(lasting.parts, snapshot, numbers)
            known = self._known(lasting, partition, states, pod, nodes, at)
            if lasting.whole:
                sums = [total + scores[0] for total, scores in zip(sums, known, strict=True)]
            for place, plugin in enumerate(lasting.raw, 1):
                raw = dict(zip(names, [scores[place] for scores in known], strict=True))
                sums = self._added(sums, plugin, states, pod, raw)
        for name in self._states.anew:
            plugin, state = self._plugins[name], states.get(name)
            raw = {node.name: plugin.score(state, pod, node) for node in nodes}
            sums = self._added(sums, plugin, states, pod, raw)
        return dict(zip(names, sums, strict=True))

    def _known(
        self,
        lasting: _ScoresByKind,
        partition: Partition,
        states: Mapping[str, Any],
        pod: PodInfo,
        nodes: Sequence[NodeInfo],
        at: Sequence[int],
    ) -> list[tuple[int, ...]]:
        """Returns what these plugins scored each of the nodes."""
        if lasting.partition is not partition:
            lasting.partition, lasting.scores = partition, {}
        scores, kind_of = lasting.scores, partition.of_node
        with suppress(KeyError):
            return [scores[kind_of[number]] for number in at]
        for number, node in zip(at, nodes, strict=True):
            if kind_of[number] not in scores:
                scores[kind_of[number]] = self._ask(lasting, states, pod, node)
        return [scores[kind_of[number]] for number in at]

    def _ask(
        self, lasting: _ScoresByKind, states: Mapping[str, Any], pod: PodInfo, node: NodeInfo
    ) -> tuple[int, ...]:
        whole = sum(
            plugin.score(states.get(plugin.name), pod, node) * self._weights[plugin.name]
            for plugin in lasting.whole
        )
        return whole, *(plugin.score(states.get(plugin.name), pod, node) for plugin in lasting.raw)

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
