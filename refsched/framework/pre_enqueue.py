# SPDX-License-Identifier: Apache-2.0
"""PreEnqueue: whether a pod may enter activeQ or backoffQ.

Source: pkg/scheduler/backend/queue/scheduling_queue.go, runPreEnqueuePlugins (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from refsched.framework.interface import PreEnqueuePlugin
from refsched.objects.store import ObjectStore
from refsched.queue.queued_pod import QueuedPod


def run_pre_enqueue_plugins(
    pod: QueuedPod, plugins: Sequence[PreEnqueuePlugin], objects: ObjectStore
) -> QueuedPod:
    """Returns the pod, with the plugin that rejects it if one does.

    The plugin that gated the pod is called first, and the first one that rejects the pod decides. (The order
    of the others is that of a map in kube-scheduler.)
    """
    for plugin in sorted(plugins, key=lambda plugin: plugin.name != pod.gating_plugin):
        if not plugin.pre_enqueue(pod.pod, objects).is_success:
            rejected = pod.unschedulable_plugins | {plugin.name}
            return evolve(pod, unschedulable_plugins=rejected, gating_plugin=plugin.name)
    return evolve(pod, gating_plugin="") if pod.is_gated else pod
