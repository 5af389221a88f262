# SPDX-License-Identifier: Apache-2.0
"""Cycle: one pod on its way, from Pop to bound or back in the queue.

The way itself is written down in ``scheduling_cycle`` and ``binding_cycle`` as generators: they run until
the pod is held up by something that an input must end, and yield what that is.
"""

from __future__ import annotations

from typing import Any

from attrs import Factory, define, frozen

from refsched.binding.waiting_pods import WaitingPod
from refsched.framework.interface import Plugin, RecordedCalls, WaitFor, extends
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.machine.state import SchedulerState
from refsched.queue.queued_pod import QueuedPod

# --- What a cycle may stop at ---------------------------------------------------------------------


@frozen
class Held:
    """A scripted plugin does not return from this point until it is released."""

    plugin: str
    point: str


@frozen
class OnPermit:
    """The pod waits for a decision on Permit."""

    waiting: WaitingPod


@frozen
class OnPreBind:
    """A plugin waits for what others answer to its writes; ``deadline`` in seconds of the machine's clock."""

    wait: WaitFor
    deadline: float


Stop = Held | OnPermit | OnPreBind


@define(eq=False)
class Cycle:
    """``states`` is what each plugin keeps for this pod; ``calls`` those to scripted plugins that no record
    reports yet."""

    scheduler: SchedulerState
    framework: Framework
    queued: QueuedPod
    assumed: PodInfo | None = None
    node: NodeInfo | None = None
    states: dict[str, Any] = Factory(dict)
    calls: list[str] = Factory(list)
    is_binding: bool = False

    @property
    def on_node(self) -> tuple[PodInfo, NodeInfo]:
        """The assumed pod and its node; there is none before assume."""
        assert self.assumed is not None
        assert self.node is not None
        return self.assumed, self.node

    def note_call(self, plugin: Plugin, point: str) -> None:
        if extends(plugin, RecordedCalls):
            self.calls.append(f"{plugin.name}.{point}")

    def take_calls(self) -> tuple[str, ...] | None:
        """The calls since the last record; None where no plugin is configured whose calls are recorded."""
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
