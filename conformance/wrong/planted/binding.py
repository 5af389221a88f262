# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about Reserve, Permit, PreBind, Bind, PostBind and Unreserve."""

from conformance.wrong.planted.table import Wrong

_CYCLE = "refsched.cycle.scheduling_cycle"
_BINDING = "refsched.binding.binding_cycle"
_POINTS = "refsched.cycle.reserve_and_bind"
_FAILURE = "refsched.cycle.failure"

WRONG = (
    Wrong(
        "leaks-what-it-assumed",
        "A pod that Reserve rejected stays assumed on its node.",
        _CYCLE,
        "        cycle.scheduler.cache.forget(pod.pod)\n    return rejected_on",
        "        pass\n    return rejected_on",
        cites="kubernetes #93830",
        breaks=("R-ROLLBACK-02", "R-INV-08"),
    ),
    Wrong(
        "leaks-what-it-could-not-bind",
        "A pod whose binding failed stays assumed on its node.",
        _BINDING,
        "        scheduler.cache.forget(pod)\n",
        "        pass\n",
        cites="kubernetes #28883, kluster-capacity #50",
        breaks=("R-ROLLBACK-03", "R-INV-08"),
    ),
    Wrong(
        "unreserves-nothing",
        "Unreserve is not called for a pod that was rejected after Reserve.",
        _CYCLE,
        "    run_unreserve_plugins(cycle)\n    pod, node = cycle.on_node\n",
        "    pod, node = cycle.on_node\n",
        cites="koordinator #2673",
        breaks=("R-ROLLBACK-02", "R-ROLLBACK-01"),
    ),
    Wrong(
        "unreserves-forwards",
        "Unreserve calls the plugins in the order of Reserve, not in reverse.",
        _POINTS,
        "for plugin in reversed(cycle.framework.reserve_plugins):",
        "for plugin in cycle.framework.reserve_plugins:",
        breaks=("R-ROLLBACK-01", "R-ROLLBACK-03"),
    ),
    Wrong(
        "unreserves-who-came-to-reserve",
        "Unreserve is not called for plugins whose Reserve was not called.",
        _POINTS,
        '        cycle.note_call(plugin, "unreserve")\n',
        '        if not cycle.is_binding and f"{plugin.name}.reserve" not in cycle.calls:\n'
        "            continue\n"
        '        cycle.note_call(plugin, "unreserve")\n',
        cites="kubernetes #83557",
        breaks=("R-ROLLBACK-01",),
    ),
    Wrong(
        "a-failed-binding-is-no-event",
        "No event is recorded when a failed binding frees resources on a node.",
        _BINDING,
        "    requeue_other_pods(None)\n",
        "    pass\n",
        breaks=("R-ROLLBACK-03",),
        shows_with="queue",
    ),
    Wrong(
        "a-rejected-waiting-pod-is-no-event",
        "No event is recorded when a pod rejected by Permit or PreBind frees resources on a node.",
        _BINDING,
        "        requeue_other_pods(lambda other: other.uid != pod.uid)\n",
        "        pass\n",
        breaks=("R-ROLLBACK-03",),
    ),
    Wrong(
        "unreserves-after-post-bind",
        "Unreserve is called after a pod was bound.",
        _BINDING,
        "    run_post_bind_plugins(cycle)\n    return None\n",
        "    run_post_bind_plugins(cycle)\n    run_unreserve_plugins(cycle)\n    return None\n",
        cites="kubernetes #100609",
        breaks=("R-ROLLBACK-01", "R-BIND-04"),
    ),
    Wrong(
        "never-calls-post-bind",
        "PostBind plugins are not called.",
        _BINDING,
        "    run_post_bind_plugins(cycle)\n    return None\n",
        "    return None\n",
        breaks=("R-BIND-03", "R-BIND-04"),
    ),
    Wrong(
        "the-last-reserve-decides",
        "The status of a Reserve plugin that rejects is overwritten by the plugins after it.",
        _POINTS,
        '        if not status.is_success:\n            applies("R-RESERVE-01")\n',
        "        if not status.is_success and plugin is cycle.framework.reserve_plugins[-1]:\n"
        '            applies("R-RESERVE-01")\n',
        breaks=("R-RESERVE-01",),
    ),
    Wrong(
        "a-skipped-bind-is-bound",
        "A Bind plugin that returns Skip is treated as if it had bound the pod.",
        _POINTS,
        '            applies("R-BIND-02")\n            continue\n',
        '            applies("R-BIND-02")\n            return SUCCESS\n',
        breaks=("R-BIND-02",),
    ),
    Wrong(
        "goes-on-after-pre-bind-failed",
        "A pod whose PreBind failed is bound nevertheless.",
        _POINTS,
        'return cycle.scheduler.release.failure_at("PreBind", plugin.name, status, cycle.queued.pod)\n',
        "return SUCCESS\n",
        breaks=("R-BIND-01",),
    ),
    Wrong(
        "nobody-is-to-blame-for-a-late-refusal",
        "A pod rejected by Reserve or Permit is requeued as after an error.",
        _FAILURE,
        "diagnosis.unschedulable_plugins, diagnosis.pending_plugins\n",
        "frozenset(), frozenset()\n",
        breaks=("R-FAIL-02", "R-QUEUE-07"),
    ),
    Wrong(
        "schedules-who-is-bound",
        "A pod whose binding failed, but which is bound nevertheless, returns to the queue.",
        _FAILURE,
        "pending = shown if shown is not None and not shown.spec.node_name else None",
        "pending = shown",
        cites="kubernetes #96579, neon autoscaling #435",
        breaks=("R-FAIL-01",),
    ),
    Wrong(
        "a-failed-pod-is-lost",
        "A pod whose attempt or binding failed is in no queue.",
        _FAILURE,
        "        scheduler.queue.add_unschedulable_if_not_present(queued)\n",
        "        scheduler.queue.done(tried.uid)\n",
        cites="koordinator #3190",
        breaks=("R-FAIL-01", "R-INV-07"),
    ),
    Wrong(
        "forgets-events-on-permit",
        "Events that happen while a pod waits on Permit do not requeue it.",
        _BINDING,
        "    status = yield from wait_on_permit(cycle)\n",
        "    cycle.scheduler.queue.done(pod.pod.uid)\n    status = yield from wait_on_permit(cycle)\n",
        breaks=("R-QUEUE-51", "R-FLIGHT-01", "R-FLIGHT-02"),
    ),
    Wrong(
        "is-requeued-by-its-own-leaving",
        "A pod that Permit or PreBind rejected is requeued by the event of its own removal from the node.",
        _BINDING,
        "        requeue_other_pods(lambda other: other.uid != pod.uid)\n",
        "        requeue_other_pods(None)\n",
        breaks=("R-ROLLBACK-03",),
        shows_with="queue",
    ),
    Wrong(
        "nobody-rejected-it-on-permit",
        "A pod rejected while it waits on Permit is requeued as after an error.",
        _BINDING,
        "unschedulable_plugins=frozenset({status.plugin})",
        "unschedulable_plugins=frozenset()",
        breaks=("R-FAIL-02", "R-BIND-04", "R-QUEUE-07"),
    ),
    Wrong(
        "a-failed-binding-waits-for-events",
        "A pod whose binding failed waits for an event of the plugin that failed.",
        _BINDING,
        "            return Failure(status)\n",
        "            return Failure(status, frozenset({status.plugin}))\n",
        breaks=("R-BIND-04", "R-QUEUE-51"),
    ),
    Wrong(
        "post-bind-comes-first",
        "PostBind is called before the pod is bound.",
        _BINDING,
        "    cycle.scheduler.queue.done(pod.pod.uid)\n",
        "    cycle.scheduler.queue.done(pod.pod.uid)\n    run_post_bind_plugins(cycle)\n",
        breaks=("R-BIND-04", "R-BIND-03"),
    ),
    Wrong(
        "keeps-the-nomination-of-who-failed-late",
        "A pod that fails after its node was selected keeps its nomination.",
        _FAILURE,
        'nominated_node: str | None = ""',
        "nominated_node: str | None = None",
        breaks=("R-FAIL-03",),
    ),
    Wrong(
        "a-refused-reservation-is-an-event",
        "An event is recorded when Reserve or Permit rejects a pod immediately.",
        _CYCLE,
        "        cycle.scheduler.cache.forget(pod.pod)\n    return rejected_on",
        "        cycle.scheduler.cache.forget(pod.pod)\n"
        "        from refsched.queue.cluster_events import ASSIGNED_POD_DELETE as deleted\n"
        "        cycle.scheduler.queue.move_all_to_active_or_backoff_queue(deleted, pod.pod, None)\n"
        "    return rejected_on",
        breaks=("R-ROLLBACK-02",),
    ),
)
