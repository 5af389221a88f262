# SPDX-License-Identifier: Apache-2.0
"""Eligibility: whether this pod may preempt others.

Promised: preemptionPolicy and nominations are documented with the Pod API.
Shows in: preemption.
Source: plugins/defaultpreemption/default_preemption.go, PodEligibleToPreemptOthers.
"""

from __future__ import annotations

from collections.abc import Callable

from refsched.framework.post_filter import PostFilterContext
from refsched.framework.status import Code
from refsched.objects.pod import Pod
from refsched.rules import Reason, applies

NEVER = Reason("not eligible due to preemptionPolicy=Never.", "R-PREEMPT-01")
TERMINATING = Reason("not eligible due to a terminating pod on the nominated node.", "R-PREEMPT-02")


def why_not_eligible(context: PostFilterContext) -> str | None:
    """R-PREEMPT-01: A pod whose preemptionPolicy is Never preempts no pod.
    R-PREEMPT-02: While a victim of preemption is terminating on the node that is nominated to the pod, the pod
    preempts no other, unless that node rejects it as UnschedulableAndUnresolvable.

    Returns None if the pod may preempt."""
    if context.pod.pod.spec.preemption_policy == "Never":
        applies("R-PREEMPT-01")
        return NEVER
    if waits_for_a_victim(context, _leaves_by_preemption):
        applies("R-PREEMPT-02")
        return TERMINATING
    return None


def waits_for_a_victim(context: PostFilterContext, leaves: Callable[[Pod], bool]) -> bool:
    """Returns whether a pod of lower priority that ``leaves`` is on the node that is nominated to the pod, and
    evicting pods may help there."""
    pod = context.pod.pod
    nominated = context.snapshot.get(pod.status.nominated_node_name)
    if nominated is None:
        return False
    if context.status_of(nominated.name).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return False
    return any(may_preempt(pod, other.pod) and leaves(other.pod) for other in nominated.pods)


def may_preempt(preemptor: Pod, other: Pod) -> bool:
    """Returns whether ``other`` may be a victim: only pods of lower priority are (isPreemptionAllowed)."""
    return other.priority < preemptor.priority


def _leaves_by_preemption(pod: Pod) -> bool:
    """Returns whether the pod is being deleted, and its first DisruptionTarget condition names the
    scheduler's preemption (podTerminatingByPreemption)."""
    if pod.metadata.deletion_timestamp is None:
        return False
    target = next((c for c in pod.status.conditions if c.type == "DisruptionTarget"), None)
    return target is not None and (target.status, target.reason) == ("True", "PreemptionByScheduler")
