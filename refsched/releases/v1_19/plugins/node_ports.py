# SPDX-License-Identifier: Apache-2.0
"""NodePorts in v1.19: the error of a Filter without its PreFilter is worded otherwise.

Source: plugins/nodeports/node_ports.go, getPreFilterState.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.status import error
from refsched.plugins import node_ports as current
from refsched.releases.v1_19.framework import ERROR_READING


@frozen
class NodePorts(current.NodePorts):
    WITHOUT_PRE_FILTER = error(ERROR_READING.of("NodePorts"))
