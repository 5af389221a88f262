# SPDX-License-Identifier: Apache-2.0
"""Workloads: the objects that own or serve pods, and namespaces, as far as the scheduler reads which pods they
select."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import field, frozen

from refsched.objects.meta import ApiObject, LabelSelector, ObjectMeta


@frozen
class Namespace(ApiObject):
    """A Namespace is cluster-scoped; affinity terms select namespaces by their labels."""

    kind: ClassVar[str] = "Namespace"
    metadata: ObjectMeta = ObjectMeta()


# --- Selection by equal labels --------------------------------------------------------------------


@frozen
class ServiceSpec:
    selector: Mapping[str, str] = field(factory=dict)


@frozen
class Service(ApiObject):
    """A Service without a selector serves no pods."""

    kind: ClassVar[str] = "Service"
    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()


@frozen
class ReplicationControllerSpec:
    selector: Mapping[str, str] = field(factory=dict)


@frozen
class ReplicationController(ApiObject):
    kind: ClassVar[str] = "ReplicationController"
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicationControllerSpec = ReplicationControllerSpec()


# --- Selection by a label selector ----------------------------------------------------------------


@frozen
class ReplicaSetSpec:
    selector: LabelSelector | None = None


@frozen
class ReplicaSet(ApiObject):
    kind: ClassVar[str] = "ReplicaSet"
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicaSetSpec = ReplicaSetSpec()


@frozen
class StatefulSetSpec:
    selector: LabelSelector | None = None


@frozen
class StatefulSet(ApiObject):
    kind: ClassVar[str] = "StatefulSet"
    metadata: ObjectMeta = ObjectMeta()
    spec: StatefulSetSpec = StatefulSetSpec()
