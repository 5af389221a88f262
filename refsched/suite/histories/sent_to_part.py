# SPDX-License-Identifier: Apache-2.0
"""What an implementation that is a part of kube-scheduler is sent: a history without what it does not do.

The specification beside it is configured in the same way, and gets the same objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from functools import cache
from typing import Any

from attrs import evolve

from refsched.reading.without_fields import without_fields
from refsched.records import Permit, Release
from refsched.suite.histories.api_server import located
from refsched.suite.histories.configuration import MULTI_POINT, configured_for, points_of
from refsched.suite.histories.history import Create, Delete, History, Step, Update
from refsched.suite.histories.part import Part
from refsched.suite.histories.reads import SCRIPTED, readers
from refsched.suite.scripts import rejected_instead, without_script

Json = dict[str, Any]

_POINTS_OF_SCORE = ("preScore", "score")
"""The specification leaves out these extension points for an implementation without ``score``."""

NO_PLUGIN: Json = {"disabled": [{"name": "*"}]}

_SELECT_PODS = frozenset({"Service", "ReplicationController", "ReplicaSet", "StatefulSet"})
"""They select pods that belong together, which count where nodes are scored, and for constraints that are
configured."""


def history_for(part: Part, history: History) -> History:
    """Returns the history configured without what the implementation does not do, and with the same steps. A
    feature gate that its release has locked stays as it is; with a gate that is off go those that need it."""
    known = part.release.gates
    gates = {
        name: on
        for name, on in history.feature_gates.items()
        if part.reads_config and name in known and known[name].default != on and not known[name].locked
    }
    off = {name: False for name, gate in known.items() if gate.default and gates.get(gate.needs) is False}
    return evolve(history, config=config_for(part, history.config), feature_gates=gates | off)


def config_for(part: Part, given: Mapping[str, Any]) -> Json:
    """Returns the configuration without the plugins that the implementation does not have. If the
    implementation does not read its configuration, only the names of its profiles are left, or none if it
    chooses among the pods of all of them itself; and every feasible node is scored: after how many of them a
    search ends is configured. If it has the default configuration, nothing is left."""
    config = deepcopy(configured_for(given, part.release))
    if not part.reads_config:
        config = _names_alone(config)
        if part.has_default_config or "queue" in part.capabilities:
            config.pop("profiles", None)
        if "score" in part.capabilities and not part.has_default_config:
            config["percentageOfNodesToScore"] = 100
    if "extenders" not in part.capabilities:
        config.pop("extenders", None)
    for extender in config.get("extenders", ()) if "score" not in part.capabilities else ():
        extender.pop("prioritizeVerb", None)
        extender.pop("weight", None)
    left_out = set(part.left_out)
    if left_out or not part.capabilities >= {"preemption", "score", "scripted"}:
        profiles = config.get("profiles") or [{"schedulerName": "default-scheduler"}]
        config["profiles"] = [_profile(part, profile, left_out) for profile in profiles]
    return config


def _profile(part: Part, profile: Json, left_out: Collection[str]) -> Json:
    unwanted = set(left_out)
    if "scripted" not in part.capabilities:
        unwanted |= SCRIPTED
    plugins = {
        point: {
            verb: [plugin for plugin in listed if verb == "disabled" or plugin["name"] not in unwanted]
            for verb, listed in sets.items()
        }
        for point, sets in (profile.get("plugins") or {}).items()
    }
    for point in _points_with(part, left_out):
        here = plugins.setdefault(point, {})
        disabled = here.get("disabled") or []
        named = {plugin["name"] for plugin in disabled}
        new = [name for name in part.left_out if name not in named and _is_at(part, name, point)]
        if new and "*" not in named:
            here["disabled"] = [*disabled, *({"name": name} for name in new)]
    if "score" not in part.capabilities:
        plugins |= {point: deepcopy(NO_PLUGIN) for point in _POINTS_OF_SCORE}
    changed = {**profile, "plugins": plugins}
    if profile.get("pluginConfig"):
        changed["pluginConfig"] = [
            each for each in profile["pluginConfig"] if each.get("name") not in unwanted
        ]
    return changed


def _points_with(part: Part, plugins: Collection[str]) -> tuple[str, ...]:
    """Returns where a profile disables these plugins: at every point at once, if the release's API has a
    name for that."""
    points = points_of(part.kubernetes)
    if not plugins:
        return ()
    return (MULTI_POINT,) if MULTI_POINT in points else points


def _is_at(part: Part, plugin: str, point: str) -> bool:
    return point == MULTI_POINT or point in part.release.plugins[plugin].points


def step_for(part: Part, step: Step) -> Step | None:
    """Returns the step as far as the implementation needs it, or None if it does not need it at all."""
    match step:
        case Update() | Delete() if step.member not in part.inputs:
            return None
        case Permit() | Release():
            return step if "scripted" in part.capabilities else None
        case Delete(named):
            if not _reads_kind(part, named.kind):
                return None
            return step if part.is_whole else Delete(located(named))
        case Create(value) | Update(value):
            if not _reads_kind(part, str(value.get("kind"))):
                return None
            return evolve(step, object=_object_for(part, value))
    return step


def _object_for(part: Part, value: Json) -> Json:
    """Returns the object without the fields that are read only by plugins that the implementation does not
    have, and a pod without its script if the implementation has no scripted plugins, or they cannot hold a
    pod. Where the release does not have the code that a scripted plugin answers, it answers Unschedulable."""
    kind = str(value.get("kind"))
    shown = without_fields(value, _unread(part))
    if kind in part.release.served_as:
        shown["apiVersion"] = part.release.served_as[kind]
    if not part.capabilities >= {"scripted", "hold"}:
        shown = without_script(shown, keep="scripted" in part.capabilities)
    for code in part.release.codes_not_yet:
        shown = rejected_instead(shown, code)
    return shown


@cache
def _unread(part: Part) -> tuple[str, ...]:
    """Returns the paths of fields that no plugin of the implementation reads, that its release does not know,
    or that it says it does not take."""
    read = readers(part.kubernetes)
    unread = (path for path in read if not (part.takes(path) or any(part.has(name) for name in read[path])))
    return *unread, *part.release.not_yet, *sorted(part.fields_not_taken)


def _reads_kind(part: Part, kind: str) -> bool:
    if kind in part.release.not_yet:
        return False
    if kind in _SELECT_PODS and not (part.reads_config or "score" in part.capabilities):
        return False
    by = readers(part.kubernetes).get(kind)
    return by is None or any(part.has(name) for name in by)


def _names_alone(config: Json) -> Json:
    kept: Json = {name: config[name] for name in ("apiVersion", "kind") if name in config}
    if profiles := config.get("profiles"):
        kept["profiles"] = [{key: each[key] for key in each if key == "schedulerName"} for each in profiles]
    return kept
