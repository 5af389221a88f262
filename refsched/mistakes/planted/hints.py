# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about queueing hints, and so about which event requeues which pod."""

from refsched.mistakes.wrong import Wrong

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
        "A deleted pod that frees resources requeues no pod.",
        _FIT,
        'return applies("R-FIT-09", when=placed)',
        "return False",
        breaks=("R-FIT-09",),
    ),
    Wrong(
        "fit-ignores-new-nodes",
        "A new node with enough resources requeues no pod.",
        _FIT,
        'return applies("R-FIT-11")',
        "return False",
        breaks=("R-FIT-11",),
    ),
    Wrong(
        "fit-is-requeued-by-any-node",
        "A node that is too small for the pod requeues it.",
        _FIT,
        "if not _has_pod_slot(alone) or _insufficient(wanted, alone):",
        "if False:",
        breaks=("R-FIT-11",),
    ),
    Wrong(
        "fit-ignores-smaller-pods",
        "A running pod that is resized to less requeues no pod.",
        _FIT,
        "ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN,",
        "ActionType.DELETE,",
        breaks=("R-CURE-NodeResourcesFit-Pod-Delete+UpdatePodScaleDown", "R-FIT-10"),
    ),
    Wrong(
        "taint-ignores-lost-taints",
        "A node that loses its taint requeues no pod.",
        _TAINT,
        "when=not is_repelled(pod, after) and not was_tolerated",
        "when=not is_repelled(pod, after) and before is None",
        cites="kubernetes #131609",
        breaks=("R-TAINT-05",),
    ),
    Wrong(
        "taint-ignores-new-tolerations",
        "A pod that is given a toleration is not requeued.",
        _TAINT,
        'return applies("R-TAINT-06", when=after.uid == pod.uid)',
        "return False",
        breaks=("R-TAINT-06",),
    ),
    Wrong(
        "cordon-ignores-uncordoned-nodes",
        "A node that is uncordoned requeues no pod.",
        _CORDON,
        "when=not after.spec.unschedulable and not was_schedulable",
        "when=not after.spec.unschedulable and before is None",
        cites="kubernetes #122288",
        breaks=("R-CORDON-03",),
    ),
    Wrong(
        "spread-ignores-new-pods",
        "A new pod in the domain with the fewest matching pods requeues no pod.",
        _SPREAD,
        "            ActionType.ADD\n            | ActionType.DELETE\n",
        "            ActionType.DELETE\n",
        cites="kubernetes #122627",
        breaks=("R-SPREAD-16", "R-CURE-PodTopologySpread-Pod-Add+Delete+UpdatePodLabel+UpdatePodToleration"),
    ),
    Wrong(
        "spread-ignores-lost-pods",
        "A deleted pod in the domain with the most matching pods requeues no pod.",
        _SPREAD,
        "            ActionType.ADD\n            | ActionType.DELETE\n",
        "            ActionType.ADD\n",
        breaks=("R-SPREAD-16", "R-CURE-PodTopologySpread-Pod-Add+Delete+UpdatePodLabel+UpdatePodToleration"),
    ),
    Wrong(
        "spread-ignores-removed-nodes",
        "The removal of the domain with the fewest matching pods requeues no pod.",
        _SPREAD,
        "ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,",
        "ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,",
        breaks=("R-SPREAD-17", "R-CURE-PodTopologySpread-Node-Add+Delete+UpdateNodeLabel+UpdateNodeTaint"),
    ),
    Wrong(
        "node-affinity-ignores-new-labels",
        "A node that is given a required label requeues no pod.",
        _NODE_AFFINITY,
        "elif before is not None and matches_required(pod, before):",
        "elif before is not None:",
        breaks=("R-NODEAFF-07",),
    ),
    Wrong(
        "node-affinity-is-requeued-by-any-node",
        "A node that does not match the pod's node affinity requeues the pod.",
        _NODE_AFFINITY,
        "if not _has_unreadable_term(pod):",
        "if False:",
        breaks=("R-NODEAFF-07",),
    ),
    Wrong(
        "pod-affinity-ignores-who-left",
        "A deleted pod requeues no pod whose anti-affinity matched it.",
        _POD_AFFINITY,
        "when=came or went or frees",
        "when=came or frees",
        breaks=("R-PODAFF-14",),
    ),
    Wrong(
        "pod-affinity-ignores-who-came",
        "A new pod requeues no pod whose affinity matches it.",
        _POD_AFFINITY,
        "when=came or went or frees",
        "when=went or frees",
        breaks=("R-PODAFF-14",),
    ),
    Wrong(
        "pod-affinity-ignores-moved-nodes",
        "A node that joins the domain of an affinity term requeues no pod.",
        _POD_AFFINITY,
        "when=joins or leaves",
        "when=leaves",
        breaks=("R-PODAFF-15",),
    ),
    Wrong(
        "ports-are-requeued-by-any-deletion",
        "A deleted pod with other host ports requeues the pod.",
        _PORTS,
        'return applies("R-PORTS-04", when=_in_conflict(PodInfo(pod).host_ports, PodInfo(before).host_ports))',
        "return True",
        breaks=("R-PORTS-04",),
    ),
    Wrong(
        "ports-ignore-deleted-pods",
        "A deleted pod that frees the host port requeues no pod.",
        _PORTS,
        'return applies("R-PORTS-04", when=_in_conflict(PodInfo(pod).host_ports, PodInfo(before).host_ports))',
        "return False",
        breaks=("R-PORTS-04",),
    ),
    Wrong(
        "no-taint-events-for-who-wants-new-nodes",
        "A node that becomes usable in two steps requeues only pods whose plugins registered for taints.",
        _TABLE,
        'found.append(Registration(ClusterEvent(NODE, ActionType.UPDATE_NODE_TAINT), "R-HINT-05"))',
        "pass",
        cites="kubernetes #109437",
        breaks=("R-HINT-05",),
    ),
    Wrong(
        "all-must-be-satisfied",
        "A pod is requeued only if one event satisfies every plugin that rejected it.",
        _TABLE,
        "        return any(\n            self._answer(",
        "        return bool(plugins) and all(\n            self._answer(",
        breaks=("R-HINT-03",),
    ),
    Wrong(
        "hears-what-it-did-not-ask-for",
        "An event with more than one action matches plugins that registered for any one of them.",
        _EVENTS,
        "        and event.action.value <= registered.action.value\n",
        "",
        breaks=("R-CHANGE-01",),
    ),
)
