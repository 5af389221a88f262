# SPDX-License-Identifier: Apache-2.0
"""NodeName before 1.37: the plugin has no PreFilter, and every node is tried.

Changed by: kubernetes #140000 (PreFilter restricts the search to the node that the pod names).
After the upgrade: For a pod that names its node only that node is tried, and its messages no longer count the
others (R-NODENAME-02).
What to do: adapt what searches for these messages.
Source: plugins/nodename/node_name.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.plugins import node_name as current


@frozen
class NodeName(current.NodeName):
    POINTS = ("filter",)
    pre_filter = None  # type: ignore[assignment]  # There is no such method.
