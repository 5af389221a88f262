# SPDX-License-Identifier: Apache-2.0
"""Framework: the plugins of a profile, run at one extension point after the other.

Promised: what plugins answer at each point is documented with the scheduling framework, KEP-624.
Shows in: filter.
Source: pkg/scheduler/framework/runtime/framework.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from refsched.extenders.extender import Extender
from refsched.framework.cycle_state import NO_STATE, CycleState, PreFilterResult, Scores
from refsched.framework.interface import (
    BindPlugin,
    Continue,
    FailsToScore,
    FilterPlugin,
    PermitPlugin,
    Plugin,
    PostBindPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterExtensions,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    Reject,
    ReservePlugin,
    ScoreExtensions,
    ScorePlugin,
    ScoresBySnapshot,
    Skip,
    extends,
)
from refsched.framework.left_out import (
    FilterAnswer,
    cannot_score,
    instead_of_pre_filter,
    instead_of_pre_score,
    scores_by_pre_filter,
    without_filter,
)
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterPlugin
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Code, Status, error, unresolvable
from refsched.objects.pod import Pod
from refsched.rules import ErrorReason, Reason, applies

NOBODY_SATISFIES = Reason("node(s) didn't satisfy plugin {}", "R-SEARCH-09")
NOBODY_SATISFIES_ALL = Reason("node(s) didn't satisfy plugin(s) [{}] simultaneously", "R-SEARCH-09")
PRE_FILTER_FAILED = ErrorReason('running PreFilter plugin "{}": {}', "R-WORDS-02")
FILTER_FAILED = ErrorReason('running "{}" filter plugin: {}', "R-SEARCH-06")
PRE_SCORE_FAILED = ErrorReason('running PreScore plugin "{}": {}', "R-WORDS-02")
SCORE_FAILED = ErrorReason('running Score plugins: plugin "{}" failed with: {}', "R-WORDS-02")
PLUGIN_FAILED = ErrorReason('running {} plugin "{}": {}', "R-ROLLBACK-02")


@frozen
class Scoring:
    """``plugins`` score a pod, with what PreScore computed for each (``states``). Those in ``all_zero`` are not
    asked, and score every node 0: a configuration disables their PreScore, which would have answered Skip."""

    plugins: Sequence[ScorePlugin]
    states: Mapping[str, Any]
    all_zero: frozenset[str]


@frozen
class Framework:
    """A Framework has the plugins of one profile at each point, and the extenders, in the order in which they
    are called."""

    profile_name: str
    queue_sort_plugin: QueueSortPlugin | None = None
    pre_enqueue_plugins: Sequence[PreEnqueuePlugin] = ()
    pre_filter_plugins: Sequence[PreFilterPlugin] = ()
    filter_plugins: Sequence[FilterPlugin] = ()
    pre_score_plugins: Sequence[PreScorePlugin] = ()
    score_plugins: Sequence[ScorePlugin] = ()
    score_weights: Mapping[str, int] = field(factory=dict)
    post_filter_plugins: Sequence[PostFilterPlugin] = ()
    reserve_plugins: Sequence[ReservePlugin] = ()
    permit_plugins: Sequence[PermitPlugin] = ()
    pre_bind_plugins: Sequence[PreBindPlugin] = ()
    bind_plugins: Sequence[BindPlugin] = ()
    post_bind_plugins: Sequence[PostBindPlugin] = ()
    percentage_of_nodes_to_score: int = 0
    extenders: Sequence[Extender] = ()

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """Returns once every plugin of the profile that is called at another point than QueueSort, where none can
        reject a pod."""
        points: tuple[Sequence[Plugin], ...] = (
            self.pre_enqueue_plugins,
            self.pre_filter_plugins,
            self.filter_plugins,
            self.post_filter_plugins,
            self.pre_score_plugins,
            self.score_plugins,
            self.reserve_plugins,
            self.permit_plugins,
            self.pre_bind_plugins,
            self.bind_plugins,
            self.post_bind_plugins,
        )
        return tuple({plugin.name: plugin for point in points for plugin in point}.values())

    # --- PreFilter --------------------------------------------------------------------------------

    def run_pre_filter_plugins(self, pod: PodInfo, snapshot: Snapshot) -> PreFilterResult:
        """Calls the PreFilter plugins, of which any may reject the pod. After an unresolvable rejection no further
        plugin is called; after another rejection the remaining ones are.

        Source: RunPreFilterPlugins.
        """
        states: dict[str, Any] = {}
        skipped: set[str] = set()
        narrowed_by: set[str] = set()
        nodes: frozenset[str] | None = None
        rejected = SUCCESS
        filters: dict[str, FilterAnswer] = {}

        def result(status: Status, *, by: set[str] | None = None) -> PreFilterResult:
            state = CycleState(states, frozenset(skipped), filters)
            return PreFilterResult(status, state, nodes, frozenset(by or ()))

        for plugin in self.pre_filter_plugins:
            match self.pre_filter(plugin, pod, snapshot):
                case Skip():
                    skipped.add(plugin.name)
                case Reject(status) if status.code is Code.UNSCHEDULABLE:
                    rejected = status.by(plugin.name)
                case Reject(status) if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
                    return result(status.by(plugin.name))
                case Reject(status):
                    return result(_pre_filter_error(plugin, status))
                case Continue(state, narrowed_to):
                    states[plugin.name] = state
                    if narrowed_to is None:
                        continue
                    narrowed_by.add(plugin.name)
                    nodes = narrowed_to if nodes is None else nodes & narrowed_to
                    if not nodes:
                        return result(unresolvable(_nobody_satisfies(narrowed_by)), by=narrowed_by)
        late = instead_of_pre_filter(self.pre_filter_plugins, self.filter_plugins, pod, snapshot)
        states |= late.states
        skipped |= late.skipped
        filters |= late.filters
        states |= without_filter(self.filter_plugins, self.pre_filter_plugins, states)
        return result(rejected, by=narrowed_by)

    def pre_filter(
        self, plugin: PreFilterPlugin, pod: PodInfo, snapshot: Snapshot
    ) -> Continue[Any] | Skip | Reject:
        """Asks one plugin. Every PreFilter plugin of the profile is asked here."""
        return plugin.pre_filter(pod, snapshot)

    def add_pod(
        self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> CycleState:
        """Returns the state as if ``added`` were on ``node``, which already counts it."""
        states = dict(state.states)
        for plugin in self._with_extensions(state):
            states[plugin.name] = plugin.add_pod(states[plugin.name], pod, added, node, snapshot)
        return evolve(state, states=states)

    def remove_pod(
        self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> CycleState:
        """Returns the state as if ``removed`` were not on ``node``, which no longer counts it."""
        states = dict(state.states)
        for plugin in self._with_extensions(state):
            states[plugin.name] = plugin.remove_pod(states[plugin.name], pod, removed, node, snapshot)
        return evolve(state, states=states)

    def _with_extensions(self, state: CycleState) -> list[PreFilterExtensions]:
        return [
            plugin
            for plugin in self.pre_filter_plugins
            if extends(plugin, PreFilterExtensions) and plugin.name not in state.skipped
        ]

    # --- Filter -----------------------------------------------------------------------------------

    def run_filter_plugins(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status:
        """R-FRAMEWORK-13: Filter plugins are called in their order until one does not accept the node, and this
        one decides."""
        skipped, states, filters = state.skipped, state.states, state.filters
        for plugin in self.filter_plugins:
            name = plugin.name
            if name in skipped:
                continue
            instead = filters.get(name)
            status = plugin.filter(states.get(name), pod, node) if instead is None else instead(pod, node)
            if status is SUCCESS or status.is_success:
                continue
            if not status.is_rejected:
                status = self.filter_error(name, pod, status)
            applies("R-FRAMEWORK-13")
            return status.by(name)
        return SUCCESS

    def filter_error(self, plugin: str, pod: PodInfo, status: Status) -> Status:
        """Turns a status of Filter that is neither Success nor a rejection into an error."""
        return error(FILTER_FAILED.format(plugin, status.message))

    def run_filter_plugins_with_nominated_pods(
        self,
        state: CycleState,
        pod: PodInfo,
        node: NodeInfo,
        nominated: Sequence[PodInfo],
        snapshot: Snapshot,
    ) -> Status:
        """R-NOM-01 (decides filter; shows in nominations): A node passes Filter only if the pod fits there both
        with the pods of equal or higher priority that are nominated to the node, and without them.

        Source: RunFilterPluginsWithNominatedPods.
        """
        crowded, crowded_state = node, state
        counted = [n for n in nominated if n.pod.priority >= pod.pod.priority and n.pod.uid != pod.pod.uid]
        applies("R-NOM-01", when=counted)
        for other in counted:
            crowded = crowded.with_pod(other)
            crowded_state = self.add_pod(crowded_state, pod, other, crowded, snapshot)
        status = self.run_filter_plugins(crowded_state, pod, crowded)
        if counted and status.is_success:
            return self.run_filter_plugins(state, pod, node)
        return status

    # --- Score ------------------------------------------------------------------------------------

    def run_score_plugins(
        self, pod: PodInfo, nodes: Sequence[NodeInfo], snapshot: Snapshot, state: CycleState = NO_STATE
    ) -> Scores | Status:
        """Runs PreScore, and Score of the plugins that do not skip it; ``state`` is that of PreFilter. Source:
        RunScorePlugins."""
        scoring = self.run_pre_score_plugins(pod, nodes, snapshot, state)
        if isinstance(scoring, Status):
            return scoring
        scores = self.score_nodes(scoring.plugins, scoring.states, pod, nodes, snapshot)
        if not scoring.all_zero:
            return scores
        zeros = {name: {node.name: 0 for node in nodes} for name in sorted(scoring.all_zero)}
        return evolve(scores, raw={**scores.raw, **zeros}, normalized={**scores.normalized, **zeros})

    def run_pre_score_plugins(
        self, pod: PodInfo, nodes: Sequence[NodeInfo], snapshot: Snapshot, state: CycleState
    ) -> Scoring | Status:
        """Runs PreScore, and returns the plugins that do not skip Score. Source: RunPreScorePlugins."""
        states: dict[str, Any] = {}
        skipped: set[str] = set()
        for plugin in self.pre_score_plugins:
            failure = cannot_score(self.pre_filter_plugins, plugin)
            if failure is not None:
                return _pre_score_error(plugin, failure)
            match self.pre_score(plugin, pod, nodes, snapshot):
                case Skip():
                    skipped.add(plugin.name)
                case Reject(status):
                    return _pre_score_error(plugin, status)
                case Continue(computed):
                    states[plugin.name] = computed
        late = instead_of_pre_score(self.pre_score_plugins, self.score_plugins, pod, nodes, snapshot)
        for name, status in late.failures.items():
            return _score_error(name, status)
        states |= late.states
        idle = skipped | late.skipped
        scoring = [plugin for plugin in self.score_plugins if plugin.name not in idle]
        states |= {each.name: state.states.get(each.name) for each in scoring if scores_by_pre_filter(each)}
        states |= states_of_snapshot(scoring, snapshot)
        for each in scoring:
            failure = self._score_failure(each, states)
            if failure is not None:
                return _score_error(each.name, failure)
        return Scoring(scoring, states, frozenset(late.skipped))

    def _score_failure(self, plugin: ScorePlugin, states: Mapping[str, Any]) -> Status | None:
        """Returns the error with which Score of the plugin fails on every node, or None."""
        failure = cannot_score(self.pre_filter_plugins, plugin)
        if failure is None and extends(plugin, FailsToScore):
            return plugin.score_error(states.get(plugin.name))
        return failure

    def pre_score(
        self, plugin: PreScorePlugin, pod: PodInfo, nodes: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Any] | Skip | Reject:
        """Asks one plugin. Every PreScore plugin of the profile is asked here."""
        return plugin.pre_score(pod, nodes, snapshot)

    def score_nodes(
        self,
        scoring: Sequence[ScorePlugin],
        states: Mapping[str, Any],
        pod: PodInfo,
        nodes: Sequence[NodeInfo],
        snapshot: Snapshot,
    ) -> Scores:
        """Calls Score of these plugins for each node, and then Normalize."""
        raw = {
            plugin.name: {node.name: plugin.score(states.get(plugin.name), pod, node) for node in nodes}
            for plugin in scoring
        }
        return self.normalized(scoring, states, pod, raw)

    def normalized(
        self,
        scoring: Sequence[ScorePlugin],
        states: Mapping[str, Any],
        pod: PodInfo,
        raw: Mapping[str, Mapping[str, int]],
    ) -> Scores:
        """R-FRAMEWORK-14 (decides scores; shows in score): A plugin's scores are normalized first, and then
        multiplied by the plugin's weight."""
        normalized = {
            plugin.name: plugin.normalize_score(states.get(plugin.name), pod, raw[plugin.name])
            if extends(plugin, ScoreExtensions)
            else raw[plugin.name]
            for plugin in scoring
        }
        applies("R-FRAMEWORK-14", when=scoring)
        return Scores(raw, normalized, self.score_weights)

    # --- Reserve, Permit, PreBind, Bind (framework/reserve_and_bind.py) ---------------------------

    def failure_at(self, point: str, plugin: Plugin, status: Status, pod: Pod) -> Status:
        """Returns what becomes of a status, other than Success, that a plugin answers at Reserve, Permit, PreBind
        or Bind: a rejection stays as it is, and any other status is an error that says where it was met. In Go a
        Skip at a point that does not know it is no error, and is printed as nil (Status.AsError)."""
        if status.is_rejected:
            return status.by(plugin.name)
        said = "%!w(<nil>)" if status.code is Code.SKIP else status.message
        return error(PLUGIN_FAILED.format(point, plugin.name, said)).by(plugin.name)


def states_of_snapshot(scoring: Sequence[ScorePlugin], snapshot: Snapshot) -> dict[str, Any]:
    """Returns, by plugin, what Score reads of the snapshot."""
    return {
        each.name: each.state_of_snapshot(snapshot) for each in scoring if extends(each, ScoresBySnapshot)
    }


def _nobody_satisfies(plugins: set[str]) -> Reason:
    if len(plugins) == 1:
        return NOBODY_SATISFIES.of(min(plugins))
    return NOBODY_SATISFIES_ALL.of(" ".join(sorted(plugins)))


def _pre_filter_error(plugin: Plugin, status: Status) -> Status:
    return error(PRE_FILTER_FAILED.format(plugin.name, status.message)).by(plugin.name)


def _pre_score_error(plugin: Plugin, status: Status) -> Status:
    return error(PRE_SCORE_FAILED.format(plugin.name, status.message))


def _score_error(plugin: str, status: Status) -> Status:
    return error(SCORE_FAILED.format(plugin, status.message))
