# SPDX-License-Identifier: Apache-2.0
"""NodePorts in v1.19: the error of a Filter without its PreFilter is worded otherwise.

Source: plugins/nodeports/node_ports.go, getPreFilterState.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.status import error
from refsched.plugins import node_ports as current


@frozen
class NodePorts(current.NodePorts):
    WITHOUT_PRE_FILTER = error('error reading "PreFilterNodePorts" from cycleState: not found')
