# SPDX-License-Identifier: Apache-2.0
"""Objects in v1.19: the requests of each container are rounded up before they are added, and the node affinity of
volumes knows no names of nodes.

Observed: how amounts are rounded was changed later.
Source: pkg/scheduler/framework/v1alpha1/types.go, Resource.Add, SetMaxResource; pkg/volume/util/util.go,
checkVolumeNodeAffinity; pkg/apis/core/v1/helper/helpers.go, MatchNodeSelectorTerms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from refsched.objects.meta import ApiObject
from refsched.objects.pod import Container, Pod, ResourceRequirements
from refsched.objects.quantity import Quantity
from refsched.objects.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from refsched.objects.selectors import NodeSelectorTerm
from refsched.objects.storage import PersistentVolume, VolumeNodeAffinity
from refsched.releases.v1_35.objects import as_read as without_declared_features
from refsched.rules import applies


def as_read(value: ApiObject) -> ApiObject:
    """Returns the object that the scheduler decides with, of one that was read."""
    value = without_declared_features(value)
    match value:
        case Pod():
            return with_rounded_requests(value)
        case PersistentVolume() if value.spec.node_affinity is not None:
            affinity = NamelessAffinity(value.spec.node_affinity.required)
            return evolve(value, spec=evolve(value.spec, node_affinity=affinity))
    return value


# --- Requests -------------------------------------------------------------------------------------

_ALWAYS_COUNTED = (CPU, MEMORY, EPHEMERAL_STORAGE)


@frozen
class RoundedRequirements(ResourceRequirements):
    """Used by: NodeResourcesFit, NodeResourcesBalancedAllocation."""

    @property
    def counted(self) -> Mapping[str, Quantity]:
        """R-REQUEST-51 (observed: that each container's requests are rounded up by themselves was changed later):
        In v1.19 the requests of each container are rounded up before they are added: cpu to whole thousandths, and
        any other resource to whole units."""
        rounded = {name: _rounded_up(name, amount) for name, amount in self.requests.items()}
        applies("R-REQUEST-51", when=rounded != self.requests)
        return rounded


@frozen
class RequirementsOfInit(RoundedRequirements):
    @property
    def counted(self) -> Mapping[str, Quantity]:
        """R-REQUEST-52 (observed: that zero may count as a request is an accident): In v1.19 a container that
        requests zero of a resource requests it, and an init container does not, unless it is cpu, memory or
        ephemeral storage.

        Source: framework/v1alpha1/types.go, Add, SetMaxResource."""
        asked = dict(super().counted)
        for name, amount in tuple(asked.items()):
            if amount.nano == 0 and name not in _ALWAYS_COUNTED:
                applies("R-REQUEST-52")
                del asked[name]
        return asked


def _rounded_up(resource: str, amount: Quantity) -> Quantity:
    return Quantity.milli(amount.milli_value) if resource == CPU else Quantity.of(amount.value)


def with_rounded_requests(pod: Pod) -> Pod:
    """Returns the pod with containers whose requests are rounded up when they are counted."""

    def rounded(containers: Sequence[Container], of: type[RoundedRequirements]) -> tuple[Container, ...]:
        return tuple(
            evolve(each, resources=of(each.resources.requests, each.resources.limits)) for each in containers
        )

    spec = pod.spec
    counted = evolve(
        spec,
        containers=rounded(spec.containers, RoundedRequirements),
        init_containers=rounded(spec.init_containers, RequirementsOfInit),
    )
    return evolve(pod, spec=counted)


# --- Volumes --------------------------------------------------------------------------------------

_NO_NAME = {"metadata.name": ""}


@frozen
class NamelessAffinity(VolumeNodeAffinity):
    def allows(self, node_labels: Mapping[str, str]) -> bool:
        """R-VOLBIND-55 (observed: that volumes cannot name nodes is an accident of v1.19; shows in volumes): In
        v1.19 a term of a volume's node affinity compares its matchFields with an empty name instead of the node's:
        one with In matches no node, and one with NotIn matches every node."""
        return self.required is None or any(
            not term.is_empty and term.matches_labels(node_labels) and _matches_no_name(term)
            for term in self.required.node_selector_terms
        )


def _matches_no_name(term: NodeSelectorTerm) -> bool:
    if term.match_fields:
        applies("R-VOLBIND-55")
    return all(r.matches(_NO_NAME) for r in term.match_fields)
