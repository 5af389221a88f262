# SPDX-License-Identifier: Apache-2.0
"""What can be wrong from Reserve to Bind, and on the way back from there."""

from conformance.wrong.planted.table import Wrong

_CYCLE = "refsched.cycle.scheduling_cycle"
_BINDING = "refsched.binding.binding_cycle"
_POINTS = "refsched.cycle.reserve_and_bind"
_FAILURE = "refsched.cycle.failure"

WRONG = (
    Wrong(
        "leaks-what-it-assumed",
        "a pod whose reservation was refused goes on counting on the node",
        _CYCLE,
        "        cycle.scheduler.cache.forget(pod.pod)\n    return rejected_on",
        "        pass\n    return rejected_on",
        cites="kubernetes #93830",
    ),
    Wrong(
        "leaks-what-it-could-not-bind",
        "a pod that could not be bound goes on counting on the node",
        _BINDING,
        "        scheduler.cache.forget(pod)\n",
        "        pass\n",
        cites="kubernetes #28883, kluster-capacity #50",
    ),
    Wrong(
        "unreserves-nothing",
        "what plugins reserved for a pod that was refused then is not given back",
        _CYCLE,
        "    run_unreserve_plugins(cycle)\n    pod, node = cycle.on_node\n",
        "    pod, node = cycle.on_node\n",
        cites="koordinator #2673",
    ),
    Wrong(
        "unreserves-forwards",
        "Unreserve goes through the plugins in the order of Reserve",
        _POINTS,
        "for plugin in reversed(cycle.framework.reserve_plugins):",
        "for plugin in cycle.framework.reserve_plugins:",
    ),
    Wrong(
        "unreserves-who-came-to-reserve",
        "plugins that were not asked to reserve are not told to unreserve",
        _POINTS,
        '        cycle.note_call(plugin, "unreserve")\n',
        '        if not cycle.is_binding and f"{plugin.name}.reserve" not in cycle.calls:\n'
        "            continue\n"
        '        cycle.note_call(plugin, "unreserve")\n',
        cites="kubernetes #83557",
    ),
    Wrong(
        "tells-nobody-of-a-failed-binding",
        "that a pod which could not be bound left room is told to nobody",
        _BINDING,
        "    tell(None)\n",
        "    pass\n",
    ),
    Wrong(
        "tells-nobody-of-a-rejected-pod",
        "that a pod which Permit or PreBind rejected left room is told to nobody",
        _BINDING,
        "        tell(lambda other: other.uid != pod.uid)\n",
        "        pass\n",
    ),
    Wrong(
        "unreserves-after-post-bind",
        "what was reserved is given back when the pod is bound",
        _BINDING,
        "    run_post_bind_plugins(cycle)\n    return None\n",
        "    run_post_bind_plugins(cycle)\n    run_unreserve_plugins(cycle)\n    return None\n",
        cites="kubernetes #100609",
    ),
    Wrong(
        "never-calls-post-bind",
        "plugins are not told that a pod is bound",
        _BINDING,
        "    run_post_bind_plugins(cycle)\n    return None\n",
        "    return None\n",
    ),
    Wrong(
        "the-last-reserve-decides",
        "a Reserve plugin that refuses is overruled by those behind it",
        _POINTS,
        '        if not status.is_success:\n            applies("R-RESERVE-01")\n',
        "        if not status.is_success and plugin is cycle.framework.reserve_plugins[-1]:\n"
        '            applies("R-RESERVE-01")\n',
    ),
    Wrong(
        "a-skipped-bind-is-bound",
        "a Bind plugin that leaves the pod to the next one is taken to have bound it",
        _POINTS,
        '            applies("R-BIND-02")\n            continue\n',
        '            applies("R-BIND-02")\n            return SUCCESS\n',
    ),
    Wrong(
        "goes-on-after-pre-bind-failed",
        "a pod whose PreBind failed is bound all the same",
        _POINTS,
        '            return cycle.scheduler.rules.refusal("PreBind", plugin.name, status, cycle.queued.pod)\n',
        "            return SUCCESS\n",
    ),
    Wrong(
        "nobody-is-to-blame-for-a-late-refusal",
        "a pod that Reserve or Permit refused is retried like one that met an error",
        _FAILURE,
        "diagnosis.unschedulable_plugins, diagnosis.pending_plugins\n",
        "frozenset(), frozenset()\n",
    ),
    Wrong(
        "schedules-who-is-bound",
        "a pod whose binding failed, and which is bound nevertheless, goes back to the queue",
        _FAILURE,
        "pending = shown if shown is not None and not shown.spec.node_name else None",
        "pending = shown",
        cites="kubernetes #96579, neon autoscaling #435",
    ),
    Wrong(
        "a-failed-pod-is-lost",
        "a pod whose attempt or binding failed is in no queue any more",
        _FAILURE,
        "        scheduler.queue.add_unschedulable_if_not_present(queued)\n",
        "        scheduler.queue.done(tried.uid)\n",
        cites="koordinator #3190",
    ),
    Wrong(
        "forgets-events-on-permit",
        "what happens while a pod waits on Permit does not count for it",
        _BINDING,
        "    status = yield from _wait_on_permit(cycle)\n",
        "    cycle.scheduler.queue.done(pod.pod.uid)\n    status = yield from _wait_on_permit(cycle)\n",
    ),
    Wrong(
        "is-cured-by-its-own-leaving",
        "a pod that Permit or PreBind rejected is cured by the room that it leaves itself",
        _BINDING,
        "        tell(lambda other: other.uid != pod.uid)\n",
        "        tell(None)\n",
    ),
    Wrong(
        "nobody-rejected-it-on-permit",
        "a pod that was rejected while it waited on Permit is retried like one that met an error",
        _BINDING,
        "unschedulable_plugins=frozenset({status.plugin})",
        "unschedulable_plugins=frozenset()",
    ),
    Wrong(
        "a-failed-binding-waits-for-events",
        "a pod that could not be bound waits for an event of the plugin that failed",
        _BINDING,
        "            return Failure(status)\n",
        "            return Failure(status, frozenset({status.plugin}))\n",
    ),
    Wrong(
        "post-bind-comes-first",
        "plugins are told that a pod is bound before it is",
        _BINDING,
        "    cycle.scheduler.queue.done(pod.pod.uid)\n",
        "    cycle.scheduler.queue.done(pod.pod.uid)\n    run_post_bind_plugins(cycle)\n",
    ),
    Wrong(
        "keeps-the-nomination-of-who-failed-late",
        "a pod that failed after its node was found keeps its nomination",
        _FAILURE,
        'nominated_node: str | None = ""',
        "nominated_node: str | None = None",
    ),
    Wrong(
        "tells-of-a-refused-reservation",
        "that a pod which Reserve or Permit refused at once is gone from its node is told to others",
        _CYCLE,
        "        cycle.scheduler.cache.forget(pod.pod)\n    return rejected_on",
        "        cycle.scheduler.cache.forget(pod.pod)\n"
        "        from refsched.queue.cluster_events import ASSIGNED_POD_DELETE as gone\n"
        "        cycle.scheduler.queue.move_all_to_active_or_backoff_queue(gone, pod.pod, None)\n"
        "    return rejected_on",
    ),
)
