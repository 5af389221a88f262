# SPDX-License-Identifier: Apache-2.0
"""DefaultPreemption: a pod that fits on no node evicts pods of lower priority.

The steps are in refsched/preemption, and are called here one after the other.

Promised: preemption and nomination are documented with the priority of pods.
Shows in: preemption.
Source: plugins/defaultpreemption/default_preemption.go; framework/preemption/preemption.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, check_range, refused_by
from refsched.config.scalars import Int32
from refsched.cycle.fit_error import Diagnosis, fit_error_message
from refsched.errors import InputError
from refsched.framework.choices import Choices
from refsched.framework.events import POD, ActionType, EventHint
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.preemption.candidate import Candidate
from refsched.preemption.dry_run import DryRun, aggregate, dry_run, number_of_candidates, potential_nodes
from refsched.preemption.eligibility import why_not_eligible
from refsched.preemption.extenders import consult
from refsched.preemption.pick import first_found, outranked_on, possible_picks
from refsched.preemption.victims import PreemptionSteps
from refsched.rules import Reason, applies

PLACEMENT_FOUND = Reason(
    "found a potential placement for pod on node {}, preempting {} victims", "R-PREEMPT-19"
)
NO_CANDIDATE = Reason("no candidate node for preemption", "R-PREEMPT-13")
NOT_HELPFUL = Reason("Preemption is not helpful for scheduling", "R-PREEMPT-03")
STILL_PREEMPTING = Reason("waiting for the preemption for this pod to be finished", "R-PREEMPT-17")
"""kube-scheduler gives this reason. Here no pod is rejected with it (DefaultPreemption.pre_enqueue)."""
_NOT_HELPFUL = unresolvable(NOT_HELPFUL)


def _never(plugin: object, pod: Pod, before: object, after: object, objects: ObjectStore) -> bool:
    return False


@frozen
class DefaultPreemptionArgs(PluginArgs):
    min_candidate_nodes_percentage: Int32 = Int32(10)
    min_candidate_nodes_absolute: Int32 = Int32(100)

    def validate(self) -> None:
        """R-ARGS-10 (shows in config): The arguments of DefaultPreemption are refused if
        minCandidateNodesPercentage is not in 0..100, if minCandidateNodesAbsolute is negative, or if both are
        0."""
        percentage, absolute = self.min_candidate_nodes_percentage, self.min_candidate_nodes_absolute
        with refused_by("R-ARGS-10"):
            check_range(percentage, 0, 100, "minCandidateNodesPercentage")
            if absolute < 0:
                raise InputError(f"{absolute} is negative", "minCandidateNodesAbsolute")
            if percentage == absolute == 0:
                raise InputError("minCandidateNodesAbsolute is 0 as well", "minCandidateNodesPercentage")


@frozen
class DefaultPreemption:
    name = "DefaultPreemption"
    POINTS = ("preEnqueue", "postFilter")
    READS = ("Pod.spec.preemptionPolicy", "Pod.status.nominatedNodeName", "PodDisruptionBudget")
    ARGS = DefaultPreemptionArgs
    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100
    steps: PreemptionSteps = PreemptionSteps()

    @classmethod
    def of_args(cls, args: DefaultPreemptionArgs) -> DefaultPreemption:
        return cls(args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute)

    # --- PreEnqueue -------------------------------------------------------------------------------

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status:
        """R-PREEMPT-17 (observed: asynchronous preemption is a feature gate of this version): A pod whose
        preemption is still deleting victims is rejected by PreEnqueue until it begins to delete the last one.

        The rule concerns a scheduler that deletes victims while it schedules other pods. Here all of them are
        deleted before the pod returns to the queue (preemption/eviction.py), so that every pod is accepted."""
        return SUCCESS

    # --- PostFilter -------------------------------------------------------------------------------

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        """Returns the result of preemption. Its message begins with ``preemption:``."""
        result = self._preempt(context)
        if not result.status.message:
            return result
        return evolve(result, status=evolve(result.status, reasons=(f"preemption: {result.status.message}",)))

    def _preempt(self, context: PostFilterContext) -> PostFilterResult:
        """R-PREEMPT-13 (decides nominatedNode): A pod keeps its nomination if it is not eligible to preempt, if
        preemption fails with an error, or if extenders leave no candidate.
        R-PREEMPT-14 (observed: in which order errors are reported is not part of the API): Errors of preemption's
        dry run on single nodes count only if there is no candidate; they are reported in the order in which the
        dry runs ended, which may be any.
        R-PREEMPT-16: When a node is nominated to a preemptor, pods of lower priority that are nominated to this
        node lose their nomination."""
        reason = why_not_eligible(context)
        if reason is not None:
            applies("R-PREEMPT-13")
            return PostFilterResult(unschedulable(reason))
        nodes = potential_nodes(context)
        wanted = number_of_candidates(
            len(nodes), self.min_candidate_nodes_percentage, self.min_candidate_nodes_absolute
        )
        found = dry_run(context, nodes, self.steps)
        if wanted == 0 or not found.candidates:
            return _nothing_found(context, found)
        applies("R-PREEMPT-14", when=found.errors)
        picks = self._possible_picks(context, found.candidates, wanted)
        if isinstance(picks, Status):
            applies("R-PREEMPT-13")
            return PostFilterResult(picks)
        if not picks:
            return PostFilterResult(unschedulable(NO_CANDIDATE))
        picked = context.choices.choose("candidate", sorted(picks, key=lambda candidate: candidate.node))
        outranked = outranked_on(context, picked.node)
        applies("R-PREEMPT-16", when=outranked)
        return PostFilterResult(self.success(picked), picked.node, picked.victims, outranked)

    def success(self, picked: Candidate) -> Status:
        """R-PREEMPT-19 (observed: the wording of a message is not part of the API): If preemption helps on a node,
        the message names the node and the number of victims."""
        applies("R-PREEMPT-19")
        return evolve(SUCCESS, reasons=(PLACEMENT_FOUND.of(picked.node, len(picked.victims)),))

    def _possible_picks(
        self, context: PostFilterContext, candidates: Sequence[Candidate], wanted: int
    ) -> Sequence[Candidate] | Status:
        """Returns the candidates of which any may be picked. Extenders are called once, with the candidates
        in the order of the nodes."""
        extenders = context.framework.extenders
        if not extenders:
            return possible_picks(candidates, wanted, context.now)
        asked = first_found(candidates, wanted)
        left = consult(extenders, context.pod, asked, context.snapshot, context.choices)
        if isinstance(left, Status) or not left:
            return left
        return possible_picks(left, len(left), context.now)

    # --- Events -----------------------------------------------------------------------------------

    EVENTS = (
        EventHint(
            POD,
            ActionType.DELETE,
            _never,
            "the last victim may have been deleted, which the hints of the plugins that rejected the pod judge",
        ),
    )


def _nothing_found(context: PostFilterContext, found: DryRun) -> PostFilterResult:
    """R-PREEMPT-15 (observed: the wording of a message is not part of the API): If preemption helps on no node,
    the pod's nomination is cleared, and the message counts the reasons of the dry runs; on a node without a dry
    run preemption is not helpful."""
    if found.errors:
        applies("R-PREEMPT-14")
        return PostFilterResult(error(aggregate(_in_any_order(found.errors, context.choices))))
    applies("R-PREEMPT-15")
    diagnosis = Diagnosis(found.statuses, _NOT_HELPFUL)
    message = fit_error_message(diagnosis, len(context.snapshot.nodes))
    return PostFilterResult(unschedulable(message), nominated_node="")


def _in_any_order(errors: Sequence[str], choices: Choices) -> list[str]:
    """Returns the errors in an order that is chosen. The order matters: another message than before changes the
    pod's status, and this update of the pod may requeue it."""
    left = list(errors)
    ordered: list[str] = []
    while left:
        ordered.append(choices.choose("error", left))
        left.remove(ordered[-1])
    return ordered
