# SPDX-License-Identifier: Apache-2.0
"""ApiServer: the true state of the cluster, as opposed to what the scheduler has seen of it.

What happens to the cluster, and what the scheduler writes, is stored here at once. It is shown to the
scheduler one event at a time, when no cycle can continue: a cycle never sees the cluster change while it
runs, and has seen what it wrote before the next input. Components that react to a write (the volume
controller, the kubelet of a victim) are not simulated here: what they do is an input.
"""

from __future__ import annotations

from collections import deque
from typing import Any, TypeVar

from attrs import asdict, evolve, frozen

from refsched.errors import InputError
from refsched.objects.kinds import described_as
from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.pod import Pod, PodCondition, PodStatus
from refsched.objects.store import ObjectStore
from refsched.rules import ErrorReason

NOT_FOUND = ErrorReason('pods "{}" not found', "R-BIND-05")
NOT_BOUND = ErrorReason('Operation cannot be fulfilled on pods/binding "{}": {}', "R-BIND-05")
OTHER_UID = ErrorReason("Precondition failed: UID in precondition: {}, UID in object meta: {}", "R-BIND-05")
BEING_DELETED = ErrorReason("pod {} is being deleted, cannot be assigned to a host", "R-BIND-05")
BOUND_ALREADY = ErrorReason('pod {} is already assigned to node "{}"', "R-BIND-05")
GATED = ErrorReason("pod {} has non-empty .spec.schedulingGates", "R-BIND-05")

T = TypeVar("T", bound=ApiObject)


@frozen
class Event:
    """An Event says that an object was created (no ``before``), changed, or deleted (no ``after``)."""

    before: ApiObject | None
    after: ApiObject | None


class ApiServer:
    """The ApiServer has the stored objects, and the events that the scheduler has not seen yet, oldest
    first. ``deleted`` are the pods (``namespace/name``) that the scheduler has deleted, so that it cannot patch
    their status any more, until an input carries the deletion out."""

    def __init__(self) -> None:
        self._stored = ObjectStore()
        self.events: deque[Event] = deque()
        self.deleted: set[str] = set()
        self._generated = 0

    def get(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        """Returns the object as it is stored, whether or not the scheduler has seen it so."""
        return self._stored.get(kind, name, namespace)

    # --- Others write -----------------------------------------------------------------------------

    def create(self, created: ApiObject) -> None:
        """Stores a new object. Raises InputError if an object of this kind and name exists."""
        if self._find(created) is not None:
            raise InputError("exists already", where=described_as(created))
        self._store(created)

    def update(self, updated: ApiObject) -> None:
        """Stores a changed object. Raises InputError if there is no such object."""
        if self._find(updated) is None:
            raise InputError("does not exist, so it cannot be updated", where=described_as(updated))
        self._store(updated)

    def delete(self, kind: type[ApiObject], name: str, namespace: str) -> None:
        """Deletes an object. Raises InputError if there is no such object."""
        removed = self._stored.remove(kind, name, namespace)
        if removed is None:
            where = f"{kind.kind} {namespace + '/' if namespace else ''}{name}"
            raise InputError("does not exist, so it cannot be deleted", where=where)
        self.deleted.discard(f"{namespace}/{name}")
        self.events.append(Event(removed, None))

    # --- The scheduler writes ---------------------------------------------------------------------

    def write(self, verb: str, written: ApiObject) -> None:
        """Stores what the scheduler writes. The deletion of a pod that it asks for (``delete``) is carried out
        by an input."""
        if verb != "delete":
            self._store(written)
        elif not isinstance(written, Pod):
            self.delete(type(written), written.name, written.namespace)

    def generated(self, generate_name: str) -> tuple[str, str]:
        """Returns a name for a new object that begins with ``generate_name``, and a uid."""
        self._generated += 1
        return f"{generate_name}x{self._generated:04d}", f"uid-generated-{self._generated}"

    def bind(self, pod: ObjectMeta, node: str) -> str:
        """Assigns the pod to the node, and returns why this is not possible, or ``""``.

        Source: pkg/registry/core/pod/storage/storage.go, BindingREST.assignPod, setPodNodeAndMetadata.
        """
        stored = self._stored.get(Pod, pod.name, pod.namespace)
        if stored is None:
            return NOT_FOUND.of(pod.name)
        refusal = _binding_refusal(stored, pod.uid)
        if refusal:
            return NOT_BOUND.of(pod.name, refusal)
        self._store(evolve(stored, spec=evolve(stored.spec, node_name=node)))
        return ""

    def patch_status(
        self, pod: Pod, condition: PodCondition | None = None, nominated_node: str | None = None
    ) -> None:
        """Patches the fields that differ from ``pod``'s own status into the stored pod; of a condition, only
        those of its fields that differ. If nothing differs, nothing is written. If ``nominated_node`` is
        None, the nomination stays.
        Source: schedule_one.go, updatePod; pkg/scheduler/util/utils.go, PatchPodStatus."""
        new_condition = condition is not None and condition not in pod.status.conditions
        new_nomination = nominated_node is not None and nominated_node != pod.status.nominated_node_name
        stored = self._stored.get(Pod, pod.name, pod.namespace)
        if stored is None or pod.key in self.deleted or not (new_condition or new_nomination):
            return
        status: PodStatus = stored.status
        if new_condition and condition is not None:
            others = tuple(c for c in status.conditions if c.type != condition.type)
            status = evolve(status, conditions=(*others, _merged(condition, pod, stored)))
        if new_nomination and nominated_node is not None:
            status = evolve(status, nominated_node_name=nominated_node)
        self._store(evolve(stored, status=status))

    # --- Inside -----------------------------------------------------------------------------------

    def _find(self, named: ApiObject) -> Any:
        return self._stored.get(type(named), named.name, named.namespace)

    def _store(self, stored: ApiObject) -> None:
        self.events.append(Event(self._stored.put(stored), stored))


def _merged(condition: PodCondition, own: Pod, stored: Pod) -> PodCondition:
    """Returns the stored condition with the patch applied. A field that ``own`` has already is not sent, and
    is missing if others removed the condition meanwhile."""
    nothing = PodCondition(condition.type)
    known, there = (
        next((c for c in pod.status.conditions if c.type == condition.type), nothing) for pod in (own, stored)
    )
    sent = {name: value for name, value in asdict(condition).items() if value != getattr(known, name)}
    return evolve(there, **sent)


def _binding_refusal(stored: Pod, uid: str) -> str:
    if uid and uid != stored.uid:
        return OTHER_UID.of(uid, stored.uid)
    if stored.metadata.deletion_timestamp is not None:
        return BEING_DELETED.of(stored.name)
    if stored.spec.node_name:
        return BOUND_ALREADY.of(stored.name, stored.spec.node_name)
    if stored.spec.scheduling_gates:
        return GATED.of(stored.name)
    return ""
