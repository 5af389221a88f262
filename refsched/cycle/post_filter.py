# SPDX-License-Identifier: Apache-2.0
"""PostFilter in the cycle: the plugins are run, and what they chose is carried out (preemption/eviction.py).

Promised: PostFilter is documented with the scheduling framework, KEP-624.
Shows in: preemption.
Source: framework/runtime/framework.go, RunPostFilterPlugins.
"""

from __future__ import annotations

from attrs import frozen

from refsched.cycle.cycle import Cycle
from refsched.cycle.decide import Decision
from refsched.framework.node_info import PodInfo
from refsched.framework.post_filter import PostFilterContext, run_post_filter_plugins
from refsched.framework.snapshot import Snapshot


@frozen
class PostFilterOutcome:
    """``victims`` are listed as in a record. ``activates`` says that the pod is activated."""

    message: str = ""
    nominated_node: str | None = None
    victims: tuple[str, ...] | None = None
    activates: bool = False


def run_post_filter(cycle: Cycle, pod: PodInfo, snapshot: Snapshot, decision: Decision) -> PostFilterOutcome:
    """Runs the profile's PostFilter plugins, of which there is at least one, and carries out what they chose.
    What is written meanwhile is recorded."""
    scheduler = cycle.scheduler
    plugins = cycle.framework.post_filter_plugins
    context = PostFilterContext(
        cycle.framework,
        snapshot,
        decision.pre_filter.state,
        pod,
        decision.diagnosis.node_to_status,
        decision.diagnosis.absent,
        scheduler.queue.nominated_pods_for_node,
        scheduler.clock.time,
        scheduler,
        scheduler.choices,
    )
    result = scheduler.evict(scheduler, pod.pod, run_post_filter_plugins(plugins, context))
    victims = tuple(sorted(victim.pod.key for victim in result.victims)) or None
    return PostFilterOutcome(result.status.message, result.nominated_node, victims, result.activates)
