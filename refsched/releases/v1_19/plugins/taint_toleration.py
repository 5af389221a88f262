# SPDX-License-Identifier: Apache-2.0
"""TaintToleration in v1.19: the reason names the first taint that the pod does not tolerate.

Promised: the effects of taints are documented with the Node and the Pod API.
Source: plugins/tainttoleration/taint_toleration.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.plugins.taint_toleration import untolerated_taints
from refsched.releases.v1_19.framework import ERROR_READING_PRE_SCORE
from refsched.releases.v1_36.plugins import taint_toleration as current
from refsched.rules import Reason

UNTOLERATED = Reason("node(s) had taint {{{}: {}}}, that the pod didn't tolerate", "R-TAINT-51")


@frozen
class TaintToleration(current.TaintToleration):
    WITHOUT_PRE_SCORE = error(ERROR_READING_PRE_SCORE.of("TaintToleration"))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-TAINT-51 (instead of R-TAINT-01, R-TAINT-02): In v1.19 a node with an untolerated NoSchedule or
        NoExecute taint is rejected as UnschedulableAndUnresolvable, and the reason names the key and the value of
        the first such taint."""
        for taint in untolerated_taints(pod.pod.spec.tolerations, node.existing_node):
            return unresolvable(UNTOLERATED.of(taint.key, taint.value))
        return SUCCESS
