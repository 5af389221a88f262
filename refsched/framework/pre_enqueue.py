# SPDX-License-Identifier: Apache-2.0
"""PreEnqueue: whether a pod may enter activeQ or backoffQ.

Source: pkg/scheduler/backend/queue/scheduling_queue.go, runPreEnqueuePlugins.
"""

from __future__ import annotations

from collections.abc import Sequence

from refsched.framework.interface import PreEnqueuePlugin
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore


def run_pre_enqueue_plugins(
    plugins: Sequence[PreEnqueuePlugin], pod: Pod, objects: ObjectStore, gating_plugin: str
) -> str:
    """Returns the name of the plugin that rejects the pod, or an empty string if none does.

    ``gating_plugin`` is the one that gated the pod before. It is called first, and the first one that rejects the
    pod decides. (The order of the others is that of a map in kube-scheduler.)
    """
    for plugin in sorted(plugins, key=lambda plugin: plugin.name != gating_plugin):
        if not plugin.pre_enqueue(pod, objects).is_success:
            return plugin.name
    return ""
