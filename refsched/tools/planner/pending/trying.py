# SPDX-License-Identifier: Apache-2.0
"""Trying: one change of the pod, or of the cluster, and on which nodes the pod is feasible then.

The decider of the release is asked again for each. A change of the cluster is made in a fork of the scheduler.
"""

from __future__ import annotations

from attrs import evolve, frozen

from refsched.cycle.decide import Decision
from refsched.framework.node_info import PodInfo
from refsched.machine.scheduler import Scheduler
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import CSINode
from refsched.tools.planner.cluster import why_gated
from refsched.tools.planner.fitting import fits, with_template
from refsched.tools.planner.verdicts import HelpfulChange
from refsched.tools.scheduler_copy import fork

ALL_NODES = 100
"""This is the percentageOfNodesToScore with which all feasible nodes are found."""


@frozen
class Trials:
    """Trials begin with this scheduler, which stays as it is, and with this pod."""

    scheduler: Scheduler
    pod: Pod

    def tried(self, idea: HelpfulChange) -> HelpfulChange:
        """Returns the idea with the nodes on which the pod is feasible then: none if it does not help."""
        return evolve(idea, nodes=self._nodes(idea))

    def _nodes(self, idea: HelpfulChange) -> tuple[str, ...]:
        if idea.created:
            [model] = idea.created
            return self._on_one_more(model)
        pod = next((each for each in idea.updated if isinstance(each, Pod)), self.pod)
        others = [each for each in idea.updated if not isinstance(each, Pod)]
        scheduler = self.scheduler
        if others or idea.deleted:
            scheduler = fork(scheduler)
            for other in others:
                scheduler.update(other)
            for leaving in idea.deleted:
                scheduler.delete(Pod, leaving.name, leaving.namespace)
        return () if why_gated(scheduler, pod) is not None else _feasible(scheduler, pod)

    def _on_one_more(self, model: Node) -> tuple[str, ...]:
        """Returns the name of one more node like the model, with the same CSI drivers, if the pod fits there."""
        scheduler, snapshot = self.scheduler, self.scheduler.state.snapshot()
        daemons = [each for each in snapshot.by_name[model.name].pods if is_of_daemon_set(each.pod)]
        with_it, name = with_template(snapshot, model, daemons)
        drivers = scheduler.state.objects.get(CSINode, model.name)
        if drivers is not None:
            scheduler = fork(scheduler)
            scheduler.create(evolve(drivers, metadata=evolve(drivers.metadata, name=name)))
            with_it, name = with_template(scheduler.state.snapshot(), model, daemons)
        return (name,) if fits(scheduler, with_it, self.pod, name).is_success else ()


def is_of_daemon_set(pod: Pod) -> bool:
    """Returns whether each node like the pod's gets such a pod."""
    owner = pod.metadata.controller
    return owner is not None and owner.kind == "DaemonSet"


def _feasible(scheduler: Scheduler, pod: Pod) -> tuple[str, ...]:
    decision = decided(scheduler, pod)
    return () if decision is None else tuple(node.name for node in decision.feasible)


def decided(scheduler: Scheduler, pod: Pod) -> Decision | None:
    """Returns what the pod's profile decides of it, with all nodes searched; None if there is no node."""
    state = scheduler.state
    framework, snapshot = state.profiles[pod.spec.scheduler_name], state.snapshot()
    if not snapshot.nodes:
        return None
    nominated_pods = state.queue.nominated_pods_for_node
    return state.decider(framework, snapshot, nominated_pods, percentage=ALL_NODES).decide(PodInfo(pod))
