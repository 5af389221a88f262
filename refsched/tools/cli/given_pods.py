# SPDX-License-Identifier: Apache-2.0
"""Given pods: the pods of a file that a user names, as manifests or as the pod templates of workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from refsched.errors import InputError
from refsched.objects.pod import Pod
from refsched.reading.manifests import raw_objects, read_values
from refsched.releases.release import Release
from refsched.tools.cli.inputs import note_unknown

WORKLOADS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "Job", "CronJob")
EXPECTED = f"give a Pod, or a {', '.join(WORKLOADS[:-1])} or {WORKLOADS[-1]} with a pod template"


def pods_in(path: str, release: Release) -> list[Pod]:
    """Returns the pods of a file, or those of the pod templates of its workloads if there is no pod. Raises
    InputError if there are neither."""
    values = list(raw_objects((path,)))
    pods = [(where, value) for where, value in values if _kind(value) == Pod.kind]
    if not pods:
        pods = [(where, _from_template(value)) for where, value in values if _kind(value) in WORKLOADS]
    if not pods:
        raise InputError(f"there is no pod in it; {EXPECTED}", where=path)
    read = read_values([(where, _named(value)) for where, value in pods], release=release)
    note_unknown(read)
    return [each for each in read.objects if isinstance(each, Pod)]


def _kind(value: object) -> object:
    return value.get("kind") if isinstance(value, Mapping) else None


def _at(value: object, *path: str) -> Mapping[str, Any]:
    """Returns the object at this path, or an empty one if there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _from_template(workload: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a pod as the controller of the workload makes it. Each claim template of a StatefulSet becomes an
    ephemeral volume, which has a claim of the pod's own as well."""
    spec = _at(workload, "spec")
    template = _at(spec, "jobTemplate", "spec", "template") or _at(spec, "template")
    named = {
        name: value for name, value in _at(workload, "metadata").items() if name in ("name", "namespace")
    }
    metadata = {name: value for name, value in _at(template, "metadata").items() if name != "generateName"}
    made = dict(_at(template, "spec"))
    claims: Sequence[Any] = spec.get("volumeClaimTemplates") or ()
    if claims:
        own = {_at(claim, "metadata").get("name"): {"spec": _at(claim, "spec")} for claim in claims}
        volumes = [{"name": name, "ephemeral": {"volumeClaimTemplate": claim}} for name, claim in own.items()]
        made["volumes"] = [*(made.get("volumes") or ()), *volumes]
    return {"apiVersion": "v1", "kind": Pod.kind, "metadata": {**metadata, **named}, "spec": made}


def _named(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the pod with a name that begins as its generateName says, if it has no other."""
    metadata = _at(pod, "metadata")
    prefix = metadata.get("generateName")
    if metadata.get("name") or not isinstance(prefix, str) or not prefix:
        return pod
    return {**pod, "metadata": {**metadata, "name": prefix.rstrip("-")}}
