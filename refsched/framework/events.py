# SPDX-License-Identifier: Apache-2.0
"""Cluster events: what may make a rejected pod schedulable, and the tables in which plugins say so.

A plugin lists the events that may make a pod that it rejected schedulable in ``EVENTS``, a table of ``EventHint``
rows. Any event requeues the pods that a plugin without such a table rejected.
Source: staging kube-scheduler/framework/types.go (v0.34.2); pkg/scheduler/framework/events.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Flag, auto
from typing import Any

from attrs import frozen

from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore


class ActionType(Flag):
    """What happened to an object. Kubernetes' names, in upper case."""

    ADD = auto()
    DELETE = auto()
    UPDATE_NODE_ALLOCATABLE = auto()
    UPDATE_NODE_LABEL = auto()
    UPDATE_NODE_TAINT = auto()
    UPDATE_NODE_CONDITION = auto()
    UPDATE_NODE_ANNOTATION = auto()
    UPDATE_POD_LABEL = auto()
    UPDATE_POD_SCALE_DOWN = auto()
    UPDATE_POD_TOLERATION = auto()
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = auto()
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_CONDITION
        | UPDATE_NODE_ANNOTATION
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_TOLERATION
        | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM
    )
    ALL = ADD | DELETE | UPDATE


# Resources as the framework names them; the two kinds of pod stand for what POD registers for.
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

Hint = Callable[[Any, Pod, Any, Any, ObjectStore], bool]
"""(plugin, rejected pod, object before, object after, all objects) → is it worth another try?

``before`` is None where the object is new, ``after`` where it was deleted. What the real hint answers with an
error is True. It takes the plugin first, so that a plugin's method can stand in the table.
"""


@frozen(cache_hash=True)
class ClusterEvent:
    """Something happened to an object of this resource; ``label`` names the special ones."""

    resource: str
    action: ActionType
    label: str = ""


@frozen
class EventHint:
    """One row of a plugin's table: on these actions on this resource ask ``hint``; None: always try."""

    resource: str
    action: ActionType
    hint: Hint | None
    why: str
