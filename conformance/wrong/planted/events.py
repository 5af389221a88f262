# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in how changes of objects are told: which events there are, and who hears of them."""

from conformance.wrong.planted.table import Wrong

_CHANGES = "refsched.queue.cluster_events"
_HANDLERS = "refsched.machine.event_handlers"

WRONG = (
    Wrong(
        "the-last-gate-is-no-event",
        "that the last scheduling gate goes is told to nobody",
        _CHANGES,
        "if not before.spec.scheduling_gates or after.spec.scheduling_gates:",
        "if True:",
    ),
    Wrong(
        "node-labels-are-no-event",
        "a change of a node's labels is told to nobody",
        _CHANGES,
        "    (ActionType.UPDATE_NODE_LABEL, _labels_changed),\n",
        "",
    ),
    Wrong(
        "uncordoning-is-no-event",
        "that a node takes pods again is told to nobody",
        _CHANGES,
        "return before.spec.unschedulable and not after.spec.unschedulable",
        "return False",
    ),
    Wrong(
        "allocatable-is-no-event",
        "that a node has more to give is told to nobody",
        _CHANGES,
        "    (ActionType.UPDATE_NODE_ALLOCATABLE, _allocatable_changed),\n",
        "",
    ),
    Wrong(
        "tells-one-change-of-a-node",
        "of several changes of a node that come at once only the first is told",
        _CHANGES,
        "for action, changed in _NODE_CHANGES if changed(before, after))",
        "for action, changed in _NODE_CHANGES if changed(before, after))[:1]",
        cites="kubernetes #109442",
    ),
    Wrong(
        "pod-labels-are-no-event",
        "a change of a pod's labels is an update like any other",
        _CHANGES,
        "    ActionType.UPDATE_POD_LABEL: _labels_changed,\n",
        "",
    ),
    Wrong(
        "tainted-nodes-do-not-come",
        "a new node is told only to pods that tolerate its taints, whoever registered for it",
        _HANDLERS,
        "        _move(scheduler, NODE_ADD, None, after)\n",
        "        if not after.spec.taints:\n            _move(scheduler, NODE_ADD, None, after)\n",
        cites="kubernetes #110175",
    ),
    Wrong(
        "a-lost-nomination-is-no-event",
        "that a nominated pod no longer claims its node is told to nobody",
        _HANDLERS,
        "if nominated and nominated != after.status.nominated_node_name:",
        "if False:",
    ),
    Wrong(
        "a-lost-nomination-is-told-to-lesser-pods-only",
        "pods of the same priority do not hear that a nominated pod gave up its node",
        _HANDLERS,
        "return lambda other: other.priority <= pod.priority",
        "return lambda other: other.priority < pod.priority",
    ),
    Wrong(
        "a-deleted-waiter-is-no-event",
        "that a pod was deleted while it waited on Permit is told to nobody",
        _HANDLERS,
        "        _move(scheduler, ASSIGNED_POD_DELETE, pod, None)\n    elif",
        "        pass\n    elif",
    ),
    Wrong(
        "deleted-pods-are-no-event",
        "that a running pod is gone is told to nobody",
        _HANDLERS,
        "        _cached(lambda: scheduler.cache.remove_pod(before))\n"
        "        _move(scheduler, ASSIGNED_POD_DELETE, before, None)\n",
        "        _cached(lambda: scheduler.cache.remove_pod(before))\n",
    ),
    Wrong(
        "new-pods-are-no-event",
        "that a pod came to run is told to nobody",
        _HANDLERS,
        "        _cached(lambda: scheduler.cache.add_pod(after))\n"
        "        _move(scheduler, ASSIGNED_POD_ADD, None, after)\n",
        "        _cached(lambda: scheduler.cache.add_pod(after))\n",
    ),
    Wrong(
        "queues-who-is-assumed",
        "an update of a pod that is on its way to a node puts it back into the queue",
        _HANDLERS,
        "    if scheduler.cache.is_assumed(after):\n        return\n",
        "",
        cites="kubernetes #91249, #52914",
    ),
    Wrong(
        "queues-who-runs-already",
        "a pod that somebody else bound stays in the queue",
        _HANDLERS,
        "return pod is not None and not pod.spec.node_name and pod",
        "return pod is not None and pod",
    ),
    Wrong(
        "pods-of-other-schedulers-do-not-count",
        "only pods of its own profiles count on their nodes",
        _HANDLERS,
        "pod if pod is not None and pod.spec.node_name else None",
        "pod if pod is not None and pod.spec.node_name and"
        " pod.spec.scheduler_name in scheduler.profiles else None",
    ),
)
