# SPDX-License-Identifier: Apache-2.0
"""Metadata: what every API object has, and the label selector that many have."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from attrs import field, frozen


@frozen
class OwnerReference:
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


@frozen
class ObjectMeta:
    name: str = ""
    namespace: str = ""
    uid: str = ""
    generate_name: str = ""
    labels: Mapping[str, str] = field(factory=dict)
    annotations: Mapping[str, str] = field(factory=dict)
    owner_references: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None

    @property
    def controller(self) -> OwnerReference | None:
        """Returns the owner that manages the object, if any (metav1.GetControllerOfNoCopy)."""
        return next((owner for owner in self.owner_references if owner.controller), None)

    def is_controlled_by(self, uid: str) -> bool:
        """Returns whether the object with this uid manages this one."""
        return self.controller is not None and self.controller.uid == uid


class ApiObject:
    """An ApiObject is any API object: its kind, and its metadata."""

    __slots__ = ()
    kind: ClassVar[str]
    metadata: ObjectMeta

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def namespace(self) -> str:
        return self.metadata.namespace

    @property
    def uid(self) -> str:
        return self.metadata.uid

    @property
    def key(self) -> str:
        """Returns ``namespace/name``, as every record names a pod."""
        return f"{self.metadata.namespace}/{self.metadata.name}"


@frozen
class LabelSelectorRequirement:
    key: str
    operator: str
    values: tuple[str, ...] = ()


@frozen
class LabelSelector:
    """A LabelSelector has ``match_labels`` and ``match_expressions``, all of which must hold."""

    match_labels: Mapping[str, str] = field(factory=dict)
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()
