# SPDX-License-Identifier: Apache-2.0
"""Upgrade: which pods of a cluster one release of Kubernetes would place differently from another, and why.

Each pod is decided by itself against the cluster as it is given; a pod that runs is decided as if it did not. What
preemption would do is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import field, frozen

from refsched.framework.node_info import PodInfo
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.tools.planner.cluster import FINISHED, show, why_gated, why_passed_over
from refsched.tools.planner.explain import decision_on, without_node

MOST_PLUGINS = 3
"""If scores decide, so many plugins are named."""


@frozen
class Placement:
    """``nodes`` are those of which one release takes one; there are none if it places the pod nowhere, and
    ``message`` says why. ``rejections`` say why a node is rejected, and ``scores`` are the weighted scores by
    plugin and node."""

    nodes: tuple[str, ...] = ()
    message: str = ""
    rejections: Mapping[str, str] = field(factory=dict)
    scores: Mapping[str, Mapping[str, int]] = field(factory=dict)


@frozen
class Change:
    """A Change is a pod that the two releases place differently."""

    pod: str
    before: Placement
    after: Placement

    @property
    def gains(self) -> Mapping[str, int]:
        """Returns the plugins that favour the new node over the old one more than they did before, and by how
        much, the greatest first. There are none if scores did not decide."""
        old = next((node for node in self.before.nodes if node not in self.after.nodes), "")
        new = next((node for node in self.after.nodes if node not in self.before.nodes), "")
        if not old or not new:
            return {}
        earlier, later = (
            {
                plugin: by_node.get(new, 0) - by_node.get(old, 0)
                for plugin, by_node in placement.scores.items()
            }
            for placement in (self.before, self.after)
        )
        gains = {each: later.get(each, 0) - earlier.get(each, 0) for each in (*earlier, *later)}
        favouring = sorted((-gain, plugin) for plugin, gain in gains.items() if gain > 0)
        return {plugin: -gain for gain, plugin in favouring[:MOST_PLUGINS]}


@frozen
class Compared:
    """A Compared has how many pods were compared, and those that are placed differently."""

    pods: int
    changes: tuple[Change, ...]


def compare(
    before: tuple[Scheduler, Sequence[ApiObject]],
    after: tuple[Scheduler, Sequence[ApiObject]],
    progress: Callable[[int], None] = lambda compared: None,
) -> Compared:
    """Compares the same cluster as two releases read it, each with a scheduler that has seen nothing yet.
    ``progress`` is called with how many pods were compared so far. Raises InputError as ``plan`` does."""
    count = 0
    changes = []
    for (pod, old), (_, new) in zip(_placements(*before), _placements(*after), strict=True):
        count += 1
        progress(count)
        if set(old.nodes) != set(new.nodes):
            changes.append(Change(pod, old, new))
    return Compared(count, tuple(changes))


def _placements(scheduler: Scheduler, objects: Sequence[ApiObject]) -> Iterator[tuple[str, Placement]]:
    show(scheduler, objects)
    for pod in (shown for shown in objects if isinstance(shown, Pod)):
        if pod.status.phase in FINISHED or why_passed_over(scheduler, pod):
            continue
        if not pod.spec.node_name:
            yield pod.key, _placement(scheduler, pod)
            continue
        scheduler.delete(Pod, pod.name, pod.metadata.namespace)
        yield pod.key, _placement(scheduler, without_node(pod))
        scheduler.create(pod)


def _placement(scheduler: Scheduler, pod: Pod) -> Placement:
    gated = why_gated(scheduler, pod)
    if gated is not None:
        return Placement(message=gated.message)
    decision = decision_on(scheduler, PodInfo(pod))
    if decision is None:
        return Placement(message="no nodes available to schedule pods")
    statuses = {**decision.errors, **decision.diagnosis.node_to_status}
    status = decision.failure or decision.pre_filter.status
    return Placement(
        decision.best,
        "" if decision.best else status.message,
        {node: f"{each.plugin or 'an extender'}: {each.message}" for node, each in statuses.items()},
        {} if decision.scores is None else decision.scores.weighted,
    )
