# SPDX-License-Identifier: Apache-2.0
"""HintTable: which events requeue a pod that a plugin of a profile rejected.

Observed: queueing hints may only save attempts, KEP-4247.
Shows in: queue.
Source: pkg/scheduler/scheduler.go, buildQueueingHintMap; pkg/scheduler/framework/runtime/framework.go,
fillEnqueueExtensions; pkg/scheduler/backend/queue/scheduling_queue.go, isPodWorthRequeuing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any

from attrs import frozen

from refsched.framework.events import (
    NODE,
    POD,
    RESOURCE_SLICE,
    RESOURCES,
    VOLUME_ATTACHMENT,
    ActionType,
    ClusterEvent,
    EventHint,
    Hint,
    kind_of,
)
from refsched.framework.interface import EnqueueExtensions, Plugin, extends
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue.cluster_events import is_wild_card, matches
from refsched.queue.in_flight import ObservedEvent
from refsched.queue.queued_pod import QueuedPod
from refsched.rules import applies

EXTENDER = "Extender"
"""This is the name under which a rejection by an extender is recorded."""

_ANYTHING = (POD, NODE, *(each for each in RESOURCES if each not in (VOLUME_ATTACHMENT, RESOURCE_SLICE)))


class Strategy(Enum):
    """A Strategy is what an event means for a waiting pod. Source: scheduling_queue.go, queueingStrategy."""

    SKIP = "the pod is not requeued"
    AFTER_BACKOFF = "the pod is requeued, and backs off first"
    IMMEDIATELY = "the pod is requeued without a backoff"


@frozen(eq=False)
class Registration:
    """A Registration is an event that a plugin registered for; ``rule`` is the id of the rule by which the event
    requeues pods."""

    event: ClusterEvent
    rule: str
    hint: Hint | None = None

    def says_queue(self, plugin: Any, pod: Pod, observed: ObservedEvent, objects: ObjectStore) -> bool:
        """Returns the answer of the plugin's hint. Without a hint every such event requeues the pod."""
        says_queue = self.hint is None or self.hint(plugin, pod, observed.before, observed.after, objects)
        return applies(self.rule, when=says_queue)


class HintTable:
    """A HintTable holds the registrations of the ``plugins`` of one profile, by name. ``on_answer``, if set, is
    called with each registration that is asked about a pod, and with its answer."""

    def __init__(
        self, registrations: Mapping[str, tuple[Registration, ...]], plugins: Mapping[str, Plugin]
    ) -> None:
        self._registrations = registrations
        self._plugins = plugins
        self._matching: dict[ClusterEvent, Mapping[str, Sequence[Registration]]] = {}
        self.on_answer: Callable[[Pod, Registration, bool], None] | None = None

    def matching(self, event: ClusterEvent) -> Mapping[str, Sequence[Registration]]:
        """Returns the registrations that the event matches, by plugin, for the plugins that have any."""
        if event not in self._matching:
            self._matching[event] = {
                plugin: matching
                for plugin, registered in self._registrations.items()
                if (matching := _that_match(registered, event))
            }
        return self._matching[event]

    def watches(self, resource: str, action: ActionType) -> bool:
        """Returns whether any plugin registered for such an action on this resource. Source: scheduler.go,
        unionedGVKs."""
        return any(
            registration.event.resource == resource and registration.event.action & action
            for registered in self._registrations.values()
            for registration in registered
        )

    def strategy(self, pod: QueuedPod, observed: ObservedEvent, objects: ObjectStore) -> Strategy:
        """R-HINT-01: Any event requeues a pod whose last attempt ended in an error.
        R-HINT-02: A wild card event, such as an activation, requeues every unschedulable pod, or only the pod
        that it names.
        R-HINT-03 (decides unschedulablePlugins): Any other event requeues a pod only if a plugin that rejected the
        pod says Queue for it; without a backoff if the plugin rejected the pod as Pending.

        Source: isPodWorthRequeuing.
        """
        if not pod.rejectors:
            applies("R-HINT-01")
            return Strategy.AFTER_BACKOFF
        if is_wild_card(observed.event):
            applies("R-HINT-02")
            named = observed.after
            is_for_it = named is None or (isinstance(named, Pod) and named.uid == pod.pod.uid)
            return Strategy.AFTER_BACKOFF if is_for_it else Strategy.SKIP
        applies("R-HINT-03")
        if self._says_queue(pod.pending_plugins, pod.pod, observed, objects):
            return Strategy.IMMEDIATELY
        if self._says_queue(pod.unschedulable_plugins, pod.pod, observed, objects):
            return Strategy.AFTER_BACKOFF
        return Strategy.SKIP

    def _says_queue(
        self, plugins: Iterable[str], pod: Pod, observed: ObservedEvent, objects: ObjectStore
    ) -> bool:
        matching = self.matching(observed.event)
        return any(
            self._answer(plugin, registration, pod, observed, objects)
            for plugin in sorted(plugins)
            for registration in matching.get(plugin, ())
        )

    def _answer(
        self, plugin: str, registration: Registration, pod: Pod, observed: ObservedEvent, objects: ObjectStore
    ) -> bool:
        says_queue = registration.says_queue(self._plugins.get(plugin), pod, observed, objects)
        if self.on_answer is not None:
            self.on_answer(pod, registration, says_queue)
        return says_queue


# --- Building -------------------------------------------------------------------------------------


FurtherEvents = Callable[[Sequence[EventHint]], tuple[Registration, ...]]
"""A FurtherEvents returns what a plugin with these rows registers for in addition to them."""


def no_further_events(rows: Sequence[EventHint]) -> tuple[Registration, ...]:
    """Returns no registrations: a plugin registers for what its rows say."""
    return ()


def hint_table(
    plugins: Iterable[Plugin],
    *,
    has_extenders: bool = False,
    further_events: FurtherEvents = no_further_events,
) -> HintTable:
    """Returns the table of a profile. Any event requeues a pod that an extender rejected."""
    by_name = {plugin.name: plugin for plugin in plugins}
    registrations = {
        name: _registrations(
            name, tuple(plugin.EVENTS) if extends(plugin, EnqueueExtensions) else None, further_events
        )
        for name, plugin in by_name.items()
    }
    if has_extenders:
        registrations[EXTENDER] = _anything("R-HINT-06")
    return HintTable(registrations, by_name)


@cache
def _that_match(registered: tuple[Registration, ...], event: ClusterEvent) -> tuple[Registration, ...]:
    return tuple(registration for registration in registered if matches(registration.event, event))


@cache
def _registrations(
    plugin: str, rows: tuple[EventHint, ...] | None, further_events: FurtherEvents
) -> tuple[Registration, ...]:
    """R-HINT-04: Any event requeues a pod that was rejected by a plugin that registers no events of its own;
    no event does if the plugin registers an empty list.
    """
    if rows is None:
        return _anything("R-HINT-04")
    found = [Registration(row.event, event_rule(plugin, row.resource, row.action), row.hint) for row in rows]
    return (*found, *further_events(rows))


@cache
def _anything(rule: str) -> tuple[Registration, ...]:
    """R-HINT-06: Any event requeues a pod that an extender rejected; changes of volume attachments and
    resource slices are no such event.

    Source: framework/types.go, UnrollWildCardResource.
    """
    return tuple(Registration(ClusterEvent(resource, ActionType.ALL), rule) for resource in _ANYTHING)


# --- The rules by which events requeue pods -------------------------------------------------------


@cache
def event_rule(plugin: str, resource: str, action: ActionType) -> str:
    """Returns the id of the rule that a row of ``EVENTS`` states, such as ``R-CURE-NodePorts-Pod-Delete``."""
    return f"R-CURE-{plugin}-{kind_of(resource)}-{action_name(action)}"


def action_name(action: ActionType) -> str:
    """Returns the name that Kubernetes gives to an action, with a plus sign for the bar of
    ``Add|UpdateNodeLabel``."""
    for whole in (ActionType.ALL, ActionType.UPDATE):
        if action is whole:
            return str(whole.name).title()
    parts = [str(part.name) for part in action]
    if ActionType.UPDATE in action:
        parts = [part for part in parts if not part.startswith("UPDATE_")] + ["UPDATE"]
    return "+".join(part.title().replace("_", "") for part in parts)
