# SPDX-License-Identifier: Apache-2.0
"""Upgrade: which pods of a cluster one scheduler would place differently from another, and what is the cause.

Each pod is decided by itself against the cluster as it is given; a pod that runs is decided as if it did not. What
preemption would do is not compared. A pod that only goes elsewhere since the search for nodes ends at other nodes
is no change: with all nodes evaluated it stays. It is counted by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import Factory, define, field, frozen

from refsched.framework.interface import Plugin
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.rules import listening
from refsched.tools.planner.causes import Causes, Parts
from refsched.tools.planner.cluster import FINISHED, show, why_passed_over
from refsched.tools.planner.exchange import ALL_NODES, PLUGIN, ComparedScheduler, Placement, side
from refsched.tools.planner.explain import without_node

RulesOfBoth = tuple[frozenset[str], frozenset[str]]

ELSEWHERE, NOWHERE, PLACED = "elsewhere", "nowhere", "placed"


@frozen
class PlacementChange:
    """A PlacementChange is a pod that the two schedulers place differently, all nodes considered. Taking back
    ``parts`` alone puts it where it went; there are none if no cause was confirmed."""

    pod: str
    before: Placement
    after: Placement
    parts: Parts

    @property
    def effect(self) -> str:
        if not self.before.nodes:
            return PLACED
        return ELSEWHERE if self.after.nodes else NOWHERE


@frozen
class Cause:
    """A Cause is what makes these pods go elsewhere. ``applied`` are the rules that each scheduler applied to the
    first of them, ``made`` are those that are applied because the parts are the first one's, and because they are
    the second one's, and ``plugins`` are the plugins of either that differ."""

    parts: Parts
    changes: tuple[PlacementChange, ...]
    applied: RulesOfBoth
    made: RulesOfBoth
    plugins: tuple[tuple[Plugin, ...], tuple[Plugin, ...]]


@frozen
class UpgradeComparison:
    """An UpgradeComparison has how many pods were compared, the causes, the most frequent first, and the pods that
    only go elsewhere since the search ends at other nodes."""

    pods: int
    causes: tuple[Cause, ...] = ()
    search_only: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[PlacementChange, ...]:
        return tuple(change for cause in self.causes for change in cause.changes)


def compare(
    before: tuple[Scheduler, Sequence[ApiObject]],
    after: tuple[Scheduler, Sequence[ApiObject]],
    progress: Callable[[int], None] = lambda compared: None,
) -> UpgradeComparison:
    """Compares the same cluster as two schedulers read it, each of which has seen nothing yet. ``progress`` is
    called with how many pods were compared so far. Raises InputError as ``plan`` does."""
    run = _Run(before[0], after[0])
    for (key, old), (_, new) in zip(_pods(*before), _pods(*after), strict=True):
        run.compare(key, old, new)
        progress(run.pods)
    return run.result()


def _pods(scheduler: Scheduler, objects: Sequence[ApiObject]) -> Iterator[tuple[str, Pod]]:
    """Yields each pod to be placed. While it is yielded it does not run in the cluster. The kubelets have reported
    every node again since the last one came: v1.19 counts the nodes that have an image when a node is reported."""
    show(scheduler, objects)
    for node in (shown for shown in objects if isinstance(shown, Node)):
        scheduler.update(node)
    for pod in (shown for shown in objects if isinstance(shown, Pod)):
        if pod.status.phase in FINISHED or why_passed_over(scheduler, pod):
            continue
        if not pod.spec.node_name:
            yield pod.key, pod
            continue
        scheduler.delete(Pod, pod.name, pod.metadata.namespace)
        yield pod.key, without_node(pod)
        scheduler.create(pod)


@define(eq=False)
class _Run:
    before: Scheduler
    after: Scheduler
    pods: int = 0
    _causes: dict[str, Causes] = Factory(dict)
    _changes: dict[Parts, list[PlacementChange]] = field(factory=dict)
    _applied: dict[Parts, RulesOfBoth] = Factory(dict)
    _made: dict[Parts, RulesOfBoth] = Factory(dict)
    _plugins: dict[Parts, tuple[tuple[Plugin, ...], tuple[Plugin, ...]]] = Factory(dict)
    _search_only: list[str] = Factory(list)

    def compare(self, key: str, old: Pod, new: Pod) -> None:
        self.pods += 1
        causes = self._causes_for(old.spec.scheduler_name)
        if _equal(causes.before.decide(old), causes.after.decide(new)):
            return
        went, goes = causes.before.decide(old, ALL_NODES), causes.after.decide(new, ALL_NODES)
        if _equal(went, goes):
            self._search_only.append(key)
            return
        parts = causes.of(old, new, went)
        change = PlacementChange(key, went, goes, parts)
        self._changes.setdefault(parts, []).append(change)
        if parts not in self._applied:
            self._applied[parts] = applied(causes.before, old), applied(causes.after, new)
            with_theirs = applied(*causes.taken_back(parts, old, new))
            self._made[parts] = _made(change.effect, with_theirs, self._applied[parts][1])
            self._plugins[parts] = _of(causes.before, parts), _of(causes.after, parts)

    def _causes_for(self, profile: str) -> Causes:
        if profile not in self._causes:
            self._causes[profile] = Causes(side(self.before, profile), side(self.after, profile))
        return self._causes[profile]

    def result(self) -> UpgradeComparison:
        by_pods = sorted(self._changes.items(), key=lambda found: (-len(found[1]), found[0]))
        causes = (
            Cause(parts, tuple(changes), self._applied[parts], self._made[parts], self._plugins[parts])
            for parts, changes in by_pods
        )
        return UpgradeComparison(self.pods, tuple(causes), tuple(self._search_only))


def _equal(one: Placement, other: Placement) -> bool:
    return set(one.nodes) == set(other.nodes)


def applied(decider: ComparedScheduler, pod: Pod) -> frozenset[str]:
    """Returns the rules that decide where the pod goes."""
    rules: set[str] = set()
    with listening(rules.add):
        decider.decide(pod, ALL_NODES)
    return frozenset(rules)


def _made(effect: str, without: frozenset[str], with_it: frozenset[str]) -> RulesOfBoth:
    """Returns the rules that are applied only without a part of the second scheduler, and only with it. Where one
    of both places the pod nowhere, the rules of the other say what comes later, and are left out."""
    only_without = frozenset() if effect == NOWHERE else without - with_it
    only_with = frozenset() if effect == PLACED else with_it - without
    return only_without, only_with


def _of(decider: ComparedScheduler, parts: Parts) -> tuple[Plugin, ...]:
    names = {part.plugin for part in parts if part.kind == PLUGIN}
    return tuple(plugin for plugin in decider.framework.plugins if plugin.name in names)
