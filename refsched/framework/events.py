# SPDX-License-Identifier: Apache-2.0
"""Cluster events: the events that may make a rejected pod schedulable, and the tables in which plugins list
them.

``EVENTS`` of a plugin is a table of ``EventHint`` rows: the events that may make a pod that it rejected
schedulable. Any event requeues the pods that were rejected by a plugin without such a table.
Source: staging kube-scheduler/framework/types.go; pkg/scheduler/framework/events.go.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Flag, auto
from functools import cached_property
from typing import Any

from attrs import frozen

from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore


class ActionType(Flag):
    """An ActionType says what happened to an object. The names are those of Kubernetes, in upper case."""

    ADD = auto()
    DELETE = auto()
    UPDATE_NODE_ALLOCATABLE = auto()
    UPDATE_NODE_LABEL = auto()
    UPDATE_NODE_TAINT = auto()
    UPDATE_NODE_CONDITION = auto()
    UPDATE_NODE_ANNOTATION = auto()
    UPDATE_NODE_DECLARED_FEATURE = auto()
    UPDATE_POD_LABEL = auto()
    UPDATE_POD_SCALE_DOWN = auto()
    UPDATE_POD_SCALE_UP = auto()
    UPDATE_POD_TOLERATION = auto()
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = auto()
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_CONDITION
        | UPDATE_NODE_ANNOTATION
        | UPDATE_NODE_DECLARED_FEATURE
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_SCALE_UP
        | UPDATE_POD_TOLERATION
        | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM
    )
    ALL = ADD | DELETE | UPDATE


# These are the resources as the framework names them. A registration for POD is one for both kinds of pod.
POD = "Pod"
ASSIGNED_POD = "AssignedPod"
UNSCHEDULABLE_POD = "UnschedulablePod"
NODE = "Node"
PERSISTENT_VOLUME = "PersistentVolume"
PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
STORAGE_CLASS = "storage.k8s.io/StorageClass"
CSI_NODE = "storage.k8s.io/CSINode"
CSI_DRIVER = "storage.k8s.io/CSIDriver"
CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
RESOURCE_CLAIM = "ResourceClaim"
RESOURCE_SLICE = "ResourceSlice"
DEVICE_CLASS = "DeviceClass"
WILD_CARD = "*"

RESOURCES = (
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    STORAGE_CLASS,
    CSI_NODE,
    CSI_DRIVER,
    CSI_STORAGE_CAPACITY,
    VOLUME_ATTACHMENT,
    RESOURCE_CLAIM,
    RESOURCE_SLICE,
    DEVICE_CLASS,
)
"""Plugins may register for these resources, besides nodes and pods."""


def kind_of(resource: str) -> str:
    """Returns the kind of the objects of a resource."""
    return resource.rpartition("/")[2]


Hint = Callable[[Any, Pod, Any, Any, ObjectStore], bool]
"""A Hint takes (plugin, rejected pod, object before, object after, all objects), and returns whether the event may
make the pod schedulable.

``before`` is None if the object is new, and ``after`` is None if it was deleted. Where the hint of kube-scheduler
returns an error, this one returns True. The plugin comes first, so that a plugin's method can be the hint.
"""


@frozen(cache_hash=True)
class ClusterEvent:
    """A ClusterEvent is an action on objects of one resource. ``label`` names an event that is no such
    action."""

    resource: str
    action: ActionType
    label: str = ""


@frozen
class EventHint:
    """An EventHint is one row of a plugin's table: ``hint`` is called for these actions on this resource. If
    it is None, every such event requeues the pod."""

    resource: str
    action: ActionType
    hint: Hint | None
    why: str

    @cached_property
    def event(self) -> ClusterEvent:
        """Returns the event that the plugin registers for by this row."""
        return ClusterEvent(self.resource, self.action)
