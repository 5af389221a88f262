# SPDX-License-Identifier: Apache-2.0
"""DynamicResources before 1.35.

Changed by: kubernetes #134711 (nodes score by the alternatives that would be allocated there).
After the upgrade: Of the nodes on which the pod's claims can be allocated, those are preferred on which an earlier
alternative of a request is (R-DRA-18).
What to do: list the alternatives of a request, the best one first.

Source: plugins/dynamicresources/dynamicresources.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.plugins import dynamic_resources as current
from refsched.releases.v1_34.devices import Allocator
from refsched.releases.v1_35.plugins import dynamic_resources as later


@frozen
class DynamicResources(later.DynamicResources):
    POINTS = tuple(point for point in current.DynamicResources.POINTS if point != "score")
    allocator = Allocator
