# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the events that changes of objects cause."""

from conformance.wrong.planted.table import Wrong

_CHANGES = "refsched.queue.cluster_events"
_HANDLERS = "refsched.machine.event_handlers"

WRONG = (
    Wrong(
        "the-last-gate-is-no-event",
        "No event is recorded when the last scheduling gate of a pod is removed.",
        _CHANGES,
        "if not before.spec.scheduling_gates or after.spec.scheduling_gates:",
        "if True:",
        breaks=("R-CHANGE-04",),
    ),
    Wrong(
        "node-labels-are-no-event",
        "No event is recorded when the labels of a node change.",
        _CHANGES,
        "    (ActionType.UPDATE_NODE_LABEL, _labels_changed),\n",
        "",
        breaks=("R-CHANGE-06",),
    ),
    Wrong(
        "uncordoning-is-no-event",
        "No event is recorded when a node is uncordoned.",
        _CHANGES,
        "return before.spec.unschedulable and not after.spec.unschedulable",
        "return False",
        breaks=("R-CHANGE-06",),
    ),
    Wrong(
        "allocatable-is-no-event",
        "No event is recorded when the allocatable resources of a node grow.",
        _CHANGES,
        "    (ActionType.UPDATE_NODE_ALLOCATABLE, _allocatable_changed),\n",
        "",
        breaks=("R-CHANGE-06",),
    ),
    Wrong(
        "records-one-change-of-a-node",
        "An update that changes a node in more than one way is recorded as the first event only.",
        _CHANGES,
        "for action, changed in _NODE_CHANGES if changed(before, after))",
        "for action, changed in _NODE_CHANGES if changed(before, after))[:1]",
        cites="kubernetes #109442",
        breaks=("R-CHANGE-06",),
    ),
    Wrong(
        "pod-labels-are-no-event",
        "A change of a pod's labels is recorded as an unspecific update.",
        _CHANGES,
        "    ActionType.UPDATE_POD_LABEL: _labels_changed,\n",
        "",
        breaks=("R-CHANGE-02",),
    ),
    Wrong(
        "tainted-nodes-do-not-come",
        "A new node with taints requeues only pods that tolerate them, whatever the plugins registered.",
        _HANDLERS,
        "        _move(scheduler, NODE_ADD, None, after)\n",
        "        if not after.spec.taints:\n            _move(scheduler, NODE_ADD, None, after)\n",
        cites="kubernetes #110175",
        breaks=("R-EVENT-01",),
    ),
    Wrong(
        "a-lost-nomination-is-no-event",
        "No event is recorded when a pod loses its nomination.",
        _HANDLERS,
        "if nominated and nominated != after.status.nominated_node_name:",
        "if False:",
        breaks=("R-EVENT-03",),
    ),
    Wrong(
        "a-lost-nomination-requeues-lesser-pods-only",
        "A lost nomination does not requeue pods of the same priority.",
        _HANDLERS,
        "return lambda other: other.priority <= pod.priority",
        "return lambda other: other.priority < pod.priority",
        breaks=("R-EVENT-03",),
    ),
    Wrong(
        "a-deleted-waiter-is-no-event",
        "No event is recorded when a pod that waits on Permit is deleted.",
        _HANDLERS,
        "        _move(scheduler, ASSIGNED_POD_DELETE, pod, None)\n    elif",
        "        pass\n    elif",
        breaks=("R-EVENT-04",),
    ),
    Wrong(
        "deleted-pods-are-no-event",
        "No event is recorded when a running pod is deleted.",
        _HANDLERS,
        "            scheduler.cache.remove_pod(before)\n"
        "        _move(scheduler, ASSIGNED_POD_DELETE, before, None)\n",
        "            scheduler.cache.remove_pod(before)\n",
        breaks=("R-EVENT-06",),
    ),
    Wrong(
        "new-pods-are-no-event",
        "No event is recorded when a bound pod is added.",
        _HANDLERS,
        "            scheduler.cache.add_pod(after)\n"
        "        _move(scheduler, ASSIGNED_POD_ADD, None, after)\n",
        "            scheduler.cache.add_pod(after)\n",
        breaks=("R-EVENT-06",),
    ),
    Wrong(
        "queues-who-is-assumed",
        "An update of an assumed pod puts it back into the queue.",
        _HANDLERS,
        '        applies("R-EVENT-07")\n        return\n',
        '        applies("R-EVENT-07")\n',
        cites="kubernetes #91249, #52914",
        breaks=("R-EVENT-07",),
    ),
    Wrong(
        "queues-who-runs-already",
        "A pod that was bound by somebody else stays in the queue.",
        _HANDLERS,
        "return pod is not None and not pod.spec.node_name and pod",
        "return pod is not None and pod",
        breaks=("R-EVENT-02",),
    ),
    Wrong(
        "pods-of-other-schedulers-do-not-count",
        "Only pods of the scheduler's own profiles count on their nodes.",
        _HANDLERS,
        "pod if pod is not None and pod.spec.node_name else None",
        "pod if pod is not None and pod.spec.node_name and"
        " pod.spec.scheduler_name in scheduler.profiles else None",
        breaks=("R-EVENT-02",),
    ),
    Wrong(
        "a-nomination-that-moves-is-no-event",
        "A waiting pod that is nominated to another node than before requeues no pod.",
        _HANDLERS,
        "if nominated and nominated != after.status.nominated_node_name:",
        "if nominated and not after.status.nominated_node_name:",
        breaks=("R-EVENT-03",),
    ),
    Wrong(
        "a-request-that-is-removed-is-no-less",
        "A pod that requests none of a resource any more is not scaled down.",
        "refsched.queue.cluster_events",
        "name not in less or requested.milli_value > less[name].milli_value",
        "name in less and requested.milli_value > less[name].milli_value",
        breaks=("R-CHANGE-03",),
    ),
)
