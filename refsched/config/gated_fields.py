# SPDX-License-Identifier: Apache-2.0
"""Gated fields: the fields that count only with a feature gate.

Without the gate the API server drops them. The scheduler may still see them in older objects, and ignores them
when it places a pod.

Promised: what a feature gate turns off is documented with the feature gates.
Source: pkg/api/pod/util.go, dropDisabledFields, dropDisabledPodStatusFields, and in the scheduler
the places that each gate names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import evolve

from refsched.objects.meta import ApiObject
from refsched.objects.pod import ContainerStatus, DisabledRequirements, Pod
from refsched.rules import applies


def without_disabled_fields(read: ApiObject, disabled: Iterable[Callable[[Pod], Pod]]) -> ApiObject:
    """R-FEATURE-04 (shows in config): A field whose feature gate is off is dropped by the API server, and has no
    part in where a pod is placed."""
    if not isinstance(read, Pod):
        return read
    kept = read
    for without in disabled:
        kept = without(kept)
    applies("R-FEATURE-04", when=kept != read)
    return kept


def without_match_label_keys(pod: Pod) -> Pod:
    """Returns the pod without matchLabelKeys. Source: podtopologyspread/common.go,
    filterTopologySpreadConstraints."""
    constraints = (evolve(c, match_label_keys=()) for c in pod.spec.topology_spread_constraints)
    return evolve(pod, spec=evolve(pod.spec, topology_spread_constraints=tuple(constraints)))


def without_pod_level_resources(pod: Pod) -> Pod:
    """Returns the pod with its resources disabled, not dropped: events read them (objects/resources.py,
    requests_in_events).
    Source: framework/types.go, CalculateResource; noderesources/fit.go, computePodResourceRequest."""
    given = pod.spec.resources
    if given is None:
        return pod
    disabled = DisabledRequirements(given.requests, given.limits)
    return evolve(pod, spec=evolve(pod.spec, resources=disabled))


def without_resized_pods(pod: Pod) -> Pod:
    """Returns the pod without the resources of the pod as a whole in its status. Source: framework/types.go,
    CalculateResource, InPlacePodLevelResourcesVerticalScalingEnabled."""
    nothing: dict[str, Any] = {"resources": None, "allocated_resources": {}}
    return evolve(pod, status=evolve(pod.status, **nothing))


def without_resized_containers(pod: Pod) -> Pod:
    """Returns the pod without the resources in its status. Source: framework/types.go, CalculateResource,
    UseStatusResources."""

    def dropped(statuses: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus, ...]:
        nothing: dict[str, Any] = {"resources": None, "allocated_resources": {}}
        return tuple(evolve(status, **nothing) for status in statuses)

    status = evolve(
        pod.status,
        container_statuses=dropped(pod.status.container_statuses),
        init_container_statuses=dropped(pod.status.init_container_statuses),
    )
    return evolve(pod, status=status)
