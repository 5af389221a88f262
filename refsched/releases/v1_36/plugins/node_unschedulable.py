# SPDX-License-Identifier: Apache-2.0
"""NodeUnschedulable before 1.37: the plugin has no PreFilter.

Changed by: kubernetes #140000 (PreFilter passes over pods whose resize is deferred, behind a feature gate).
Source: plugins/nodeunschedulable/node_unschedulable.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.plugins import node_unschedulable as current


@frozen
class NodeUnschedulable(current.NodeUnschedulable):
    POINTS = ("filter",)
    pre_filter = None  # type: ignore[assignment]  # There is no such method.
