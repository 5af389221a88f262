# SPDX-License-Identifier: Apache-2.0
"""Reads: which plugins there are, and which kinds of objects and which fields each of them reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from refsched.framework.interface import WHAT_A_NODE_IS, WHO_A_POD_IS
from refsched.releases import RELEASES
from refsched.suite.catalogue.rules import default_plugins

SCRIPTED = frozenset({"ScriptedA", "ScriptedB", "ScriptedBinder"})

_CAPABILITY_OF_READING = (
    ("volumes", "PersistentVolumeClaim"),
    ("devices", "ResourceClaim"),
    ("preemption", "PodDisruptionBudget"),
)
"""The plugins that read such an object need the capability."""


@cache
def plugin_names(release: str) -> tuple[str, ...]:
    """Returns the plugins of the default profile, and then those that a configuration may enable."""
    default = (plugin.name for plugin in default_plugins(release))
    return tuple(
        name for name in dict.fromkeys((*default, *RELEASES[release].plugins)) if name not in SCRIPTED
    )


@cache
def readers(release: str) -> Mapping[str, tuple[str, ...]]:
    """Returns kinds (``PersistentVolume``) and fields (``Pod.spec.tolerations``), each with the plugins that
    read it; what no plugin names is read by the scheduler itself, and so is who a pod is, and what a node is."""
    found: dict[str, tuple[str, ...]] = {}
    for plugin in default_plugins(release):
        for read in getattr(plugin, "READS", ()):
            if read in WHO_A_POD_IS | WHAT_A_NODE_IS:
                continue
            found[read] = (*found.get(read, ()), plugin.name)
    return found


@cache
def needed_by(plugin: str, release: str) -> tuple[str, ...]:
    """Returns the capabilities that an implementation needs to have this plugin."""
    read = {name for name, by in readers(release).items() if plugin in by}
    return tuple(capability for capability, kind in _CAPABILITY_OF_READING if kind in read)


def fields_without_which(
    plugins: Collection[str], not_taken: Collection[str], release: str
) -> tuple[str, ...]:
    """Returns those fields that are not taken, if these plugins read no other field of a pod."""
    read = readers(release)
    asked = [path for path in read if path.startswith("Pod.") and not set(plugins).isdisjoint(read[path])]
    missing = {path: [each for each in sorted(not_taken) if _is_within(path, each)] for path in asked}
    return tuple(fields[0] for fields in missing.values()) if missing and all(missing.values()) else ()


def _is_within(path: str, field: str) -> bool:
    return f"{path}.".replace("[]", "").startswith(f"{field}.".replace("[]", ""))
