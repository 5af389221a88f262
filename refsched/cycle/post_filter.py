# SPDX-License-Identifier: Apache-2.0
"""PostFilter in the cycle: the plugins are run, and the preemption that they chose is prepared.

Source: framework/runtime/framework.go, RunPostFilterPlugins; framework/preemption/preemption.go,
prepareCandidateAsync, PreemptPod (v1.34.2).
"""

from __future__ import annotations

from attrs import frozen

from refsched.cycle.cycle import Cycle
from refsched.cycle.decide import Decision
from refsched.framework.interface import extends
from refsched.framework.node_info import PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterPlugin, PostFilterResult
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code, error, unschedulable
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod, PodCondition
from refsched.records import Output
from refsched.rules import applies

PREEMPTION_PLUGIN = "DefaultPreemption"


@frozen
class PostFilterOutcome:
    """``victims`` are listed as in a record; ``writes`` are reported after the attempt."""

    message: str = ""
    nominated_node: str | None = None
    victims: tuple[str, ...] | None = None
    writes: tuple[Output, ...] = ()


def run_post_filter(cycle: Cycle, pod: PodInfo, snapshot: Snapshot, decision: Decision) -> PostFilterOutcome:
    """R-POSTFILTER-01: A profile without PostFilter plugins leaves the pod's nomination as it was."""
    scheduler = cycle.scheduler
    if not cycle.framework.post_filter_plugins:
        applies("R-POSTFILTER-01")
        return PostFilterOutcome()
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
    reported = len(scheduler.records)
    result = scheduler.rules.prepare_preemption(scheduler, pod.pod, _run(cycle, context))
    writes = tuple(scheduler.records[reported:])
    del scheduler.records[reported:]
    victims = tuple(sorted(victim.pod.key for victim in result.victims)) or None
    return PostFilterOutcome(result.status.message, result.nominated_node, victims, writes)


def _run(cycle: Cycle, context: PostFilterContext) -> PostFilterResult:
    """R-POSTFILTER-02: The PostFilter point ends at the first plugin that succeeds, says
    UnschedulableAndUnresolvable or fails; if none does, all reasons are reported, and the last nomination
    counts."""
    reasons: list[str] = []
    nominated: str | None = None
    for plugin in cycle.framework.post_filter_plugins:
        assert extends(plugin, PostFilterPlugin)
        result = plugin.post_filter(context)
        applies("R-POSTFILTER-02")
        if result.status.is_success or result.status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return result
        if not result.status.is_rejected:
            return PostFilterResult(error(result.status.message).by(plugin.name))
        if result.nominated_node is not None:
            nominated = result.nominated_node
        reasons.extend(result.status.reasons)
    return PostFilterResult(unschedulable(*reasons), nominated)


# --- Preparation ----------------------------------------------------------------------------------


def prepare_asynchronously(
    scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult
) -> PostFilterResult:
    """R-PREEMPT-PREP-01: Pods of lower priority that are nominated to the node lose their nomination; then
    each victim is rejected if it waits on Permit, and deleted if it does not.

    kube-scheduler does this in a goroutine (SchedulerAsyncPreemption), and gates the preemptor meanwhile. Here
    it is over before the scheduler sees the first deletion.
    """
    applies("R-PREEMPT-PREP-01", when=result.victims)
    _withdraw(scheduler, result)
    failed = [victim.pod for victim in result.victims if not _evict(scheduler, preemptor, victim.pod)]
    if failed:
        scheduler.queue.activate([preemptor])
    return result


def prepare_at_once(scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult) -> PostFilterResult:
    """R-PREEMPT-PREP-03: Without SchedulerAsyncPreemption victims are evicted before nominations are
    withdrawn, and a victim that no longer exists makes the preemption an error: no node is nominated.
    Source: prepareCandidate."""
    applies("R-PREEMPT-PREP-03", when=result.victims)
    failed = [victim.pod for victim in result.victims if not _evict(scheduler, preemptor, victim.pod)]
    if failed:
        why = scheduler.choices.choose("error", [f'pods "{victim.name}" not found' for victim in failed])
        return PostFilterResult(error(f"preemption: {why}").by(PREEMPTION_PLUGIN), victims=result.victims)
    _withdraw(scheduler, result)
    return result


def _withdraw(scheduler: SchedulerState, result: PostFilterResult) -> None:
    for outranked in result.outranked:
        if outranked.pod.status.nominated_node_name:
            scheduler.api.patch_status(outranked.pod, nominated_node="")


def _evict(scheduler: SchedulerState, preemptor: Pod, victim: Pod) -> bool:
    """R-PREEMPT-PREP-02: If a victim no longer exists and bears no DisruptionTarget condition, its eviction is an
    error, and the preemptor is requeued at once.

    Returns whether the victim is evicted."""
    waiting = scheduler.waiting_pods.get(victim.uid)
    if waiting is not None:
        waiting.reject(PREEMPTION_PLUGIN, "preempted")
        return True
    message = f"{preemptor.spec.scheduler_name}: preempting to accommodate a higher priority pod"
    condition = PodCondition("DisruptionTarget", "True", "PreemptionByScheduler", message)
    if scheduler.api.get(Pod, victim.name, victim.namespace) is None:
        applies("R-PREEMPT-PREP-02")
        return condition in victim.status.conditions
    scheduler.api.patch_status(victim, condition)
    scheduler.write("delete", victim)
    return True
