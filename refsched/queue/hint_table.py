# SPDX-License-Identifier: Apache-2.0
"""HintTable: a profile's plugins and the events that may cure their refusals.

Rules: R-HINT-01 … R-HINT-06.   Source: pkg/scheduler/scheduler.go, buildQueueingHintMap;
pkg/scheduler/framework/runtime/framework.go, fillEnqueueExtensions;
pkg/scheduler/backend/queue/scheduling_queue.go, isPodWorthRequeuing (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from attrs import frozen

from refsched.framework.events import (
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    DEVICE_CLASS,
    NODE,
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    RESOURCE_CLAIM,
    STORAGE_CLASS,
    ActionType,
    ClusterEvent,
    Hint,
)
from refsched.framework.interface import EnqueueExtensions, Plugin, extends
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue.cluster_events import is_wild_card, matches
from refsched.queue.in_flight import Happening
from refsched.queue.queued_pod import QueuedPod

EXTENDER = "Extender"
"""The name under which a refusal by an extender is recorded."""

_ANYTHING = (
    POD,
    NODE,
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    CSI_NODE,
    CSI_DRIVER,
    CSI_STORAGE_CAPACITY,
    STORAGE_CLASS,
    RESOURCE_CLAIM,
    DEVICE_CLASS,
)


class Strategy(Enum):
    """What an event means for a refused pod."""

    SKIP = "nothing for it"
    AFTER_BACKOFF = "worth a try, once it has backed off"
    IMMEDIATELY = "worth a try now"


@frozen
class Registration:
    """One plugin's interest in one kind of event. Without a hint the pod is worth another try."""

    event: ClusterEvent
    plugin: Any = None
    hint: Hint | None = None

    def cures(self, pod: Pod, happening: Happening, objects: ObjectStore) -> bool:
        return self.hint is None or self.hint(self.plugin, pod, happening.before, happening.after, objects)


class HintTable:
    """The registrations of one profile, by plugin."""

    def __init__(self, registrations: Mapping[str, Sequence[Registration]]) -> None:
        self._registrations = registrations
        self._matching: dict[ClusterEvent, Mapping[str, Sequence[Registration]]] = {}

    def matching(self, event: ClusterEvent) -> Mapping[str, Sequence[Registration]]:
        """The registrations that the event meets, for the plugins that have any."""
        if event not in self._matching:
            met = {
                plugin: tuple(r for r in registered if matches(r.event, event))
                for plugin, registered in self._registrations.items()
            }
            self._matching[event] = {plugin: registered for plugin, registered in met.items() if registered}
        return self._matching[event]

    def hears_of(self, resource: str, action: ActionType) -> bool:
        """Is this resource watched for such an action? Source: scheduler.go, unionedGVKs."""
        return any(
            registration.event.resource == resource and registration.event.action & action
            for registered in self._registrations.values()
            for registration in registered
        )

    def strategy(self, pod: QueuedPod, happening: Happening, objects: ObjectStore) -> Strategy:
        """R-HINT-01: a pod that nobody refused is worth a try, once it has backed off.
        R-HINT-02: a wild card moves every pod, or the one pod that it names.
        R-HINT-03: else only who refused the pod is asked. One of them who was waiting for something
        (Pending) and sees it cured skips the backoff; with all others the pod backs off first.
        """
        if not pod.rejectors:
            return Strategy.AFTER_BACKOFF
        if is_wild_card(happening.event):
            named = happening.after
            is_for_it = named is None or (isinstance(named, Pod) and named.uid == pod.pod.uid)
            return Strategy.AFTER_BACKOFF if is_for_it else Strategy.SKIP
        if self._cured(pod.pending_plugins, pod.pod, happening, objects):
            return Strategy.IMMEDIATELY
        if self._cured(pod.unschedulable_plugins, pod.pod, happening, objects):
            return Strategy.AFTER_BACKOFF
        return Strategy.SKIP

    def _cured(self, plugins: Iterable[str], pod: Pod, happening: Happening, objects: ObjectStore) -> bool:
        matching = self.matching(happening.event)
        return any(
            registration.cures(pod, happening, objects)
            for plugin in sorted(plugins)
            for registration in matching.get(plugin, ())
        )


# --- Building -------------------------------------------------------------------------------------


def hint_table(plugins: Iterable[Plugin], *, has_extenders: bool = False) -> HintTable:
    """The table of a profile. An extender's refusal is cured by anything."""
    registrations = {plugin.name: _registrations(plugin) for plugin in plugins}
    if has_extenders:
        registrations[EXTENDER] = _anything(None)
    return HintTable(registrations)


def _registrations(plugin: Plugin) -> tuple[Registration, ...]:
    """R-HINT-04: a plugin that says nothing of events is cured by any of them (those of volume attachments
    and resource slices aside); one whose table is empty is cured by none.
    R-HINT-05: who registers for new nodes but not for changes of taints is given those too, without a
    hint (kubernetes #109437).
    """
    if not extends(plugin, EnqueueExtensions):
        return _anything(plugin)
    rows = [Registration(ClusterEvent(row.resource, row.action), plugin, row.hint) for row in plugin.EVENTS]
    on_nodes = ActionType(0)
    for row in plugin.EVENTS:
        if row.resource == NODE:
            on_nodes |= row.action
    if ActionType.ADD in on_nodes and ActionType.UPDATE_NODE_TAINT not in on_nodes:
        rows.append(Registration(ClusterEvent(NODE, ActionType.UPDATE_NODE_TAINT), plugin))
    return tuple(rows)


def _anything(plugin: Plugin | None) -> tuple[Registration, ...]:
    """R-HINT-06: any event of these resources. Source: framework/types.go, UnrollWildCardResource."""
    return tuple(Registration(ClusterEvent(resource, ActionType.ALL), plugin) for resource in _ANYTHING)
