# SPDX-License-Identifier: Apache-2.0
"""Signatures that more than one plugin gives: two pods with the same signature are taken for equal by
OpportunisticBatching (cycle/batching.py).

Observed: which pods are taken for equal may only save searches, KEP-5598.
Source: k8s.io/kube-scheduler/framework/signers.go; SignPod of each plugin.
"""

from __future__ import annotations

from refsched.framework.interface import Fragments
from refsched.objects.pod import Pod
from refsched.objects.resources import requests_of_spec
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_extended import served
from refsched.rules import applies


def sign_tolerations(plugin: object, pod: Pod, objects: ObjectStore) -> Fragments:
    """R-BATCH-21: The tolerations of a pod are part of its signature, in whatever order they are listed, except
    that two with the same key and value stay in theirs. Source: TolerationsSigner."""
    applies("R-BATCH-21", when=pod.spec.tolerations)
    return {"tolerations": tuple(sorted(pod.spec.tolerations, key=lambda each: (each.key, each.value)))}


def sign_requests(plugin: object, pod: Pod, objects: ObjectStore) -> Fragments | None:
    """R-BATCH-22: What the pod requests as a whole is part of its signature, however its containers share it.
    R-BATCH-23: A pod that requests an extended resource that a DeviceClass serves has no signature.
    Source: plugins/noderesources/fit.go, SignPod."""
    requests = requests_of_spec(pod)
    if served(requests, objects):
        applies("R-BATCH-23")
        return None
    applies("R-BATCH-22")
    return {"requests": requests}


def sign_volumes(plugin: object, pod: Pod, objects: ObjectStore) -> Fragments:
    """R-BATCH-24: The sources of the pod's volumes are part of its signature, in any order and whatever the
    volumes are called, except for ConfigMaps and Secrets. Source: VolumesSigner."""
    volumes = pod.spec.volumes
    applies("R-BATCH-24", when=volumes)
    sources = (each.source for each in volumes if each.config_map is None and each.secret is None)
    return {"volumes": tuple(sorted(sources))}


def sign_without_resource_claims(plugin: object, pod: Pod, objects: ObjectStore) -> Fragments | None:
    """R-BATCH-25: A pod with ResourceClaims has no signature. Source: DynamicResources.SignPod."""
    return None if applies("R-BATCH-25", when=pod.spec.resource_claims) else {}
