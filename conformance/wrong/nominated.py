# SPDX-License-Identifier: Apache-2.0
"""What can be wrong about nominated pods."""

from conformance.wrong.planted import Wrong

_RUNTIME = "refsched.framework.runtime"
_NOMINATOR = "refsched.queue.nominator"
_QUEUE = "refsched.queue.scheduling_queue"
_CYCLE = "refsched.cycle.scheduling_cycle"
_DECIDE = "refsched.cycle.decide"
_PREEMPTION = "refsched.plugins.default_preemption"

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
        "    stations.queue.nominator.withdraw(assumed)\n",
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
        "nominates-whoever-is-gone",
        "a pod that was deleted or bound during its attempt is nominated all the same",
        _NOMINATOR,
        "if shown is None or shown.spec.node_name:",
        "if False:",
        cites="kubernetes #109236, #102339",
    ),
    Wrong(
        "an-update-ends-a-nomination",
        "a node that only the scheduler has in mind is forgotten when the pod is updated",
        _NOMINATOR,
        "in_mind = self._node_of.get(before.uid)",
        "in_mind = None",
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
        "return tuple(other for other in context.nominated_pods(node) if other.pod.priority < priority)",
        "return tuple(other for other in () if other.pod.priority < priority)",
    ),
    Wrong(
        "looks-at-all-nodes-first",
        "the node that a pod is nominated to is not tried before the others",
        _DECIDE,
        "nodes = [] if node is None else [node]",
        "nodes = []",
    ),
)
