# SPDX-License-Identifier: Apache-2.0
"""Framework in v1.19: the plugins of a profile, run at one extension point after the other as in that
release.

PreFilter does not restrict the search, PreScore skips no plugin, and errors are worded otherwise.
Promised: what plugins answer at each point is documented with the scheduling framework, KEP-624.
Shows in: config.
Source: pkg/scheduler/framework/runtime/framework.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import frozen

from refsched.framework import runtime as current
from refsched.framework.cycle_state import NO_STATE, CycleState, PreFilterResult, Scores
from refsched.framework.interface import (
    Continue,
    Plugin,
    PreFilterPlugin,
    PreScorePlugin,
    Reject,
    Skip,
    extends,
)
from refsched.framework.left_out import (
    FilterAnswer,
    NeedsPreFilter,
    NeedsPreScore,
    filter_without_pre_filter,
    plugins_left_out,
    without_filter,
)
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error
from refsched.objects.pod import Pod
from refsched.rules import ErrorReason, Reason, applies

ERROR_READING = ErrorReason('error reading "PreFilter{}" from cycleState: not found', "R-FRAMEWORK-52")
ERROR_READING_PRE_SCORE = ErrorReason(
    'Error reading "PreScore{}" from cycleState: not found', "R-FRAMEWORK-54"
)
PRE_FILTER_FAILED = ErrorReason('prefilter plugin "{}" failed for pod "{}": {}', "R-FRAMEWORK-51")
FILTER_FAILED = ErrorReason('running "{}" filter plugin for pod "{}": {}', "R-SEARCH-06")
SCORE_FAILED = ErrorReason('error while running score plugin for pod "{}": {}', "R-FRAMEWORK-54")
NOT_IN_SNAPSHOT = ErrorReason(
    'getting node "{}" from Snapshot: nodeinfo not found for node name "{}"', "R-EXTENDER-53"
)
RESERVE_FAILED = ErrorReason(
    'error while running Reserve in "{}" reserve plugin for pod "{}": {}', "R-WORDS-52"
)
NOT_PERMITTED = Reason('rejected pod "{}" by permit plugin "{}": {}', "R-WORDS-52")
BIND_FAILED = ErrorReason('plugin "{}" failed to bind pod "{}": {}', "R-WORDS-52")
PLUGIN_FAILED = ErrorReason('error while running "{}" {} plugin for pod "{}": {}', "R-WORDS-52")


@runtime_checkable
class ScoresAlike(Plugin, Protocol):
    """A ScoresAlike plugin gives every node the same score for some pods, without reading what its PreScore
    computed."""

    def scores_alike(self, pod: PodInfo) -> bool: ...


@frozen
class Framework(current.Framework):
    """This Framework is that of later releases except for the methods that it overrides."""

    # --- PreFilter --------------------------------------------------------------------------------

    def run_pre_filter_plugins(self, pod: PodInfo, snapshot: Snapshot) -> PreFilterResult:
        """R-FRAMEWORK-51: In v1.19 the first PreFilter plugin that rejects the pod, with either code, rejects it
        on every node, and the plugins after it are not called.
        R-FRAMEWORK-52 (instead of R-FRAMEWORK-10; observed: a plugin without its PreFilter is a configuration that
        nobody should have): In v1.19 a plugin that is disabled at PreFilter alone fails with an error where its
        Filter reads what PreFilter computes."""
        states: dict[str, Any] = {}
        skipped: set[str] = set()
        for plugin in self.pre_filter_plugins:
            match plugin.pre_filter(pod, snapshot):
                case Skip():
                    skipped.add(plugin.name)
                case Reject(status) if status.is_rejected:
                    applies("R-FRAMEWORK-51")
                    return PreFilterResult(status.by(plugin.name), CycleState(states, frozenset(skipped)))
                case Reject(status):
                    said = PRE_FILTER_FAILED.format(plugin.name, pod.pod.name, status.message)
                    return PreFilterResult(error(said), CycleState(states, frozenset(skipped)))
                case Continue(state, _):
                    states[plugin.name] = state
        filters: dict[str, FilterAnswer] = {}
        for plugin in plugins_left_out(self.pre_filter_plugins, self.filter_plugins, PreFilterPlugin):
            if extends(plugin, NeedsPreFilter):
                applies("R-FRAMEWORK-52")
                filters[plugin.name] = filter_without_pre_filter(plugin)
            else:
                answer = plugin.pre_filter(pod, snapshot)
                assert isinstance(answer, Continue)
                states[plugin.name] = answer.state
        states |= without_filter(self.filter_plugins, self.pre_filter_plugins, states)
        return PreFilterResult(SUCCESS, CycleState(states, frozenset(skipped), filters))

    # --- Filter -----------------------------------------------------------------------------------

    def filter_error(self, plugin: str, pod: PodInfo, status: Status) -> Status:
        """Returns the error, which names the pod in v1.19."""
        return error(FILTER_FAILED.format(plugin, pod.pod.name, status.message))

    # --- Score ------------------------------------------------------------------------------------

    def run_score_plugins(
        self, pod: PodInfo, nodes: Sequence[NodeInfo], snapshot: Snapshot, state: CycleState = NO_STATE
    ) -> Scores | Status:
        """R-FRAMEWORK-53: In v1.19 every Score plugin scores every feasible node.
        R-FRAMEWORK-54 (instead of R-FRAMEWORK-11; observed: a plugin without its PreScore is a configuration that
        nobody should have): In v1.19 a plugin that is disabled at PreScore alone fails with an error where its
        Score reads what PreScore computes; the first Score plugin that fails on a node is reported.
        R-EXTENDER-53 (observed: what a node that was sent back lacks is an accident; shows in extenders; needs
        score): In v1.19 a node that an extender sends back as an object is scored as the snapshot has it, with its
        pods and its images; one that the snapshot does not have is an error if there are two or more.

        Source: Score of each plugin, which looks the node up by its name.
        """
        known = [(node, snapshot.get(node.name)) for node in nodes]
        applies("R-EXTENDER-53", when=any(node is not own for node, own in known))
        unknown = [node.name for node, own in known if own is None]
        if self.score_plugins and unknown:
            name = snapshot.choices.choose("error", unknown)
            return _failed_at_score(pod, NOT_IN_SNAPSHOT.of(name, name))
        scored = [own for _, own in known if own is not None]
        states = current.states_of_snapshot(self.score_plugins, snapshot)
        for plugin in self.pre_score_plugins:
            states[plugin.name] = _state_of(plugin.pre_score(pod, nodes, snapshot))
        failures: dict[str, Status] = {}
        for plugin in plugins_left_out(self.pre_score_plugins, self.score_plugins, PreScorePlugin):
            if extends(plugin, NeedsPreScore) and not _needs_nothing(plugin, pod):
                failures[plugin.name] = plugin.WITHOUT_PRE_SCORE
            else:
                states[plugin.name] = _state_of(plugin.pre_score(pod, nodes, snapshot))
        applies("R-FRAMEWORK-53")
        raw: dict[str, dict[str, int]] = {plugin.name: {} for plugin in self.score_plugins}
        for node in scored:
            for scoring in self.score_plugins:
                score: int | Status | None = failures.get(scoring.name)
                applies("R-FRAMEWORK-54", when=score is not None)
                if score is None:
                    score = scoring.score(states.get(scoring.name), pod, node)
                if isinstance(score, Status):
                    return _failed_at_score(pod, score.message)
                raw[scoring.name][node.name] = score
        return self.normalized(self.score_plugins, states, pod, raw)

    # --- Reserve, Permit, PreBind, Bind -----------------------------------------------------------

    def failure_at(self, point: str, plugin: Plugin, status: Status, pod: Pod) -> Status:
        """R-WORDS-52 (shows in any record): In v1.19 whatever Reserve, PreBind or Bind answers, other than
        Success, is an error, also a rejection; only Permit can reject a pod."""
        name, said = plugin.name, status.message
        applies("R-WORDS-52")
        match point:
            case "Reserve":
                return error(RESERVE_FAILED.of(name, pod.name, said))
            case "Permit" if status.is_rejected:
                return Status(status.code, (NOT_PERMITTED.of(pod.name, name, said),))
            case "Bind":
                return error(BIND_FAILED.of(name, pod.key, said))
        return error(PLUGIN_FAILED.of(name, point.lower(), pod.name, said))


def _state_of(answer: Continue[Any] | Skip | Reject) -> Any:
    assert isinstance(answer, Continue), "no PreScore plugin of v1.19 answers otherwise"
    return answer.state


def _needs_nothing(plugin: Plugin, pod: PodInfo) -> bool:
    return extends(plugin, ScoresAlike) and plugin.scores_alike(pod)


def _failed_at_score(pod: PodInfo, why: str) -> Status:
    return error(SCORE_FAILED.format(pod.pod.name, why))
