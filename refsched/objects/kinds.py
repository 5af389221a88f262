# SPDX-License-Identifier: Apache-2.0
"""Kinds: the API objects that are read, and the class that each is read as.

An object says what it is by ``apiVersion`` (a group and a version; the core group has no name) and ``kind``.
Kinds of different groups may have the same name, so both count. A kind that is not in the table is one that
scheduling never reads, and a version that is not in the table may have other fields.
"""

from __future__ import annotations

from attrs import frozen

from refsched.objects.dra import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.objects.priority_class import PriorityClass
from refsched.objects.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from refsched.objects.workloads import (
    Namespace,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
)

_CORE = ""
_APPS = "apps"
_POLICY = "policy"
_RESOURCE = "resource.k8s.io"
_SCHEDULING = "scheduling.k8s.io"
_STORAGE = "storage.k8s.io"


@frozen
class ApiKind:
    """An ApiKind is a row of the table: the group, the versions that have the same fields (newest first), and
    the class."""

    group: str
    versions: tuple[str, ...]
    type: type[ApiObject]
    namespaced: bool = True

    @property
    def name(self) -> str:
        return self.type.kind

    @property
    def api_version(self) -> str:
        """Returns ``apiVersion`` with the newest version."""
        return f"{self.group}/{self.versions[0]}" if self.group else self.versions[0]


KINDS: tuple[ApiKind, ...] = (
    ApiKind(_CORE, ("v1",), Namespace, namespaced=False),
    ApiKind(_SCHEDULING, ("v1", "v1beta1"), PriorityClass, namespaced=False),
    ApiKind(_CORE, ("v1",), Node, namespaced=False),
    ApiKind(_STORAGE, ("v1",), StorageClass, namespaced=False),
    ApiKind(_STORAGE, ("v1",), CSIDriver, namespaced=False),
    ApiKind(_STORAGE, ("v1",), CSINode, namespaced=False),
    ApiKind(_STORAGE, ("v1", "v1beta1"), CSIStorageCapacity),
    ApiKind(_CORE, ("v1",), PersistentVolume, namespaced=False),
    ApiKind(_CORE, ("v1",), PersistentVolumeClaim),
    ApiKind(_STORAGE, ("v1",), VolumeAttachment, namespaced=False),
    ApiKind(_CORE, ("v1",), Service),
    ApiKind(_CORE, ("v1",), ReplicationController),
    ApiKind(_APPS, ("v1",), ReplicaSet),
    ApiKind(_APPS, ("v1",), StatefulSet),
    ApiKind(_RESOURCE, ("v1", "v1beta2"), DeviceClass, namespaced=False),
    ApiKind(_RESOURCE, ("v1",), DeviceTaintRule, namespaced=False),
    ApiKind(_RESOURCE, ("v1", "v1beta2"), ResourceSlice, namespaced=False),
    ApiKind(_RESOURCE, ("v1", "v1beta2"), ResourceClaimTemplate),
    ApiKind(_RESOURCE, ("v1", "v1beta2"), ResourceClaim),
    ApiKind(_POLICY, ("v1", "v1beta1"), PodDisruptionBudget),
    ApiKind(_CORE, ("v1",), Pod),
)
"""These kinds are read. They are in the order in which a cluster is created: first those that others refer to, and
pods last."""

_BY_TYPE = {kind.type: kind for kind in KINDS}


def kind_of(shown: ApiObject) -> ApiKind:
    """Returns the row of the table by which an object was read."""
    return _BY_TYPE[type(shown)]


def described_as(shown: ApiObject) -> str:
    """Returns ``Pod default/web`` for an object that has been read."""
    path = (shown.namespace, shown.name)
    return f"{shown.kind} {'/'.join(part for part in path if part)}"
