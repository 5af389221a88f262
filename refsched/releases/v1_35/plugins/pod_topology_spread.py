# SPDX-License-Identifier: Apache-2.0
"""PodTopologySpread before 1.36: pods that are nominated requeue no pod.

Changed in 1.36: nominated pods count as assigned in the plugin's queueing hint.
Observed: queueing hints may only save attempts (KEP-4247).
Source: plugins/podtopologyspread/plugin.go, involvedInTopologySpreading.
"""

from __future__ import annotations

from attrs import frozen

from refsched.objects.pod import Pod
from refsched.plugins import pod_topology_spread as current


@frozen
class PodTopologySpread(current.PodTopologySpread):
    # --- Events -----------------------------------------------------------------------------------

    def is_involved(self, changed: Pod, pod: Pod) -> bool:
        """Returns whether the changed pod is the pod itself, or an assigned pod of its namespace."""
        is_assigned = bool(changed.spec.node_name)
        return changed.uid == pod.uid or (is_assigned and changed.namespace == pod.namespace)
