# SPDX-License-Identifier: Apache-2.0
"""Objects before 1.36: what a node declares does not reach the scheduler.

Source: plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (a plugin behind an alpha feature gate in v1.35).
"""

from __future__ import annotations

from attrs import evolve

from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.releases.v1_36 import objects as later


def as_read(value: ApiObject) -> ApiObject:
    """Returns the object that the scheduler decides with, of one that was read."""
    if isinstance(value, Node) and value.status.declared_features:
        return evolve(value, status=evolve(value.status, declared_features=()))
    return later.as_read(value)
