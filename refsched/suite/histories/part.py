# SPDX-License-Identifier: Apache-2.0
"""Part: the parts of kube-scheduler that an implementation has, and a history without the others.

An implementation says which capabilities it has, and may say which plugins. The specification beside it is
configured without the others, objects are sent without the fields that only the others read, and members of
records that belong to none of its capabilities are not compared. So an implementation is not asked for, or
judged by, what it does not do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from functools import cache, cached_property
from typing import Any

from attrs import evolve, frozen

from refsched.checking.agreement import Disagreement
from refsched.reading.without_fields import without_fields
from refsched.records import SCHEDULED, Attempt, Bind, NodeStatus, Permit, Release
from refsched.releases import DEFAULT, RELEASES, release_of
from refsched.releases.release import Release as KubernetesRelease
from refsched.suite.adapters.answers import OBJECT_INPUTS, Hello
from refsched.suite.catalogue.rules import all_rules, default_plugins, plugins_of
from refsched.suite.catalogue.showing import brought_about_by, shown_only_with, shown_with
from refsched.suite.histories.api_server import located
from refsched.suite.histories.configuration import MULTI_POINT, configured_for, points_of
from refsched.suite.histories.history import Create, Delete, History, Step, Update
from refsched.suite.histories.reads import SCRIPTED, fields_without_which, needed_by, plugin_names, readers
from refsched.suite.scripts import rejected_instead, without_script

Json = dict[str, Any]

ALWAYS = frozenset({"PrioritySort", "SchedulingGates", "DefaultBinder"})
"""The specification keeps these plugins in any case: they say which pod is next, and bind it."""

PREEMPTION = "DefaultPreemption"

_POINTS_OF_SCORE = ("preScore", "score")
"""The specification leaves out these extension points for an implementation without ``score``."""

NO_PLUGIN: Json = {"disabled": [{"name": "*"}]}

_SHOWN_BY: tuple[tuple[str, str, str], ...] = (
    ("filter", "filter", "filter"),
    ("filter", "pre_filter", "preFilter"),
    ("score", "scores", "scores"),
    ("score", "totals", "totals"),
    ("preemption", "victims", "victims"),
    ("preemption", "nominated_node", "nominatedNode"),
    ("queue", "unschedulable_plugins", "unschedulablePlugins"),
    ("scripted", "calls", "calls"),
)
"""Each row has a capability, the member of ``Attempt`` that it fills, and the name of that member on the wire."""

_REQUIRED = ("filter", "scores", "victims", "nominatedNode", "calls")
"""An implementation with the capability must not leave out these members, which have their names on the wire."""

_KEEPS_TIME = frozenset({"queue", "scripted", "volumes", "extenders"})
"""For these capabilities it matters how much time has passed."""

_SELECT_PODS = frozenset({"Service", "ReplicationController", "ReplicaSet", "StatefulSet"})
"""They select pods that belong together, which count where nodes are scored, and for constraints that are
configured."""

ADMITTED = "R-DEFAULTS-"
"""Rules of this area say what an API server fills in, which is done already when a part is sent an object."""

BATCHED = "R-BATCH-"
"""Rules of this area say which nodes are passed over. A part that reads no configuration may look at all."""

ROLLED_BACK = "R-ROLLBACK-"
"""Rules of this area say what is done when a plugin rejects a pod for which a node was chosen, as the
implementation's own plugins may."""

OF_PREEMPTION = ("victims", "nominatedNode")
"""These members are also missing if the implementation did not preempt: then leaving them out is no mistake."""


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
        return tuple(name for name in names if name not in ALWAYS and not self._has(name))

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
        """Returns whether it reports nominations that it takes back. Over the API they may not be seen."""
        shows = {"filter", "preemption"} <= self.capabilities and "nominatedNode" not in self.not_shown
        return shows and not self.may_have_own

    def is_foreign(self, plugin: str) -> bool:
        """Returns whether the implementation has this plugin, and the specification beside it does not: its own,
        or one that it is not judged by. What such a plugin does is taken as given."""
        return plugin in self.own or (self.plugins is not None and plugin in self.left_out)

    def _has(self, plugin: str) -> bool:
        if self.plugins is not None and plugin not in self.plugins:
            return False
        return all(capability in self.capabilities for capability in needed_by(plugin, self.kubernetes))

    @property
    def _release(self) -> KubernetesRelease:
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

    def missing_members(
        self, record: Attempt | Bind, specified: Attempt | Bind
    ) -> Iterator[tuple[str, object]]:
        """Yields members that the record lacks and the specification has, if a capability promises them; and in
        any case the node of a pod that was scheduled, without which nothing else can be compared."""
        if isinstance(record, Attempt) and record.result == SCHEDULED and not record.node:
            yield "node", "the node that was selected"
            return
        for capability, attribute, member in _SHOWN_BY:
            expected = getattr(specified, attribute, None)
            if member not in _REQUIRED or capability not in self.capabilities or not expected:
                continue
            if member in self.not_shown:
                continue
            if member == "filter" and not _rejects_any(expected):
                continue
            if getattr(record, attribute, None) is None:
                yield member, expected

    def judged(self, record: Attempt) -> Attempt:
        """Returns the record without the members that belong to none of the implementation's capabilities. Room
        is kept for a nominated pod, whether or not it is judged who is nominated."""
        dropped: dict[str, Any] = {
            attribute: None
            for capability, attribute, _ in _SHOWN_BY
            if capability not in self.capabilities and getattr(record, attribute) is not None
        }
        if record.nominated_node:
            dropped.pop("nominated_node", None)
        if "score" not in self.capabilities:
            dropped |= {"evaluated": None, "feasible": None}
        elif self._hides_scores(record):
            dropped["totals"] = None
        return evolve(record, **dropped) if dropped else record

    def _hides_scores(self, record: Attempt) -> bool:
        """Returns whether totals may contain scores of the implementation's own plugins that are not reported."""
        scores = record.scores or {}
        if not self.own or any(plugin in self.own for by_plugin in scores.values() for plugin in by_plugin):
            return False
        totals = record.totals
        return totals is None or any(totals.get(node) != sum(each.values()) for node, each in scores.items())

    def may_choose(
        self, found: Disagreement, record: Attempt, specified: Attempt, nodes: Collection[str]
    ) -> bool:
        """Returns whether the difference is one in which the implementation is free: without ``score`` any
        feasible node is right, and it does not matter on how many more of the existing ``nodes`` Filter was run.
        Nor does it matter without ``config``, if these are rejected. Any feasible node is right where plugins of
        its own may have scores that are not reported.

        Without ``score`` the specification allows every feasible node that it found. So if it evaluated all nodes,
        it does not allow another one, as a node that an extender rejected after Filter."""
        statuses = specified.filter or {}
        member, _, node = found.member.partition(".")
        if "score" in self.capabilities and not (member == "node" and self._hides_scores(record)):
            is_one_more = member == "filter" and node in nodes and node not in statuses
            more = (record.filter or {}).get(node) if is_one_more else None
            return not self.reads_config and more is not None and more.code != "Success"
        match member:
            case "filter" if node:
                return node in nodes and statuses.get(node) in (None, (record.filter or {}).get(node))
            case "node":
                chosen = statuses.get(record.node or "")
                if chosen is None or record.node not in nodes:
                    return record.node in nodes
                has_found_all = "score" not in self.capabilities and specified.evaluated == len(nodes)
                return chosen.code == "Success" and not has_found_all
        return member in ("filter", "feasible")

    # --- Histories --------------------------------------------------------------------------------

    def history(self, history: History) -> History:
        """Returns the history configured without what the implementation does not do, and with the same steps. A
        feature gate that its release has locked stays as it is; with a gate that is off go those that need it."""
        known = self._release.gates
        gates = {
            name: on
            for name, on in history.feature_gates.items()
            if self.reads_config and name in known and known[name].default != on and not known[name].locked
        }
        off = {name: False for name, gate in known.items() if gate.default and gates.get(gate.needs) is False}
        return evolve(history, config=self.config(history.config), feature_gates=gates | off)

    @property
    def reads_config(self) -> bool:
        """Returns whether the implementation reads its configuration. A whole scheduler does, unless it says that
        it has the default one; a part of one may, and then says so."""
        return not self.has_default_config and (self.is_whole or "config" in self.capabilities)

    def config(self, given: Mapping[str, Any]) -> Json:
        """Returns the configuration without the plugins that the implementation does not have. If the
        implementation does not read its configuration, only the names of its profiles are left, or none if it
        chooses among the pods of all of them itself; and every feasible node is scored: after how many of them a
        search ends is configured. If it has the default configuration, nothing is left."""
        config = deepcopy(configured_for(given, self._release))
        if not self.reads_config:
            config = _names_alone(config)
            if self.has_default_config or "queue" in self.capabilities:
                config.pop("profiles", None)
            if "score" in self.capabilities and not self.has_default_config:
                config["percentageOfNodesToScore"] = 100
        if "extenders" not in self.capabilities:
            config.pop("extenders", None)
        for extender in config.get("extenders", ()) if "score" not in self.capabilities else ():
            extender.pop("prioritizeVerb", None)
            extender.pop("weight", None)
        left_out = set(self.left_out)
        if left_out or not self.capabilities >= {"preemption", "score", "scripted"}:
            profiles = config.get("profiles") or [{"schedulerName": "default-scheduler"}]
            config["profiles"] = [self._profile(profile, left_out) for profile in profiles]
        return config

    def _profile(self, profile: Json, left_out: Collection[str]) -> Json:
        unwanted = set(left_out)
        if "scripted" not in self.capabilities:
            unwanted |= SCRIPTED
        plugins = {
            point: {
                verb: [plugin for plugin in listed if verb == "disabled" or plugin["name"] not in unwanted]
                for verb, listed in sets.items()
            }
            for point, sets in (profile.get("plugins") or {}).items()
        }
        for point in self._points_with(left_out):
            here = plugins.setdefault(point, {})
            disabled = here.get("disabled") or []
            named = {plugin["name"] for plugin in disabled}
            new = [name for name in self.left_out if name not in named and self._is_at(name, point)]
            if new and "*" not in named:
                here["disabled"] = [*disabled, *({"name": name} for name in new)]
        if "score" not in self.capabilities:
            plugins |= {point: deepcopy(NO_PLUGIN) for point in _POINTS_OF_SCORE}
        changed = {**profile, "plugins": plugins}
        if profile.get("pluginConfig"):
            changed["pluginConfig"] = [
                each for each in profile["pluginConfig"] if each.get("name") not in unwanted
            ]
        return changed

    def _points_with(self, plugins: Collection[str]) -> tuple[str, ...]:
        """Returns where a profile disables these plugins: at every point at once, if the release's API has a
        name for that."""
        points = points_of(self.kubernetes)
        if not plugins:
            return ()
        return (MULTI_POINT,) if MULTI_POINT in points else points

    def _is_at(self, plugin: str, point: str) -> bool:
        return point == MULTI_POINT or point in self._release.plugins[plugin].points

    def step(self, step: Step) -> Step | None:
        """Returns the step as far as the implementation needs it, or None if it does not need it at all."""
        match step:
            case Update() | Delete() if step.member not in self.inputs:
                return None
            case Permit() | Release():
                return step if "scripted" in self.capabilities else None
            case Delete(named):
                if not self._reads_kind(named.kind):
                    return None
                return step if self.is_whole else Delete(located(named))
            case Create(value) | Update(value):
                if not self._reads_kind(str(value.get("kind"))):
                    return None
                return evolve(step, object=self.object(value))
        return step

    def object(self, value: Json) -> Json:
        """Returns the object without the fields that are read only by plugins that the implementation does not
        have, and a pod without its script if the implementation has no scripted plugins, or they cannot hold a
        pod. Where the release does not have the code that a scripted plugin answers, it answers Unschedulable."""
        kind = str(value.get("kind"))
        shown = without_fields(value, self._unread)
        if kind in self._release.served_as:
            shown["apiVersion"] = self._release.served_as[kind]
        if not self.capabilities >= {"scripted", "hold"}:
            shown = without_script(shown, keep="scripted" in self.capabilities)
        for code in self._release.codes_not_yet:
            shown = rejected_instead(shown, code)
        return shown

    @cached_property
    def _unread(self) -> tuple[str, ...]:
        """Returns the paths of fields that no plugin of the implementation reads, that its release does not know,
        or that it says it does not take."""
        read = readers(self.kubernetes)
        unread = (path for path in read if not any(self._has(name) for name in read[path]))
        return *unread, *self._release.not_yet, *sorted(self.fields_not_taken)

    def _reads_kind(self, kind: str) -> bool:
        if kind in self._release.not_yet:
            return False
        if kind in _SELECT_PODS and not (self.reads_config or "score" in self.capabilities):
            return False
        by = readers(self.kubernetes).get(kind)
        return by is None or any(self._has(name) for name in by)


def _names_alone(config: Json) -> Json:
    kept: Json = {name: config[name] for name in ("apiVersion", "kind") if name in config}
    if profiles := config.get("profiles"):
        kept["profiles"] = [{key: each[key] for key in each if key == "schedulerName"} for each in profiles]
    return kept


def _rejects_any(statuses: Mapping[str, NodeStatus]) -> bool:
    """Returns whether any node is rejected. A feasible node proves nothing, since a profile may be without
    filters."""
    return any(status.code != "Success" for status in statuses.values())


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
