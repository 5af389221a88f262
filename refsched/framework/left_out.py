# SPDX-License-Identifier: Apache-2.0
"""Left out: what a plugin does at an extension point where the configuration disables it at an earlier one.

A configuration may disable a plugin at PreFilter and not at Filter, at PreScore and not at Score, or at
Filter or Reserve and not at PreBind. Some plugins then compute what they need at the later point; others have
nothing to read, and state in a class attribute what they answer.
Observed: a plugin without one of its earlier points is a configuration that nobody should have.
Shows in: config.
Source: plugins/interpodaffinity/filtering.go, getPreFilterState; plugins/interpodaffinity/scoring.go,
getPreScoreState, and the functions of the same names in other plugins;
plugins/volumebinding/volume_binding.go, Reserve, PreBind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import field, frozen

from refsched.framework.interface import (
    Continue,
    Plugin,
    Point,
    PreFilterPlugin,
    PreScorePlugin,
    Reject,
    ScoresByPreFilter,
    Skip,
    extends,
)
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status
from refsched.rules import ErrorReason, applies

READING = ErrorReason('reading "PreFilter{}" from cycleState: not found', "R-FRAMEWORK-10")
ERROR_READING = ErrorReason('error reading "PreFilter{}" from cycleState: not found', "R-FRAMEWORK-10")
ERROR_READING_CYCLE_STATE = ErrorReason(
    'error reading "PreFilter{}" from cycle-state: not found', "R-FRAMEWORK-10"
)
CANNOT_READ = ErrorReason('cannot read "PreFilter{}" from cycleState', "R-FRAMEWORK-10")
ERROR_READING_PRE_SCORE = ErrorReason(
    'error reading "PreScore{}" from cycleState: not found', "R-FRAMEWORK-11"
)
FAILED_TO_READ_PRE_SCORE = ErrorReason(
    'failed to read "PreScore{}" from cycleState: not found', "R-FRAMEWORK-11"
)

# --- What a plugin says of itself -----------------------------------------------------------------


@runtime_checkable
class NeedsPreFilter(Plugin, Protocol):
    """``WITHOUT_PRE_FILTER`` is the error with which the plugin fails where it reads what its PreFilter
    computes, if PreFilter was left out."""

    @property
    def WITHOUT_PRE_FILTER(self) -> Status: ...  # noqa: N802  (a constant, as the plugins spell it)


@runtime_checkable
class FiltersAlone(Plugin, Protocol):
    """A FiltersAlone plugin decides at Filter about some nodes, or about all, before it reads what its
    PreFilter computes."""

    def filter_alone(self, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Returns what Filter answers before it reads what PreFilter computes, or None if it reads that."""
        ...


@runtime_checkable
class NeedsPreScore(Plugin, Protocol):
    """``WITHOUT_PRE_SCORE`` is the error with which the plugin fails at Score if its PreScore was left out."""

    @property
    def WITHOUT_PRE_SCORE(self) -> Status: ...  # noqa: N802


@runtime_checkable
class NeedsFilter(Plugin, Protocol):
    """A NeedsFilter plugin reserves what its Filter found."""

    def without_filter(self, state: Any) -> Any:
        """Returns the state that Reserve is given if Filter was left out."""
        ...


@runtime_checkable
class NeedsReserve(Plugin, Protocol):
    """A NeedsReserve plugin completes at PreBind what its Reserve began."""

    def without_reserve(self, state: Any, node: NodeInfo) -> Status | None:
        """Returns what PreBind answers if Reserve was left out, or None if PreBind is to be called
        nevertheless."""
        ...


# --- PreFilter and PreScore -----------------------------------------------------------------------


FilterAnswer = Callable[[PodInfo, NodeInfo], Status]
"""A FilterAnswer returns what a plugin whose PreFilter was left out answers at Filter for a node."""


@frozen
class Substitute:
    """A Substitute stands in for an earlier point from which plugins were left out: it has the ``states`` that
    they compute late, those that are ``skipped`` then, and of the others what each answers at Filter
    (``filters``) or with which status it fails at Score (``failures``)."""

    states: dict[str, Any] = field(factory=dict)
    skipped: set[str] = field(factory=set)
    filters: dict[str, FilterAnswer] = field(factory=dict)
    failures: dict[str, Status] = field(factory=dict)

    def compute(self, plugin: Plugin, answer: Continue[Any] | Skip | Reject) -> Status | None:
        """Keeps what the plugin answers late, and returns the status with which it rejects the pod, or None."""
        match answer:
            case Continue(state):
                self.states[plugin.name] = state
            case Skip():
                self.skipped.add(plugin.name)
            case Reject(status):
                return status
        return None


def instead_of_pre_filter(
    called: Sequence[Plugin], later: Sequence[Plugin], pod: PodInfo, snapshot: Snapshot
) -> Substitute:
    """R-FRAMEWORK-10: Filter of a plugin that is disabled at PreFilter alone computes what PreFilter would have,
    without restricting the search; if the plugin cannot do so, its Filter decides what it decides before it reads
    what PreFilter computes, and otherwise fails with an error of its own wording."""
    substitute = Substitute()
    for plugin in plugins_left_out(called, later, PreFilterPlugin):
        applies("R-FRAMEWORK-10")
        if extends(plugin, NeedsPreFilter) or extends(plugin, FiltersAlone):
            substitute.filters[plugin.name] = filter_without_pre_filter(plugin)
            continue
        rejected = substitute.compute(plugin, plugin.pre_filter(pod, snapshot))
        if rejected is not None:
            substitute.filters[plugin.name] = _always(rejected)
    return substitute


def filter_without_pre_filter(plugin: Plugin) -> FilterAnswer:
    """Returns what Filter of this plugin answers without what its PreFilter computes."""

    def answer(pod: PodInfo, node: NodeInfo) -> Status:
        status = plugin.filter_alone(pod, node) if extends(plugin, FiltersAlone) else None
        if status is None:
            assert extends(plugin, NeedsPreFilter), "what decides nothing alone has an error to fail with"
            return plugin.WITHOUT_PRE_FILTER
        return status

    return answer


def _always(status: Status) -> FilterAnswer:
    return lambda pod, node: status


def instead_of_pre_score(
    called: Sequence[Plugin],
    later: Sequence[Plugin],
    pod: PodInfo,
    nodes: Sequence[NodeInfo],
    snapshot: Snapshot,
) -> Substitute:
    """R-FRAMEWORK-11: Score of a plugin that is disabled at PreScore alone computes what PreScore would have, and
    scores every node 0 where that is Skip; if the plugin cannot do so, it fails with an error of its own
    wording."""
    substitute = Substitute()
    for plugin in plugins_left_out(called, later, PreScorePlugin):
        applies("R-FRAMEWORK-11")
        if extends(plugin, NeedsPreScore):
            substitute.failures[plugin.name] = plugin.WITHOUT_PRE_SCORE
            continue
        rejected = substitute.compute(plugin, plugin.pre_score(pod, nodes, snapshot))
        if rejected is not None:
            substitute.failures[plugin.name] = rejected
    return substitute


# --- After Filter ---------------------------------------------------------------------------------


def lacks_pre_filter(called: Sequence[Plugin], plugin: Plugin) -> Status | None:
    """R-FRAMEWORK-12: PreScore, Score, Reserve or PreBind of a plugin that is disabled at PreFilter, or PreBind of
    one that is disabled at Reserve, fails with an error if it reads what was left out.

    Returns the error of a plugin that is not ``called`` at PreFilter, or None."""
    if plugin.name in _names(called) or not extends(plugin, NeedsPreFilter):
        return None
    applies("R-FRAMEWORK-12")
    return plugin.WITHOUT_PRE_FILTER


def cannot_score(called: Sequence[Plugin], plugin: Plugin) -> Status | None:
    """Returns the error of a plugin that is disabled at PreFilter and scores with what that computes, or None."""
    return lacks_pre_filter(called, plugin) if scores_by_pre_filter(plugin) else None


def scores_by_pre_filter(plugin: Plugin) -> bool:
    """Returns whether Score of the plugin reads what its PreFilter computed."""
    return extends(plugin, ScoresByPreFilter) and plugin.SCORES_BY_PRE_FILTER


def cannot_pre_bind(
    called: Sequence[Plugin], reserving: Sequence[Plugin], plugin: Plugin, state: Any, node: NodeInfo
) -> Status | None:
    """Returns the error of a plugin that cannot run PreBind because its PreFilter or its Reserve was left
    out, or None."""
    failure = lacks_pre_filter(called, plugin)
    if failure is not None:
        return failure
    if extends(plugin, NeedsReserve) and plugin.name not in _names(reserving):
        return plugin.without_reserve(state, node)
    return None


def without_filter(
    filtering: Sequence[Plugin], called: Sequence[Plugin], states: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Returns the states that Reserve is given for the plugins that were ``called`` at PreFilter and are left
    out of Filter."""
    names = _names(filtering)
    return {
        plugin.name: plugin.without_filter(states[plugin.name])
        for plugin in called
        if plugin.name in states and plugin.name not in names and extends(plugin, NeedsFilter)
    }


def plugins_left_out(
    called: Sequence[Plugin], later: Sequence[Plugin], point: Callable[..., Point]
) -> Iterator[Point]:
    """Yields the plugins that are called at a later point and extend this one, and are not ``called`` at it."""
    names = _names(called)
    for plugin in later:
        if plugin.name not in names and extends(plugin, point):
            yield plugin


def _names(plugins: Sequence[Plugin]) -> frozenset[str]:
    return frozenset(plugin.name for plugin in plugins)
