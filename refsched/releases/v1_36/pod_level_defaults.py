# SPDX-License-Identifier: Apache-2.0
"""Pod-level defaults before 1.37: they are set whenever a pod is stored, and requests only beside limits.

Changed by: feature gate PodLevelResourcesFixDefaulting is on.
After the upgrade: A pod that has pod-level requests for some resources, and no pod-level limits, requests of the
others what its containers request (R-DEFAULTS-10).
What to do: set each pod-level request yourself where it matters.

Promised: pod-level resources are documented with the Pod API, KEP-2837.
Source: pkg/apis/core/v1/defaults.go, defaultHugePagePodLimits, defaultPodRequests.
"""

from __future__ import annotations

from attrs import evolve

from refsched.objects.pod import PodSpec, ResourceRequirements
from refsched.objects.pod_level_defaults import with_limits_of_huge_pages, with_requests
from refsched.rules import applies


def whenever_stored(spec: PodSpec, own: ResourceRequirements, *, is_new: bool) -> ResourceRequirements:
    """R-DEFAULTS-06 (instead of R-DEFAULTS-10): A pod with pod-level limits and without a pod-level request for a
    resource requests what its containers request together, except huge pages, or else as much as its limit."""
    limits = with_limits_of_huge_pages(spec, own)
    requests = with_requests(spec, own.requests, limits) if limits else own.requests
    applies("R-DEFAULTS-06", when=requests != own.requests)
    return evolve(own, requests=requests, limits=limits)
