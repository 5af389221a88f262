# SPDX-License-Identifier: Apache-2.0
"""What is said of a pod that is rejected before any node is looked at: by PreEnqueue, or by PreFilter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from refsched.framework.status import Status
from refsched.objects.pod import Pod
from refsched.objects.storage import NO_PROVISIONER, PersistentVolume, PersistentVolumeClaim, StorageClass
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.volume_binding import UNBOUND_IMMEDIATE
from refsched.plugins.volume_restrictions import CLAIM_IN_USE
from refsched.tools.planner.pending.by_device import why_claims_keep_out
from refsched.tools.planner.pending.words import few, joined, nearest_text


def why_gated_words(pod: Pod, status: Status, objects: ObjectStore) -> str:
    """Returns the sentence about a pod that does not enter the queue, without its full stop."""
    gates = [gate.name for gate in pod.spec.scheduling_gates]
    if status.plugin == "SchedulingGates" and gates:
        gate, it_is = ("gate", "it is") if len(gates) == 1 else ("gates", "they are")
        return f"it has the scheduling {gate} {joined(gates)}, and is not tried until {it_is} removed"
    of_claims = why_claims_keep_out(pod, objects) if status.plugin == DynamicResources.name else ""
    return of_claims or f"{status.plugin} keeps it out of the queue: {status.message}"


def _elsewhere(absent: Sequence[str], pod: Pod, objects: ObjectStore) -> str:
    """Returns where such claims are, or which have a similar name."""
    claims = objects.list(PersistentVolumeClaim)
    spaces = [claim.namespace for claim in claims if claim.name == absent[0]]
    if spaces:
        return f" in the namespace {pod.namespace} (one of this name is in {few(spaces)})"
    return nearest_text(absent[0], (claim.name for claim in claims if claim.namespace == pod.namespace))


def _to_come_first(classes: Iterable[str], objects: ObjectStore) -> str:
    """Returns what claims of these classes wait for."""
    found = (objects.get(StorageClass, name) for name in classes)
    provisioners = {each.provisioner for each in found if each is not None} - {NO_PROVISIONER}
    if provisioners:
        return f"{few(provisioners)} has to provision one first"
    return "somebody has to create a PersistentVolume for it first"


def why_rejected_words(pod: Pod, status: Status, objects: ObjectStore) -> str:
    """Returns the sentence about a pod that PreFilter rejects, without its full stop."""
    names = [name for volume in pod.spec.volumes if (name := volume.claim_name(pod.name))]
    claims = {name: objects.get(PersistentVolumeClaim, name, pod.namespace) for name in names}
    absent = [name for name, claim in claims.items() if claim is None]
    if absent and "not found" in status.message:
        return f"its PersistentVolumeClaim {joined(absent)} does not exist{_elsewhere(absent, pod, objects)}"
    for claim in filter(None, claims.values()):
        if claim.metadata.deletion_timestamp is not None and "being deleted" in status.message:
            return f"its PersistentVolumeClaim {claim.name} is being deleted"
        volume = claim.spec.volume_name
        if volume and volume in status.message and objects.get(PersistentVolume, volume) is None:
            return f"the PersistentVolume {volume}, which its claim {claim.name} is bound to, does not exist"
    if UNBOUND_IMMEDIATE in status.reasons:
        unbound = [claim for claim in claims.values() if claim is not None and not claim.is_fully_bound]
        classes = sorted({claim.class_name for claim in unbound if claim.class_name})
        known = {each.name for each in objects.list(StorageClass)}
        if missing := [name for name in classes if name not in known]:
            return (
                f"its PersistentVolumeClaim {few(claim.name for claim in unbound)} asks for the class"
                f" {missing[0]}, which does not exist{nearest_text(missing[0], known)}"
            )
        of = f" of the class {few(classes)}" if classes else ""
        return (
            f"its PersistentVolumeClaim {few(claim.name for claim in unbound)}{of} is not bound to a volume,"
            f" and does not wait for a pod to be bound: {_to_come_first(classes, objects)}"
        )
    if CLAIM_IN_USE in status.reasons:
        return f"another pod uses its claim {few(names)}, which only one pod may use (ReadWriteOncePod)"
    of_claims = why_claims_keep_out(pod, objects) if status.plugin == DynamicResources.name else ""
    return (
        of_claims
        or f"{status.plugin or 'PreFilter'} rejects it before any node is looked at: {status.message}"
    )
