# SPDX-License-Identifier: Apache-2.0
"""Naming: what was drawn has names such as ``n1`` and ``p2``; a reader is given ``node-a`` and ``web``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from conformance.wrong.smallest.shrinking import as_history, as_value
from refsched.suite.histories.history import History

PODS = ("web", "db", "cache", "batch", "api", "mail", "search", "queue", "auth", "cron", "proxy", "video")
NODES = tuple(f"node-{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
CONTAINERS = ("app", "helper", "second-helper")
INIT_CONTAINERS = ("setup", "then", "last")

_STEMS = {
    "PersistentVolume": "volume",
    "PersistentVolumeClaim": "data",
    "StorageClass": "standard",
    "CSIDriver": "driver",
    "CSIStorageCapacity": "capacity",
    "PodDisruptionBudget": "budget",
    "ResourceClaim": "claim",
    "ResourceClaimTemplate": "template",
    "ResourceSlice": "slice",
    "DeviceClass": "class",
    "Namespace": "team",
    "PriorityClass": "priority",
    "Service": "service",
    "ReplicaSet": "replicas",
    "ReplicationController": "controller",
    "StatefulSet": "stateful",
    "VolumeAttachment": "attachment",
}
"""What other objects are called, by kind; a second one has a number too."""


def with_names(history: History) -> History:
    """Returns the same history with names that a person would choose."""
    value = as_value(history)
    names = dict(_names(history))
    value["steps"] = [_renamed(step, names) for step in value["steps"]]
    value["config"] = _renamed(value["config"], names)
    for step in value["steps"]:
        for member in ("create", "update"):
            if isinstance(step.get(member), dict) and step[member].get("kind") == "Pod":
                _name_containers(step[member])
    return as_history(value)


def _names(history: History) -> Iterator[tuple[str, str]]:
    """Yields each name of an object in the order of creation, and the new one; what is not created has no new
    name."""
    seen: Counter[str] = Counter()
    known: set[str] = set()
    for step in as_value(history)["steps"]:
        created = step.get("create")
        name = created["metadata"]["name"] if created else ""
        if not created or name in known or created["kind"] == "CSINode":
            continue
        kind = created["kind"]
        if kind == "Namespace" and name == "default":
            continue
        known.add(name)
        yield name, _name(kind, seen[kind])
        seen[kind] += 1


def _name(kind: str, number: int) -> str:
    named = {"Node": NODES, "Pod": PODS}.get(kind)
    if named is not None:
        again = number // len(named)
        return named[number % len(named)] + (f"-{again + 1}" if again else "")
    stem = _STEMS.get(kind, kind.lower())
    return f"{stem}-{number + 1}" if number else stem


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """Replaces names that stand alone, or after a namespace (``default/p1``)."""
    match value:
        case dict():
            return {_renamed(key, names): _renamed(each, names) for key, each in value.items()}
        case list():
            return [_renamed(each, names) for each in value]
        case str() if value in names:
            return names[value]
        case str() if value.partition("/")[2] in names:
            return f"{value.partition('/')[0]}/{names[value.partition('/')[2]]}"
    return value


def _name_containers(pod: dict[str, Any]) -> None:
    """Names the containers, and their statuses likewise."""
    spec = pod.get("spec", {})
    names: dict[str, str] = {}
    for member, known in (("containers", CONTAINERS), ("initContainers", INIT_CONTAINERS)):
        for container, name in zip(spec.get(member, ()), known, strict=False):
            names[container.get("name", "")] = name
            container["name"] = name
    for member in ("containerStatuses", "initContainerStatuses"):
        for status in pod.get("status", {}).get(member, ()):
            status["name"] = names.get(status.get("name", ""), status.get("name", ""))
