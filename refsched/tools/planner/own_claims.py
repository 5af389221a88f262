# SPDX-License-Identifier: Apache-2.0
"""Own claims: what controllers create for a pod that is created, and take away after it has left.

Each ResourceClaimTemplate that a pod names becomes a ResourceClaim, and each of its generic ephemeral volumes a
PersistentVolumeClaim; the pod controls both, and they are deleted with it. A volume is provisioned for a claim
whose StorageClass does not wait for a pod.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import evolve

from refsched.machine.scheduler import Scheduler
from refsched.objects.dra import ResourceClaim, ResourceClaimTemplate
from refsched.objects.meta import ApiObject, ObjectMeta, OwnerReference
from refsched.objects.pod import Pod, PodResourceClaim, PodResourceClaimStatus
from refsched.objects.reading import read_as
from refsched.objects.storage import (
    NO_PROVISIONER,
    WAIT_FOR_FIRST_CONSUMER,
    PersistentVolumeClaim,
    StorageClass,
)
from refsched.objects.volumes import Volume
from refsched.tools.planner.controllers import bound_to, has_own_claims, volume_for, without_pods

DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
SOURCES = (ResourceClaimTemplate, StorageClass, PersistentVolumeClaim)
"""What is created for a pod depends on objects of these kinds."""

SUFFIX = "00000"
"""The names of generated claims end like this; those that a controller chooses have no zeros."""


# --- Created with a pod ---------------------------------------------------------------------------


def with_own_claims(pod: Pod, objects: Sequence[ApiObject]) -> tuple[Pod, list[ApiObject]]:
    """Returns the pod with the names of its claims, and what is created for it from the templates and the
    StorageClasses among the objects. What it has already is not created again, and what has no template is not
    created at all."""
    templates = {each.key: each for each in objects if isinstance(each, ResourceClaimTemplate)}
    classes = [each for each in objects if isinstance(each, StorageClass)]
    has = {each.name for each in pod.status.resource_claim_statuses}
    statuses, made = list(pod.status.resource_claim_statuses), list[ApiObject]()
    for named in pod.spec.resource_claims:
        template = templates.get(f"{pod.namespace}/{named.resource_claim_template_name}")
        if template is not None and named.name not in has:
            claim = _claim_from(template, pod, named)
            statuses.append(PodResourceClaimStatus(named.name, claim.name))
            made.append(claim)
    if made:
        pod = evolve(pod, status=evolve(pod.status, resource_claim_statuses=tuple(statuses)))
    taken = {each.key for each in objects if isinstance(each, PersistentVolumeClaim)}
    for volume in pod.spec.volumes:
        name = volume.claim_name(pod.name)
        if volume.ephemeral is not None and name and f"{pod.namespace}/{name}" not in taken:
            made += _provisioned(_claim_for(volume, name, pod, classes), classes)
    return pod, made


def _claim_from(template: ResourceClaimTemplate, pod: Pod, named: PodResourceClaim) -> ResourceClaim:
    metadata = _owned_by(pod, f"{pod.name}-{named.name}-{SUFFIX}", template.spec.metadata)
    return ResourceClaim(metadata, template.spec.spec)


def _claim_for(volume: Volume, name: str, pod: Pod, classes: Iterable[StorageClass]) -> PersistentVolumeClaim:
    source: dict[str, Any] = json.loads(volume.source)["ephemeral"] or {}
    template = source.get("volumeClaimTemplate") or {}
    claim = read_as(
        PersistentVolumeClaim,
        {"metadata": template.get("metadata") or {}, "spec": template.get("spec") or {}},
    )
    spec = claim.spec
    if "storageClassName" not in (template.get("spec") or {}):
        default = (each.name for each in classes if each.metadata.annotations.get(DEFAULT_CLASS) == "true")
        spec = evolve(spec, storage_class_name=next(default, ""))
    return evolve(claim, metadata=_owned_by(pod, name, claim.metadata), spec=spec)


def _owned_by(pod: Pod, name: str, template: ObjectMeta) -> ObjectMeta:
    owner = OwnerReference("v1", Pod.kind, pod.name, pod.uid, controller=True)
    uid = f"{pod.uid}-{name}"
    return ObjectMeta(
        name,
        pod.namespace,
        uid,
        labels=template.labels,
        annotations=template.annotations,
        owner_references=(owner,),
    )


def _provisioned(claim: PersistentVolumeClaim, classes: Iterable[StorageClass]) -> Iterator[ApiObject]:
    """Yields the claim, bound to the volume that is yielded before it if its class does not wait for a pod."""
    found = next((each for each in classes if each.name == claim.class_name), None)
    waits = found is None or found.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
    if found is None or waits or found.provisioner == NO_PROVISIONER:
        yield claim
        return
    volume = volume_for(claim, found)
    yield volume
    yield bound_to(claim, volume.name)


# --- After a change ----------------------------------------------------------------------------------


def followed(before: Sequence[ApiObject], after: Sequence[ApiObject]) -> tuple[ApiObject, ...]:
    """Returns the objects after a change with what controllers do about claims: those of pods that have left go
    with them, and those of pods that are new, or are created anew, are made."""
    had = {each.key: each for each in before if isinstance(each, Pod)}
    have = {each.key: each for each in after if isinstance(each, Pod)}
    anew = {key for key, pod in have.items() if not pod.spec.node_name and _is_new(pod, had.get(key))}
    left = {pod.uid for key, pod in had.items() if key in anew or key not in have}
    rest: list[ApiObject] = []
    for each in after:
        kept = without_pods(each, left) if isinstance(each, ResourceClaim | PersistentVolumeClaim) else each
        if kept is not None:
            rest.append(kept)
    made: list[ApiObject] = []
    sources = [each for each in rest if isinstance(each, SOURCES)]
    for at, each in enumerate(rest):
        if isinstance(each, Pod) and each.key in anew and has_own_claims(each):
            rest[at], own = with_own_claims(each, sources)
            made += own
    return (*made, *rest)


def _is_new(pod: Pod, before: Pod | None) -> bool:
    return before is None or bool(before.spec.node_name)


# --- In a scheduler -------------------------------------------------------------------------------


def create_with_claims(scheduler: Scheduler, pod: Pod) -> Pod:
    """Creates the pod, after the claims that controllers make for it, and returns it as it is then."""
    pod = create_claims(scheduler, pod)
    scheduler.create(pod)
    return pod


def create_claims(scheduler: Scheduler, pod: Pod) -> Pod:
    """Creates what controllers make for the pod, and returns the pod as it is then."""
    if not has_own_claims(pod):
        return pod
    objects = scheduler.state.objects
    pod, made = with_own_claims(pod, [each for kind in SOURCES for each in objects.list(kind)])
    for each in made:
        scheduler.create(each)
    return pod
