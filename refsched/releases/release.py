# SPDX-License-Identifier: Apache-2.0
"""Release: what distinguishes one release of kube-scheduler from another, as a value.

A number that differs is a field, a function that differs is a function named by the release, and a plugin that
differs is another plugin. A feature gate that is set otherwise than by default is a function from release to
release, so that neither the queue nor the cycle asks for a gate.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any

from attrs import evolve, field, frozen

from refsched.cache.cache import Cache
from refsched.config.args import PluginArgs
from refsched.config.of_release import ConfigOfRelease
from refsched.config.scalars import Int32
from refsched.config.types import Plugins
from refsched.cycle.batching import Batch
from refsched.cycle.cycle import Cycle
from refsched.cycle.decide import Decider
from refsched.extenders.extender import Extender
from refsched.framework.interface import Plugin
from refsched.framework.post_filter import PostFilterResult
from refsched.framework.reserve_and_bind import Stop
from refsched.framework.runtime import Framework
from refsched.framework.status import Code
from refsched.machine.api_server import Event
from refsched.machine.state import SchedulerState
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.objects.pod_level_defaults import PodLevelDefaults, at_creation
from refsched.oddities.known_defects import AS_PROMISED, Oddities
from refsched.plugins.scripted import Scripted, ScriptedBinder
from refsched.queue.behaviour import QueueBehaviour


@frozen
class InTreePlugin:
    """A configuration may enable an InTreePlugin at ``points``; ``make`` makes it from its arguments, whose type
    is ``args``. Arguments of a plugin that takes none are neither read nor checked."""

    name: str
    points: frozenset[str]
    make: Callable[[Any], Plugin]
    args: type[PluginArgs] | None = None

    def without_configuration(self) -> Plugin:
        """Returns the plugin as it is where a configuration says nothing of its arguments."""
        return self.make(self.args() if self.args is not None else None)


@frozen
class FeatureGate:
    """``otherwise`` returns the release with this gate set the other way; it is None if that is not specified
    here. A ``locked`` gate cannot be set in kube-scheduler either. A gate that ``needs`` another one must be off
    where that one is off."""

    name: str
    default: bool
    changes: str
    locked: bool = False
    otherwise: Callable[[Release], Release] | None = None
    needs: str = ""

    def earlier(
        self,
        *,
        default: bool,
        otherwise: Callable[[Release], Release] | None = None,
    ) -> FeatureGate:
        """Returns this gate as an earlier release has it. It needs no other gate there."""
        return FeatureGate(self.name, default, self.changes, otherwise=otherwise)


def _unchanged(value: ApiObject) -> ApiObject:
    return value


@frozen
class Release:
    """``name`` is the minor version (1.34), and ``tag`` the version whose source is specified.

    ``plugins`` are all that a configuration may enable, and ``default_plugins`` are those of a profile that
    names none. ``config`` says how a configuration is read and merged, ``framework`` runs a profile's plugins,
    ``cache`` makes what holds the nodes, and ``extender`` calls extenders.

    ``scheduling_cycle`` runs from Pop to the end of Permit, and returns whether the pod is to be bound; in it
    ``decider`` finds the node, ``batch`` keeps what the next cycle may use of it, and ``evict`` carries out what
    PostFilter chose; ``binding_cycle`` runs after it.
    ``handle_event`` shows an event of the API server to the scheduler, ``is_skipped`` says which popped pod is not
    tried, and ``clean_up_cache`` is done once a second.

    ``api_versions`` are those of KubeSchedulerConfiguration that are read, the preferred one first.
    ``disabled_fields`` remove from a pod the fields that a gate disables, as the API server does; ``not_yet`` are
    the kinds and the fields (``Pod.spec.schedulingGates``) that it does not know, ``codes_not_yet`` are the codes
    that its plugins do not answer, and ``served_as`` is the apiVersion of kinds that it serves in an older
    version only. ``as_read`` turns an object that was read into the one that the scheduler decides with, and
    ``pod_level_defaults`` completes the resources of a pod as a whole.
    ``oddities`` are the known defects of this release. ``lacks`` are the rules that a later release has and this
    one does not, where none of its own stands for them; a rule of its own names those that it replaces.
    """

    name: str
    tag: str
    api_versions: tuple[str, ...]
    plugins: Mapping[str, InTreePlugin]
    default_plugins: Plugins
    config: ConfigOfRelease
    framework: type[Framework]
    cache: Callable[[], Cache]
    extender: type[Extender]
    queue: QueueBehaviour
    scheduling_cycle: Callable[[Cycle], Generator[Stop, None, bool]]
    decider: type[Decider]
    batch: type[Batch]
    evict: Callable[[SchedulerState, Pod, PostFilterResult], PostFilterResult]
    binding_cycle: Callable[[Cycle], Generator[Stop, None, None]]
    handle_event: Callable[[SchedulerState, Event], None]
    is_skipped: Callable[[SchedulerState, Pod], bool]
    clean_up_cache: Callable[[SchedulerState], None]
    gates: Mapping[str, FeatureGate]
    disabled_fields: tuple[Callable[[Pod], Pod], ...] = ()
    not_yet: tuple[str, ...] = ()
    codes_not_yet: tuple[Code, ...] = ()
    as_read: Callable[[ApiObject], ApiObject] = _unchanged
    pod_level_defaults: PodLevelDefaults = at_creation
    served_as: Mapping[str, str] = field(factory=dict)
    oddities: Oddities = AS_PROMISED
    lacks: frozenset[str] = frozenset()

    @property
    def args(self) -> Mapping[str, type[PluginArgs]]:
        """Returns the types of the arguments of those plugins that take any."""
        return {name: plugin.args for name, plugin in self.plugins.items() if plugin.args is not None}

    def with_plugin(self, plugin: InTreePlugin) -> Release:
        """Returns the same release, except for how this plugin is made."""
        return evolve(self, plugins={**self.plugins, plugin.name: plugin})

    def with_plugins(self, *plugins: Any) -> Release:
        """Returns the same release with these plugins, each given as for ``in_tree``, instead of those of the same
        names."""
        return evolve(self, plugins={**self.plugins, **{plugin.name: _in_tree(plugin) for plugin in plugins}})

    def without_plugin(self, name: str) -> Release:
        """Returns the same release without this plugin."""
        plugins = {other: plugin for other, plugin in self.plugins.items() if other != name}
        return evolve(self.without_default(name), plugins=plugins)

    def with_gates(self, *named: FeatureGate) -> Release:
        """Returns the same release with these gates instead of those of the same names."""
        return evolve(self, gates={**self.gates, **gates(*named)})

    def without_gates(self, *names: str) -> Release:
        """Returns the same release, which does not know these gates."""
        kept = {name: gate for name, gate in self.gates.items() if name not in names}
        return evolve(self, gates=kept)

    def with_weight(self, name: str, weight: int) -> Release:
        """Returns the same release, in which this default plugin has another weight."""
        enabled = tuple(
            evolve(plugin, weight=Int32(weight)) if plugin.name == name else plugin
            for plugin in self.default_plugins.multi_point.enabled
        )
        multi_point = evolve(self.default_plugins.multi_point, enabled=enabled)
        return evolve(self, default_plugins=evolve(self.default_plugins, multi_point=multi_point))

    def without_default(self, name: str) -> Release:
        """Returns the same release, in which this plugin is not enabled by default."""
        points = {
            field: evolve(found, enabled=tuple(plugin for plugin in found.enabled if plugin.name != name))
            for field, found in self.default_plugins.by_field().items()
        }
        return evolve(self, default_plugins=evolve(self.default_plugins, **points))


SCRIPTED = (Scripted("ScriptedA"), Scripted("ScriptedB"), ScriptedBinder)
"""A configuration may enable these in every release (docs/protocol.md)."""


def in_tree(*plugins: Any) -> Mapping[str, InTreePlugin]:
    """Returns plugins by name. Each is given as its class or as a plugin that is made already, and has its name,
    its points and, if it is made from arguments, their type and a function that makes it."""
    return {plugin.name: _in_tree(plugin) for plugin in (*plugins, *SCRIPTED)}


def _in_tree(plugin: Any) -> InTreePlugin:
    return InTreePlugin(
        plugin.name,
        frozenset(plugin.POINTS),
        getattr(plugin, "of_args", None) or partial(_made, plugin),
        getattr(plugin, "ARGS", None),
    )


def _made(given: Any, args: object) -> Plugin:
    made: Plugin = given() if isinstance(given, type) else given
    return made


def gates(*named: FeatureGate) -> Mapping[str, FeatureGate]:
    return {gate.name: gate for gate in named}
