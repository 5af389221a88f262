# SPDX-License-Identifier: Apache-2.0
"""Helped by preemption: the nodes on which preemption would help a pod. DefaultPreemption itself is asked about
each."""

from __future__ import annotations

from attrs import evolve

from refsched.cycle.decide import Decision
from refsched.framework.choices import FirstChoice
from refsched.framework.node_info import PodInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code, Status
from refsched.machine.state import SchedulerState

PREEMPTION = "DefaultPreemption"
_ELSEWHERE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


def helped_by_preemption(
    state: SchedulerState, framework: Framework, snapshot: Snapshot, decision: Decision, pod: PodInfo
) -> frozenset[str]:
    """Returns the nodes on which evicting pods helps. Extenders are not called: they may still reject each."""
    plugin = next((each for each in framework.post_filter_plugins if each.name == PREEMPTION), None)
    if plugin is None or not decision.pre_filter.status.is_success:
        return frozenset()
    context = PostFilterContext(
        evolve(framework, extenders=()),
        snapshot,
        decision.pre_filter.state,
        pod,
        decision.diagnosis.node_to_status,
        decision.diagnosis.absent,
        state.queue.nominated_pods_for_node,
        state.clock.time,
        state,
        FirstChoice(),
    )
    if not plugin.post_filter(context).status.is_success:
        return frozenset()  # the pod may not preempt, or nowhere
    free = evolve(pod.pod, status=evolve(pod.pod.status, nominated_node_name=""))
    return frozenset(
        node
        for node, status in context.statuses.items()
        if status.code is not Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        and plugin.post_filter(
            evolve(context, pod=PodInfo(free), statuses={node: status}, absent=_ELSEWHERE)
        ).status.is_success
    )
