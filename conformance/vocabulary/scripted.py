# SPDX-License-Identifier: Apache-2.0
"""The scripted plugins: the configuration that enables them, and the annotation that says what they answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import default_profile, node, pod, profile_config, with_metadata
from refsched.suite.histories.history import Release
from refsched.suite.scripts import SCRIPT

Json = dict[str, Any]

Script = dict[str, dict[str, str]]


_BINDERS: Json = {
    "bind": {
        "disabled": [{"name": "*"}],
        "enabled": [{"name": "ScriptedBinder"}, {"name": "DefaultBinder"}],
    }
}

SCRIPTED: Json = profile_config(
    default_profile(
        plugins={"multiPoint": {"enabled": [{"name": "ScriptedA"}, {"name": "ScriptedB"}]}, **_BINDERS}
    )
)
"""This configuration has the scripted plugins at their points; the binder is asked before the default one."""

ONLY_BINDING_SCRIPTED: Json = profile_config(default_profile(plugins=_BINDERS))
"""This configuration has the scripted binder alone, so that no plugin has anything to do before Bind."""


def script(*answers: tuple[str, str, str]) -> Script:
    """Returns the answers by plugin and point. Of two answers of a plugin at one point, the last one stands."""
    by_plugin: Script = {}
    for plugin, point, answer in answers:
        by_plugin.setdefault(plugin, {})[point] = answer
    return by_plugin


def scripted(answers: Script) -> Callable[[Json], Json]:
    """Returns what makes the scripted plugins answer so about a pod from now on."""
    return lambda value: with_metadata(value, annotations={SCRIPT: json.dumps(answers)})


WAITS: Script = {"ScriptedA": {"permit": "Wait"}}
"""A pod with this script waits on Permit."""


def waiting_with_all_cpu(**spec: Any) -> HistoryBuilder:
    """Begins a history: a pod with this spec waits on Permit with all cpu of the only node."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}, script=WAITS, **spec))
    cluster.schedule(1)
    return cluster


def key(value: Json) -> str:
    return f"{value['metadata'].get('namespace', 'default')}/{value['metadata']['name']}"


def release_all(cluster: HistoryBuilder) -> None:
    """Releases each pod as often as its script may hold it; a pod that is not held is skipped."""
    cluster.steps.extend(
        Release(key(value))
        for value in cluster.pods.values()
        for _ in range(value["metadata"].get("annotations", {}).get(SCRIPT, "").count("Hold"))
    )
