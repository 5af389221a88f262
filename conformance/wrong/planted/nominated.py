# SPDX-License-Identifier: Apache-2.0
"""What can be wrong about nominated pods."""

from conformance.wrong.planted.table import Wrong

_RUNTIME = "refsched.framework.runtime"
_NOMINATOR = "refsched.queue.nominator"
_QUEUE = "refsched.queue.scheduling_queue"
_CYCLE = "refsched.cycle.scheduling_cycle"
_DECIDE = "refsched.cycle.decide"
_PREEMPTION = "refsched.plugins.default_preemption"
_POST_FILTER = "refsched.cycle.post_filter"

WRONG = (
    Wrong(
        "skips-the-second-nominated-pass",
        "a pod need not fit without the pods nominated to the node",
        _RUNTIME,
        "if counted and status.is_success:",
        "if False:",
    ),
    Wrong(
        "equals-do-not-count",
        "nominated pods of equal priority do not count",
        _RUNTIME,
        "n.pod.priority >= pod.pod.priority and",
        "n.pod.priority > pod.pod.priority and",
        cites="kubernetes #126700",
    ),
    Wrong(
        "lesser-nominations-count",
        "nominated pods of lower priority count too",
        _RUNTIME,
        "n.pod.priority >= pod.pod.priority and n.pod.uid",
        "n.pod.uid",
        cites="kubernetes #106780",
    ),
    Wrong(
        "stands-in-its-own-way",
        "a nominated pod counts against itself",
        _RUNTIME,
        " and n.pod.uid != pod.pod.uid]",
        "]",
    ),
    Wrong(
        "nominations-mean-nothing",
        "room that was made for one pod is given to another",
        _RUNTIME,
        "        for other in counted:\n",
        "        for other in ():\n",
        cites="kubernetes #72124",
    ),
    Wrong(
        "nominated-pods-only-take-room",
        "nominated pods count on the node, and not in what plugins prepared",
        _RUNTIME,
        "crowded_state = self.add_pod(crowded_state, pod, other, crowded, snapshot)",
        "pass",
    ),
    Wrong(
        "counts-twice-who-was-nominated",
        "a nominated pod keeps its nomination when it is assumed, and counts twice",
        _CYCLE,
        "    scheduler.queue.nominator.withdraw(assumed)\n",
        "",
    ),
    Wrong(
        "the-deleted-stay-nominated",
        "the nomination of a deleted pod goes on keeping others away",
        _QUEUE,
        "        self.nominator.withdraw(pod)\n        place, found = self._find(pod.key)\n",
        "        place, found = self._find(pod.key)\n",
        cites="kubernetes #102339",
    ),
    Wrong(
        "an-update-ends-a-nomination",
        "an update of a nominated pod ends its nomination",
        _NOMINATOR,
        "        self._remove(before)\n        self.nominate(after, unwritten)\n",
        "        self._remove(before)\n",
    ),
    Wrong(
        "who-may-not-preempt-loses-its-nomination",
        "a pod that may not preempt, or not yet, is nominated no more",
        _PREEMPTION,
        "return PostFilterResult(unschedulable(reason))",
        'return PostFilterResult(unschedulable(reason), nominated_node="")',
        cites="kubernetes #133276",
    ),
    Wrong(
        "keeps-a-hopeless-nomination",
        "where preemption helps on no node, the pod keeps its nomination",
        _PREEMPTION,
        'return PostFilterResult(unschedulable(message), nominated_node="")',
        "return PostFilterResult(unschedulable(message))",
        cites="kubernetes #85677",
    ),
    Wrong(
        "outranked-pods-stay-nominated",
        "pods of lower priority keep their nomination to the node that is taken over",
        _PREEMPTION,
        "for other in context.nominated_pods(node) if other.pod.priority < priority)",
        "for other in () if other.pod.priority < priority)",
    ),
    Wrong(
        "looks-at-all-nodes-first",
        "the node that a pod is nominated to is not tried before the others",
        _DECIDE,
        "nodes = [] if node is None else [node]",
        "nodes = []",
    ),
    Wrong(
        "nominated-nodes-are-taken-on-trust",
        "the node that a pod is nominated to is taken without asking any filter",
        _DECIDE,
        "return find_nodes(nodes, 0, 1, filters)",
        "return Search(tuple(nodes))",
    ),
    Wrong(
        "who-is-nominated-looks-nowhere-else",
        "a pod that does not fit on its nominated node is not tried on others",
        _DECIDE,
        "        nodes: Sequence[NodeInfo] = self.snapshot.nodes\n",
        "        nominated = self.snapshot.get(filters.pod.pod.status.nominated_node_name)\n"
        "        nodes: Sequence[NodeInfo] = [nominated] if nominated else self.snapshot.nodes\n",
    ),
    Wrong(
        "keeps-the-first-nomination",
        "a pod that is nominated anew goes on keeping others from the node before",
        _NOMINATOR,
        "        self._remove(pod)\n        to = ",
        "        to = ",
    ),
    Wrong(
        "no-post-filter-ends-nominations",
        "without PostFilter plugins a pod that fits nowhere loses its nomination",
        _POST_FILTER,
        "        return PostFilterOutcome()\n",
        '        return PostFilterOutcome(nominated_node="")\n',
    ),
    Wrong(
        "the-first-nomination-of-a-node-counts",
        "of several pods nominated to a node only one counts",
        _RUNTIME,
        "        for other in counted:\n",
        "        for other in counted[:1]:\n",
    ),
    Wrong(
        "a-withdrawn-nomination-counts",
        "where others take a nomination back, the node stays promised",
        _NOMINATOR,
        "if not before.status.nominated_node_name and not after.status.nominated_node_name:",
        "if not after.status.nominated_node_name:",
    ),
    Wrong(
        "nominations-to-other-nodes-are-withdrawn",
        "pods of lower priority lose their nomination wherever they are nominated",
        _PREEMPTION,
        "for other in context.nominated_pods(node) if",
        "for each in context.snapshot.nodes for other in context.nominated_pods(each.name) if",
    ),
)
