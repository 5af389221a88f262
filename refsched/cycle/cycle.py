# SPDX-License-Identifier: Apache-2.0
"""Cycle: the state of one pod from Pop until it is bound or back in the queue.

``scheduling_cycle`` and ``binding_cycle`` are the cycles themselves, as generators: they run until only an
input can let the pod continue, and yield what the pod waits for.
"""

from __future__ import annotations

from typing import Any

from attrs import Factory, define

from refsched.framework.interface import Plugin, RecordedCalls, extends
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.pods_in_pre_bind import PodInPreBind
from refsched.framework.runtime import Framework
from refsched.machine.state import SchedulerState
from refsched.queue.queued_pod import QueuedPod


@define(eq=False)
class Cycle:
    """``states`` is what each plugin keeps for this pod; ``calls`` are those of scripted plugins that no
    record reports yet."""

    scheduler: SchedulerState
    framework: Framework
    queued: QueuedPod
    assumed: PodInfo | None = None
    node: NodeInfo | None = None
    states: dict[str, Any] = Factory(dict)
    calls: list[str] = Factory(list)
    is_binding: bool = False
    in_pre_bind: PodInPreBind = Factory(PodInPreBind)

    @property
    def on_node(self) -> tuple[PodInfo, NodeInfo]:
        """Returns the assumed pod and its node. There is none before assume."""
        assert self.assumed is not None
        assert self.node is not None
        return self.assumed, self.node

    def note_call(self, plugin: Plugin, point: str) -> None:
        if extends(plugin, RecordedCalls):
            self.calls.append(f"{plugin.name}.{point}")

    def take_calls(self) -> tuple[str, ...] | None:
        """Returns the calls since the last record, or None if no configured plugin has its calls recorded."""
        if not any(extends(plugin, RecordedCalls) for plugin in self._plugins_from_reserve_on()):
            return None
        taken = tuple(self.calls)
        self.calls.clear()
        return taken

    def _plugins_from_reserve_on(self) -> list[Plugin]:
        framework = self.framework
        return [
            *framework.reserve_plugins,
            *framework.permit_plugins,
            *framework.pre_bind_plugins,
            *framework.bind_plugins,
            *framework.post_bind_plugins,
        ]
