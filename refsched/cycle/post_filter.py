# SPDX-License-Identifier: Apache-2.0
"""PostFilter in the cycle: the plugins are run, and what they chose to do is prepared.

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

PREEMPTION_PLUGIN = "DefaultPreemption"


@frozen
class PostFilterOutcome:
    """``victims`` as a record lists them; ``writes`` are told after the attempt."""

    message: str = ""
    nominated_node: str | None = None
    victims: tuple[str, ...] | None = None
    writes: tuple[Output, ...] = ()


def run_post_filter(cycle: Cycle, pod: PodInfo, snapshot: Snapshot, decision: Decision) -> PostFilterOutcome:
    """R-POSTFILTER-01: without PostFilter plugins the nomination is left as it was."""
    scheduler = cycle.scheduler
    if not cycle.framework.post_filter_plugins:
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
    told = len(scheduler.records)
    result = scheduler.rules.prepare_preemption(scheduler, pod.pod, _run(cycle, context))
    writes = tuple(scheduler.records[told:])
    del scheduler.records[told:]
    victims = tuple(sorted(victim.pod.key for victim in result.victims)) or None
    return PostFilterOutcome(result.status.message, result.nominated_node, victims, writes)


def _run(cycle: Cycle, context: PostFilterContext) -> PostFilterResult:
    """R-POSTFILTER-02: the first plugin that succeeds, or says that nothing helps, ends the point; an error does
    too, and leaves the nomination. Otherwise the reasons add up, and the last nomination counts."""
    reasons: list[str] = []
    nominated: str | None = None
    for plugin in cycle.framework.post_filter_plugins:
        assert extends(plugin, PostFilterPlugin)
        result = plugin.post_filter(context)
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
    """R-PREEMPT-PREP-01: pods of lower priority nominated to the node lose their nomination; then each victim is
    rejected where it waits on Permit, and deleted where it does not.

    kube-scheduler does it in a goroutine (SchedulerAsyncPreemption), and holds the preemptor gated meanwhile.
    It is over here before its first deletion comes back.
    """
    _withdraw(scheduler, result)
    failed = [victim.pod for victim in result.victims if not _evict(scheduler, preemptor, victim.pod)]
    if failed:
        scheduler.queue.activate([preemptor])
    return result


def prepare_at_once(scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult) -> PostFilterResult:
    """R-PREEMPT-PREP-03: without SchedulerAsyncPreemption victims go before nominations do, and one that is gone
    already makes an error of the preemption: nobody is nominated. Source: prepareCandidate."""
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
    """R-PREEMPT-PREP-02: a victim that is gone, as one may be whose binding is under way, cannot be told why it is
    evicted. That is an error, and the preemptor is tried again without waiting for an event."""
    waiting = scheduler.waiting_pods.get(victim.uid)
    if waiting is not None:
        waiting.reject(PREEMPTION_PLUGIN, "preempted")
        return True
    message = f"{preemptor.spec.scheduler_name}: preempting to accommodate a higher priority pod"
    condition = PodCondition("DisruptionTarget", "True", "PreemptionByScheduler", message)
    if scheduler.api.get(Pod, victim.name, victim.namespace) is None:
        return condition in victim.status.conditions
    scheduler.api.patch_status(victim, condition)
    scheduler.write("delete", victim)
    return True
