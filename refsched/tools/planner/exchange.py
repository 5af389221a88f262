# SPDX-License-Identifier: Apache-2.0
"""Exchange: one scheduler's view of the cluster, in which some parts are those of another scheduler.

A part is a plugin, a plugin's weight, the objects as a release reads them, or how a release runs plugins and
searches nodes. A difference between two schedulers is confirmed by exchanging its part alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from attrs import Factory, define, evolve, fields, frozen

from refsched.cycle.decide import Decider, Decision
from refsched.cycle.find_nodes import SearchNodes
from refsched.framework.interface import Plugin
from refsched.framework.node_info import PodInfo
from refsched.framework.runtime import Framework
from refsched.machine.scheduler import Scheduler
from refsched.objects.pod import Pod
from refsched.remembering.framework import Memory, remembering
from refsched.remembering.snapshots import RememberingState
from refsched.tools.planner.cluster import why_gated_by

PLUGIN, WEIGHT, OBJECTS, CYCLE = "plugin", "weight", "objects", "cycle"
ALL_NODES = 100
POINTS = (
    "pre_enqueue_plugins",
    "pre_filter_plugins",
    "filter_plugins",
    "pre_score_plugins",
    "score_plugins",
)
"""These are the points that decide where a pod may go."""


@frozen(order=True)
class DifferingPart:
    """A DifferingPart is what two schedulers may have differently. ``plugin`` is the plugin's name, if there is
    one, and ``weights`` are its weights before and after."""

    kind: str
    plugin: str = ""
    weights: tuple[int, ...] = ()


@frozen
class Placement:
    """``nodes`` are those of which a scheduler takes one; there are none if it places the pod nowhere, and
    ``message`` says why. ``rejections`` say why a node is rejected. A node that is not among ``evaluated`` was
    not looked at, since the search had ended."""

    nodes: tuple[str, ...] = ()
    message: str = ""
    rejections: dict[str, str] = Factory(dict)
    evaluated: frozenset[str] = frozenset()


@define(eq=False)
class ComparedScheduler:
    """A ComparedScheduler is a scheduler that was shown the cluster, or one of which parts are another's."""

    scheduler: Scheduler
    framework: Framework
    decider: type[Decider]
    search: SearchNodes

    def decide(self, pod: Pod, percentage: int | None = None) -> Placement:
        """Returns where the pod may go as things are. ``percentage`` is percentageOfNodesToScore if it is not to
        be that of the profile."""
        state = self.scheduler.state
        gated = why_gated_by(self.framework, pod, state.objects)
        if gated is not None:
            return Placement(message=gated.message)
        snapshot = state.snapshot()
        if not snapshot.nodes:
            return Placement(message="no nodes available to schedule pods")
        if percentage is None:
            percentage = self.framework.percentage_of_nodes_to_score
        decider = self.decider(
            self.framework,
            snapshot,
            state.queue.nominated_pods_for_node,
            percentage=percentage,
            search=self.search,
        )
        return _placement(decider.decide(PodInfo(pod)))


def side(scheduler: Scheduler, profile: str) -> ComparedScheduler:
    state = scheduler.state
    return ComparedScheduler(scheduler, state.profiles[profile], state.decider, state.search)


def _placement(decision: Decision) -> Placement:
    statuses = {**decision.errors, **decision.diagnosis.node_to_status}
    status = decision.failure or decision.pre_filter.status
    message = "" if decision.best else status.message
    if not decision.best and not message:
        message = "; ".join(sorted({each.message for each in statuses.values()}))
    return Placement(
        decision.best,
        message,
        {node: f"{each.plugin or 'an extender'}: {each.message}" for node, each in statuses.items()},
        frozenset(statuses) | {node.name for node in decision.feasible},
    )


# --- Parts ----------------------------------------------------------------------------------------


def differing_parts(before: ComparedScheduler, after: ComparedScheduler) -> tuple[DifferingPart, ...]:
    """Returns the parts that the two schedulers have differently, plugins first."""
    one, other = _plain(before.framework), _plain(after.framework)
    names = sorted({plugin.name for framework in (one, other) for plugin in framework.plugins})
    parts = [DifferingPart(PLUGIN, name) for name in names if _plugin(one, name) != _plugin(other, name)]
    parts += [
        DifferingPart(WEIGHT, name, (one.score_weights[name], other.score_weights[name]))
        for name in names
        if name in one.score_weights
        and name in other.score_weights
        and one.score_weights[name] != other.score_weights[name]
    ]
    if before.scheduler.kubernetes is not after.scheduler.kubernetes:
        parts += [DifferingPart(OBJECTS), DifferingPart(CYCLE)]
    return tuple(parts)


def exchanged(
    before: ComparedScheduler, after: ComparedScheduler, parts: Collection[DifferingPart]
) -> ComparedScheduler:
    """Returns ``after`` with these parts of ``before``."""
    one, other = _plain(before.framework), _plain(after.framework)
    plugins = {part.plugin for part in parts if part.kind == PLUGIN}
    weights = dict(other.score_weights)
    for part in parts:
        if part.kind == PLUGIN and part.plugin in one.score_weights:
            weights.setdefault(part.plugin, one.score_weights[part.plugin])
        elif part.kind == WEIGHT:
            weights[part.plugin] = part.weights[0]
    points: dict[str, Any] = {point: _at(point, one, other, plugins) for point in POINTS}
    made = evolve(other, **points, score_weights=weights)
    decider = after.decider
    if DifferingPart(CYCLE) in parts:
        made = type(one)(**{each.name: getattr(made, each.name) for each in fields(Framework)})
        decider = before.decider
    scheduler = (before if DifferingPart(OBJECTS) in parts else after).scheduler
    state = scheduler.state
    if not isinstance(state, RememberingState):
        return ComparedScheduler(scheduler, made, decider, state.search)
    memory = Memory(state.queue.nominator, state.changes)
    return ComparedScheduler(scheduler, remembering(made, memory), decider, memory.search)


def _plain(framework: Framework) -> Framework:
    plain: Framework = getattr(framework, "plain", framework)
    return plain


def _plugin(framework: Framework, name: str) -> tuple[Plugin | None, tuple[str, ...]]:
    """Returns the plugin and the points at which it is enabled."""
    at = [point for point in POINTS if any(plugin.name == name for plugin in getattr(framework, point))]
    return next((plugin for plugin in framework.plugins if plugin.name == name), None), tuple(at)


def _at(point: str, one: Framework, other: Framework, names: Collection[str]) -> Sequence[Plugin]:
    """Returns the plugins of ``other`` at a point, with those of these names as ``one`` has them: each in its
    place if both have it, and otherwise last."""
    theirs = {plugin.name: plugin for plugin in getattr(one, point) if plugin.name in names}

    def merged() -> Iterator[Plugin]:
        for plugin in getattr(other, point):
            if plugin.name not in names:
                yield plugin
            elif plugin.name in theirs:
                yield theirs.pop(plugin.name)
        yield from theirs.values()

    return tuple(merged())
