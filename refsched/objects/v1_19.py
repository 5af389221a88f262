# SPDX-License-Identifier: Apache-2.0
"""Requests in v1.19: those of each container are rounded up before they are added.

Source: pkg/scheduler/framework/v1alpha1/types.go, Resource.Add, SetMaxResource (v1.19.16).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from refsched.objects.pod import Container, Pod, ResourceRequirements
from refsched.objects.quantity import Quantity
from refsched.objects.resources import CPU
from refsched.rules import applies


@frozen
class RoundedRequirements(ResourceRequirements):
    @property
    def counted(self) -> Mapping[str, Quantity]:
        """R-REQUEST-51: In v1.19 the requests of each container are rounded up before they are added: cpu to whole
        thousandths, and any other resource to whole units."""
        rounded = {name: _rounded_up(name, amount) for name, amount in self.requests.items()}
        applies("R-REQUEST-51", when=rounded != self.requests)
        return rounded


def _rounded_up(resource: str, amount: Quantity) -> Quantity:
    return Quantity.milli(amount.milli_value) if resource == CPU else Quantity.of(amount.value)


def with_rounded_requests(pod: Pod) -> Pod:
    """Returns the pod with containers whose requests are rounded up when they are counted."""

    def of(containers: tuple[Container, ...]) -> tuple[Container, ...]:
        return tuple(evolve(each, resources=_rounded(each.resources)) for each in containers)

    spec = pod.spec
    counted = evolve(spec, containers=of(spec.containers), init_containers=of(spec.init_containers))
    return evolve(pod, spec=counted)


def _rounded(given: ResourceRequirements) -> ResourceRequirements:
    return RoundedRequirements(given.requests, given.limits)
