# SPDX-License-Identifier: Apache-2.0
"""Part: the parts of kube-scheduler that an implementation has, and a history without the others.

An implementation says which capabilities it has, and may say which plugins. The specification beside it is
configured without the others, objects are sent without the fields that only the others read, and members of
records that belong to none of its capabilities are not compared. So an implementation is not asked for, or
judged by, what it does not do.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

from attrs import frozen

from refsched.releases import DEFAULT, RELEASES, release_of
from refsched.releases.release import Release as KubernetesRelease
from refsched.suite.adapters.answers import OBJECT_INPUTS, Hello
from refsched.suite.catalogue.rules import all_rules, default_plugins, plugins_of
from refsched.suite.catalogue.showing import brought_about_by, shown_only_with, shown_with
from refsched.suite.histories.reads import fields_without_which, needed_by, plugin_names

Json = dict[str, Any]

ALWAYS = frozenset({"PrioritySort", "DefaultBinder"})
"""The specification keeps these plugins in any case: they say which pod is next, and bind it."""

PREEMPTION = "DefaultPreemption"

NOMINATION = "Pod.status.nominatedNodeName"
"""Others than the scheduler write this field, too. Who claims ``nominations`` reads it."""

_KEEPS_TIME = frozenset({"queue", "scripted", "volumes", "extenders"})
"""For these capabilities it matters how much time has passed."""

ADMITTED = "R-DEFAULTS-"
"""Rules of this area say what an API server fills in, which is done already when a part is sent an object."""

BATCHED = "R-BATCH-"
"""Rules of this area say which nodes are passed over. A part that reads no configuration may look at all."""

ROLLED_BACK = "R-ROLLBACK-"
"""Rules of this area say what is done when a plugin rejects a pod for which a node was chosen, as the
implementation's own plugins may."""


@frozen
class Part:
    """A Part is what an implementation has. ``capabilities`` are those of docs/adapters.md; ``plugins`` the
    default plugins that it has (None: all that its capabilities allow); ``own`` are plugins that Kubernetes does
    not have; ``kubernetes`` is the release that it decides by; ``inputs`` are those that it takes of what may
    become of an object; ``fields_not_taken`` are the paths of fields without which it is sent objects; members of
    ``not_shown`` decide, and need not be reported; with ``has_default_config`` it decides by the default
    configuration."""

    capabilities: frozenset[str]
    plugins: frozenset[str] | None = None
    own: frozenset[str] = frozenset()
    kubernetes: str = DEFAULT.name
    inputs: frozenset[str] = frozenset(OBJECT_INPUTS)
    fields_not_taken: frozenset[str] = frozenset()
    not_shown: frozenset[str] = frozenset()
    has_default_config: bool = False

    @property
    def is_whole(self) -> bool:
        """Returns whether the implementation has every plugin, as far as it says. Others get objects as an API
        server stores them, with its defaults."""
        return self.plugins is None

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Returns the plugins that the implementation does not have, the default ones first and in their order."""
        names = plugin_names(self.kubernetes)
        return tuple(name for name in names if name not in ALWAYS and not self.has(name))

    @property
    def keeps_time(self) -> bool:
        """Returns whether anything that the implementation does depends on how much time has passed."""
        return bool(self.capabilities & _KEEPS_TIME)

    @property
    def may_have_own(self) -> bool:
        """Returns whether it may do what none of the plugins that it is judged by does."""
        return bool(self.own) or not self.is_whole or "preemption" not in self.capabilities

    @property
    def reports_nominations(self) -> bool:
        """Returns whether it reports nominations that it takes back. Where Filter is not shown, as over the API,
        they may not be seen either."""
        shows = {"filter", "preemption"} <= self.capabilities and "filter" not in self.not_shown
        return shows and not self.may_have_own

    @property
    def reads_config(self) -> bool:
        """Returns whether the implementation reads its configuration. A whole scheduler does, unless it says that
        it has the default one; a part of one may, and then says so."""
        return not self.has_default_config and (self.is_whole or "config" in self.capabilities)

    def is_foreign(self, plugin: str) -> bool:
        """Returns whether the implementation has this plugin, and the specification beside it does not: its own,
        or one that it is not judged by. What such a plugin does is taken as given."""
        return plugin in self.own or (self.plugins is not None and plugin in self.left_out)

    def takes(self, path: str) -> bool:
        """Returns whether the implementation reads this field, whichever plugins it has."""
        return path == NOMINATION and "nominations" in self.capabilities

    def has(self, plugin: str) -> bool:
        """Returns whether the implementation has this plugin of Kubernetes."""
        if self.plugins is not None and plugin not in self.plugins:
            return False
        return all(capability in self.capabilities for capability in needed_by(plugin, self.kubernetes))

    @property
    def release(self) -> KubernetesRelease:
        """Returns the release that it decides by."""
        return RELEASES[self.kubernetes]

    # --- Verdicts ---------------------------------------------------------------------------------

    def lacks(self, rule: str) -> str:
        """Returns the release, the capability, the input or the plugin without which nothing that this rule
        decides shows in what the implementation reports; empty if it can show."""
        stated = all_rules().get(rule)
        if stated is not None and self.kubernetes not in stated.releases:
            return f"Kubernetes {' or '.join(stated.releases)}"
        if rule.startswith(ADMITTED) and not self.is_whole:
            return "a whole scheduler"
        if rule.startswith(BATCHED) and not self.reads_config:
            return "config"
        claimed = self.capabilities | ({"config"} if self.reads_config else set())
        needed = shown_with(rule)
        if needed and claimed.isdisjoint(needed) and not (self.own and rule.startswith(ROLLED_BACK)):
            return needed[0]
        besides = shown_only_with(rule)
        if besides and claimed.isdisjoint(besides) and not self.own:
            return besides[0]
        inputs = brought_about_by(rule)
        if inputs and self.inputs.isdisjoint(inputs):
            return f"the input {inputs[0]}"
        if stated is not None and not claimed.isdisjoint(stated.said.shows_without_them_in):
            return ""
        plugins = plugins_of(rule)
        if plugins and set(plugins) <= set(self.left_out):
            return plugins[0]
        fields = fields_without_which(plugins, self.fields_not_taken, self.kubernetes)
        return f"the field {fields[0]}" if fields else ""


@cache
def part_of(hello: Hello) -> Part:
    """Returns the part that the implementation says it has. A plugin that is no default one is its own. It is a
    whole scheduler if it has all default plugins, and is judged by scores only if one of its plugins has them. An
    implementation that claims preemption without a plugin of its own has DefaultPreemption, listed or not."""
    release = release_of(hello.kubernetes).name
    capabilities, plugins, own = hello.capabilities, hello.plugins, frozenset[str]()
    if plugins is not None:
        known = plugins & frozenset(plugin_names(release))
        own = plugins - known
        if "preemption" in capabilities and not own:
            known |= {PREEMPTION}
        if not any("score" in RELEASES[release].plugins[name].points for name in known):
            capabilities -= {"score"}
        is_whole = known.issuperset(plugin.name for plugin in default_plugins(release))
        plugins = None if is_whole else known
    others = hello.inputs, hello.fields_not_taken, hello.not_shown, hello.has_default_config
    return Part(capabilities, plugins, own, release, *others)
