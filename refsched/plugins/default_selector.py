# SPDX-License-Identifier: Apache-2.0
"""The selector of default topology spread constraints: what a pod's Services and its owner select.

Source: plugins/helper/spread.go, DefaultSelector and GetPodServices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from refsched.objects.pod import Pod
from refsched.objects.selectors import EVERYTHING, Requirement, Selector, compile_selector
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import ReplicaSet, ReplicationController, Service, StatefulSet

SelectsByLabels = TypeVar("SelectsByLabels", Service, ReplicationController)


def default_selector(pod: Pod, objects: ObjectStore) -> Selector:
    """Returns the selectors of the Services that select the pod, and the selector of its controller,
    combined.

    If there are none, this is EVERYTHING. Labels that a ReplicationController selects replace those of a
    Service.
    """
    labels: dict[str, str] = {}
    for service in selecting(Service, pod, objects):
        labels.update(service.spec.selector)
    owner = pod.metadata.controller
    if owner is None:
        return with_labels(EVERYTHING, labels)
    match owner.api_version, owner.kind:
        case "v1", "ReplicationController":
            controller = objects.get(ReplicationController, owner.name, pod.namespace)
            return with_labels(EVERYTHING, {**labels, **(controller.spec.selector if controller else {})})
        case "apps/v1", "ReplicaSet":
            return with_labels(_owner_selector(objects.get(ReplicaSet, owner.name, pod.namespace)), labels)
        case "apps/v1", "StatefulSet":
            return with_labels(_owner_selector(objects.get(StatefulSet, owner.name, pod.namespace)), labels)
    return with_labels(EVERYTHING, labels)


def selecting(kind: type[SelectsByLabels], pod: Pod, objects: ObjectStore) -> list[SelectsByLabels]:
    """Returns the objects of the pod's namespace that select it. One without a selector selects no pod."""
    return [
        each
        for each in objects.list(kind)
        if each.namespace == pod.namespace
        and each.spec.selector
        and selects_labels(each.spec.selector, pod.labels)
    ]


def selects_labels(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Returns whether all labels of the selector are among these labels, with the same values."""
    return all(labels.get(key) == value for key, value in selector.items())


def with_labels(selector: Selector, labels: Mapping[str, str]) -> Selector:
    """Returns ``selector`` with a requirement added for each of these labels that it does not have yet. A
    selector that matches nothing still matches nothing."""
    if selector.requirements is None:
        return selector
    equal = (Requirement(key, "In", (value,)) for key, value in sorted(labels.items()))
    missing = tuple(requirement for requirement in equal if requirement not in selector.requirements)
    return Selector((*missing, *selector.requirements))


def _owner_selector(owner: ReplicaSet | StatefulSet | None) -> Selector:
    """Returns the selector of the owner. An owner that does not exist, or that has no selector, adds nothing."""
    if owner is None or owner.spec.selector is None:
        return EVERYTHING
    return compile_selector(owner.spec.selector)
