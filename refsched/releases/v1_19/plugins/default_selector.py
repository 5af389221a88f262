# SPDX-License-Identifier: Apache-2.0
"""The pods that belong together with a pod in v1.19: those of the Services and controllers that select it.

Promised: that the pods of a Service or controller are spread is documented with the scheduling policies of v1.19.
Used by: SelectorSpread, PodTopologySpread.
Source: plugins/helper/spread.go, DefaultSelector; client-go listers, GetPodControllers,
GetPodReplicaSets, GetPodStatefulSets.
"""

from __future__ import annotations

from collections.abc import Iterable

from refsched.objects.pod import Pod
from refsched.objects.selectors import EVERYTHING, Requirement, Selector, compile_selector
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import ReplicaSet, ReplicationController, Service, StatefulSet
from refsched.plugins.default_selector import selecting, with_labels
from refsched.rules import applies


def default_selector(pod: Pod, objects: ObjectStore) -> Selector:
    """R-SELSPREAD-05 (shows in score): The pods that belong together with a pod are those that are selected by all
    Services, ReplicationControllers, ReplicaSets and StatefulSets of its namespace that select the pod itself,
    whether or not one of them owns the pod.

    The result is EVERYTHING if none selects it.
    """
    labels: dict[str, str] = {}
    for service in selecting(Service, pod, objects):
        labels.update(service.spec.selector)
    for controller in selecting(ReplicationController, pod, objects):
        labels.update(controller.spec.selector)
    replica_sets = _requirements(pod, objects.list(ReplicaSet))
    stateful_sets = _requirements(pod, objects.list(StatefulSet))
    found = with_labels(Selector((*replica_sets, *stateful_sets)), labels)
    applies("R-SELSPREAD-05", when=found != EVERYTHING)
    return found


def _requirements(pod: Pod, owners: Iterable[ReplicaSet | StatefulSet]) -> list[Requirement]:
    requirements: list[Requirement] = []
    for owner in owners:
        selector = compile_selector(owner.spec.selector)
        if owner.namespace == pod.namespace and pod.labels and selector.matches(pod.labels):
            requirements.extend(selector.requirements or ())
    return requirements
