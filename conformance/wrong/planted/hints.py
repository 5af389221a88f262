# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in what plugins make of events: a refused pod is not tried again, or for nothing."""

from conformance.wrong.planted.table import Wrong

_FIT = "refsched.plugins.node_resources_fit"
_TAINT = "refsched.plugins.taint_toleration"
_CORDON = "refsched.plugins.node_unschedulable"
_SPREAD = "refsched.plugins.pod_topology_spread"
_NODE_AFFINITY = "refsched.plugins.node_affinity"
_POD_AFFINITY = "refsched.plugins.inter_pod_affinity"
_PORTS = "refsched.plugins.node_ports"
_TABLE = "refsched.queue.hint_table"
_EVENTS = "refsched.queue.cluster_events"

WRONG = (
    Wrong(
        "fit-ignores-deleted-pods",
        "a pod that left room when it was deleted cures nobody",
        _FIT,
        "if not before.spec.node_name and not before.status.nominated_node_name:",
        "if True:",
    ),
    Wrong(
        "fit-ignores-new-nodes",
        "a new node with room cures nobody",
        _FIT,
        'applies("R-FIT-11")\n            return True',
        "return False",
    ),
    Wrong(
        "fit-is-cured-by-any-node",
        "a node that is too small for the pod is thought to help",
        _FIT,
        "if not _has_pod_slot(_empty(after)) or _insufficient(wanted, _empty(after)):",
        "if False:",
    ),
    Wrong(
        "fit-ignores-smaller-pods",
        "a running pod that is resized to less cures nobody",
        _FIT,
        "ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN,",
        "ActionType.DELETE,",
    ),
    Wrong(
        "taint-ignores-lost-taints",
        "a node that loses its taint cures nobody",
        _TAINT,
        "if _is_repelled(pod, after) or (before is not None and not _is_repelled(pod, before)):",
        "if _is_repelled(pod, after) or before is not None:",
        cites="kubernetes #131609",
    ),
    Wrong(
        "taint-ignores-new-tolerations",
        "a pod that is given a toleration is not tried again",
        _TAINT,
        '        applies("R-TAINT-06")\n        return True\n',
        '        applies("R-TAINT-06")\n        return False\n',
    ),
    Wrong(
        "cordon-ignores-uncordoned-nodes",
        "a node that is uncordoned cures nobody",
        _CORDON,
        "if after.spec.unschedulable or (before is not None and not before.spec.unschedulable):",
        "if after.spec.unschedulable or before is not None:",
        cites="kubernetes #122288",
    ),
    Wrong(
        "spread-ignores-new-pods",
        "a pod that fills the least domain up cures nobody",
        _SPREAD,
        "            ActionType.ADD\n            | ActionType.DELETE\n",
        "            ActionType.DELETE\n",
        cites="kubernetes #122627",
    ),
    Wrong(
        "spread-ignores-lost-pods",
        "a pod that leaves a crowded domain cures nobody",
        _SPREAD,
        "            ActionType.ADD\n            | ActionType.DELETE\n",
        "            ActionType.ADD\n",
    ),
    Wrong(
        "spread-ignores-nodes-gone",
        "the end of the least domain cures nobody",
        _SPREAD,
        "ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,",
        "ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,",
    ),
    Wrong(
        "node-affinity-ignores-new-labels",
        "a node that is given the label that a pod asks for cures nobody",
        _NODE_AFFINITY,
        "elif before is not None and _is_selected(pod, before) and _has_affinity(pod, before):",
        "elif before is not None:",
    ),
    Wrong(
        "node-affinity-is-cured-by-any-node",
        "a node that does not match is thought to help",
        _NODE_AFFINITY,
        "if not _has_unreadable_term(pod):",
        "if False:",
    ),
    Wrong(
        "pod-affinity-ignores-who-left",
        "a pod that goes away cures nobody whom it kept away",
        _POD_AFFINITY,
        "if not (came or went or frees):",
        "if not (came or frees):",
    ),
    Wrong(
        "pod-affinity-ignores-who-came",
        "a pod that comes cures nobody who wants it near",
        _POD_AFFINITY,
        "if not (came or went or frees):",
        "if not (went or frees):",
    ),
    Wrong(
        "pod-affinity-ignores-moved-nodes",
        "a node that joins the domain of an affinity cures nobody",
        _POD_AFFINITY,
        "if not (joins or leaves):",
        "if not leaves:",
    ),
    Wrong(
        "ports-are-cured-by-any-deletion",
        "a deleted pod that had other ports is thought to help",
        _PORTS,
        "if not _in_conflict(PodInfo(pod).host_ports, PodInfo(before).host_ports):",
        "if False:",
    ),
    Wrong(
        "ports-ignore-deleted-pods",
        "a pod that frees the port cures nobody",
        _PORTS,
        "if not _in_conflict(PodInfo(pod).host_ports, PodInfo(before).host_ports):",
        "if True:",
    ),
    Wrong(
        "no-taint-events-for-who-wants-new-nodes",
        "a node that becomes usable in two steps is an event only for who registered for taints",
        _TABLE,
        'rows.append(Registration(ClusterEvent(NODE, ActionType.UPDATE_NODE_TAINT), "R-HINT-05", plugin))',
        "pass",
        cites="kubernetes #109437",
    ),
    Wrong(
        "all-must-be-cured",
        "of several plugins that refused a pod each must be cured by one and the same event",
        _TABLE,
        "        return any(\n            self._answer(",
        "        return bool(plugins) and all(\n            self._answer(",
    ),
    Wrong(
        "hears-what-it-did-not-ask-for",
        "an event of several kinds meets who registered for one of them",
        _EVENTS,
        "        and event.action.value <= registered.action.value\n",
        "",
    ),
)
