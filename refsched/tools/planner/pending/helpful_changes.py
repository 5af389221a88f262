# SPDX-License-Identifier: Apache-2.0
"""Helpful changes: what would help a pod that fits nowhere, one change each, confirmed by deciding again."""

from __future__ import annotations

from collections.abc import Iterator

from refsched.machine.scheduler import Scheduler
from refsched.objects.pod import Pod
from refsched.tools.planner.pending.changed_claims import changed_claims, smaller_volumes
from refsched.tools.planner.pending.changed_cluster import one_more_node, what_can_be_done, what_comes
from refsched.tools.planner.pending.changed_pods import changed_pods, tolerations, without_gates
from refsched.tools.planner.pending.held_devices import pods_that_hold_devices
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.trying import Trials
from refsched.tools.planner.verdicts import HelpfulChange


def helpful_changes(scheduler: Scheduler, situation: Situation) -> tuple[HelpfulChange, ...]:
    """Returns the changes, the cheapest first. The scheduler stays as it is."""
    trials = Trials(scheduler, situation.pod.pod)
    found = (trials.tried(idea) for idea in _ideas(situation))
    more = (trials.tried(idea) for idea in one_more_node(situation))
    return (*(each for each in found if each.nodes), *[each for each in more if each.nodes][:1])


def _ideas(situation: Situation) -> Iterator[HelpfulChange]:
    yield from what_comes(situation)
    yield from changed_pods(situation)
    yield from changed_claims(situation)
    yield from smaller_volumes(situation)
    yield from what_can_be_done(situation)
    yield from pods_that_hold_devices(situation)
    yield from tolerations(situation, of_control_plane=True)


def what_helps_gated(scheduler: Scheduler, pod: Pod) -> tuple[HelpfulChange, ...]:
    """Returns what helps a pod with scheduling gates, if it is feasible without them."""
    if not pod.spec.scheduling_gates:
        return ()
    change = Trials(scheduler, pod).tried(without_gates(pod))
    return (change,) if change.nodes else ()
