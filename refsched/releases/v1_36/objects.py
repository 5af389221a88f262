# SPDX-License-Identifier: Apache-2.0
"""Objects before 1.37: what a pod requests while it is resized.

Changed by: kubernetes #140047 (the largest sum counts, not the sum of the largest).
After the upgrade: What a pod requests while it is resized is the largest of three sums, and no longer the sum of
the largest requests of its containers (R-REQUEST-14).
What to do: nothing: pods need at most as much room as before.

Promised: what a pod requests while it is resized is documented with the Pod API and in KEP-1287 and KEP-5419.
Source: component-helpers/resource/helpers.go, PodRequests, AggregateContainerRequests, determineEffectiveRequests.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import asdict, evolve, frozen

from refsched.objects.meta import ApiObject
from refsched.objects.pod import Container, Pod, PodStatus
from refsched.objects.quantity import Quantity, ResourceList, largest
from refsched.rules import applies


@frozen
class StatusOfContainers(PodStatus):
    """A StatusOfContainers says what each container holds by itself."""

    def sums(
        self, total: Callable[[Callable[[Container], ResourceList]], ResourceList]
    ) -> list[ResourceList]:
        return [total(self.effective_requests)]

    def effective_requests(self, container: Container) -> ResourceList:
        """R-REQUEST-06 (instead of R-REQUEST-12, R-REQUEST-13, R-REQUEST-15): A container of a running pod whose
        status reports resources requests the largest of what its spec requests, what is allocated to it, and
        what its status reports; an init container that is no sidecar requests what its spec requests.
        R-REQUEST-07 (instead of R-REQUEST-14): While a resize of the pod is infeasible, the requests in the spec
        of a container whose status reports resources do not count."""
        desired = container.resources.counted
        statuses = self.container_statuses
        if container.is_sidecar:
            statuses += self.init_container_statuses
        status = next((each for each in statuses if each.name == container.name), None)
        if status is None or status.resources is None:
            return desired
        held = largest(status.resources.requests, status.allocated_resources)
        if self.is_resize_infeasible:
            applies("R-REQUEST-07")
            return held
        applies("R-REQUEST-06")
        return largest(desired, held)

    def pod_level_requests(self, desired: ResourceList) -> ResourceList:
        """R-REQUEST-17 (instead of R-REQUEST-16): Once the status of a pod reports what the pod as a whole uses,
        each of its pod-level requests counts with the largest of what is desired, allocated and in use; while
        the resize of the pod is infeasible, what is desired does not count, and what is neither allocated nor in
        use counts as nothing."""
        if self.resources is None:
            return desired
        applies("R-REQUEST-17")
        held = largest(self.resources.requests, self.allocated_resources)
        counted = held if self.is_resize_infeasible else largest(desired, held)
        return {name: counted.get(name, Quantity()) for name in desired}


def as_read(value: ApiObject) -> ApiObject:
    """Returns the object that the scheduler decides with, of one that was read."""
    if not isinstance(value, Pod):
        return value
    return evolve(value, status=StatusOfContainers(**asdict(value.status, recurse=False)))
