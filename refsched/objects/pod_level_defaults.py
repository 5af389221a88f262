# SPDX-License-Identifier: Apache-2.0
"""Pod-level defaults: the resources of a pod as a whole, where it states only some of them.

Promised: pod-level resources are documented with the Pod API, KEP-2837.
Source: pkg/api/pod/util.go, DefaultPodLevelResources; pkg/registry/core/pod/strategy.go, PrepareForCreate.
"""

from __future__ import annotations

from typing import Protocol

from attrs import evolve

from refsched.objects.pod import Container, Pod, PodSpec, ResourceRequirements
from refsched.objects.quantity import ResourceList
from refsched.objects.resources import HUGE_PAGES_PREFIX, NATIVE_DOMAIN, is_pod_level_resource, pod_requests
from refsched.rules import applies


class PodLevelDefaults(Protocol):
    """A PodLevelDefaults returns ``own``, which has requests or limits, with what is missing. ``is_new`` says that
    the pod is created."""

    def __call__(self, spec: PodSpec, own: ResourceRequirements, *, is_new: bool) -> ResourceRequirements: ...


def at_creation(spec: PodSpec, own: ResourceRequirements, *, is_new: bool) -> ResourceRequirements:
    """R-DEFAULTS-10: A pod with pod-level resources that is created requests, for each resource for which it has
    no pod-level request, what its containers request together, except huge pages, or else as much as its limit.

    An update sets nothing. Neither this nor R-DEFAULTS-05 holds without the gate PodLevelResources."""
    if not is_new:
        return own
    limits = with_limits_of_huge_pages(spec, own)
    requests = with_requests(spec, own.requests, limits)
    applies("R-DEFAULTS-10", when=requests != own.requests)
    return evolve(own, requests=requests, limits=limits)


def with_limits_of_huge_pages(spec: PodSpec, own: ResourceRequirements) -> ResourceList:
    """R-DEFAULTS-05: A pod with pod-level resources that neither limits nor requests huge pages of a size
    itself has the limit that its containers have together. Source: defaultHugePagePodLevelLimits."""
    limits = dict(own.limits)
    for name, quantity in _together(spec, limited=True).items():
        if name.startswith(HUGE_PAGES_PREFIX) and name not in own.requests and name not in limits:
            applies("R-DEFAULTS-05")
            limits[name] = quantity
    return limits


def with_requests(spec: PodSpec, own: ResourceList, limits: ResourceList) -> ResourceList:
    """Returns the requests with those that are missing. Source: defaultPodLevelRequests."""
    together = {
        name: quantity
        for name, quantity in _together(spec, limited=False).items()
        if _may_be_overcommitted(name)
    }
    missing = {**limits, **together}
    return {**{name: each for name, each in missing.items() if is_pod_level_resource(name)}, **own}


def _together(spec: PodSpec, *, limited: bool) -> ResourceList:
    """Returns what the containers together request, or are limited to (AggregateContainerRequests, …Limits)."""

    def counted(containers: tuple[Container, ...]) -> tuple[Container, ...]:
        if not limited:
            return containers
        return tuple(evolve(c, resources=ResourceRequirements(c.resources.limits)) for c in containers)

    alone = PodSpec(containers=counted(spec.containers), init_containers=counted(spec.init_containers))
    return pod_requests(Pod(spec=alone), use_status=False)


def _may_be_overcommitted(name: str) -> bool:
    return ("/" not in name or NATIVE_DOMAIN in name) and not name.startswith(HUGE_PAGES_PREFIX)
