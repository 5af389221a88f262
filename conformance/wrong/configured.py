# SPDX-License-Identifier: Apache-2.0
"""The real kube-scheduler with another configuration than the history asks for.

Its code is unchanged. One setting is added to the configuration of each history that does not set it already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from attrs import frozen

from refsched.suite.adapters.adapter import Adapter, Json
from refsched.suite.adapters.kube_scheduler import kube_scheduler
from refsched.suite.adapters.process import Process

TIMEOUT = 30.0
"""The seconds within which an answer must arrive."""

Change = Callable[[Json], None]
"""A function that changes the body of a ``reset`` request."""


@frozen
class Configured:
    """``says`` describes the setting, and ``nearest`` lists the areas whose tests are tried first."""

    name: str
    says: str
    change: Change
    nearest: tuple[str, ...]


# --- Changes --------------------------------------------------------------------------------------


def setting(**members: Any) -> Change:
    """Returns a change that sets fields of the configuration."""

    def change(body: Json) -> None:
        body["config"] = {**members, **body["config"]}

    return change


def gate(name: str, *, on: bool) -> Change:
    """Returns a change that sets a feature gate, unless the history sets it."""

    def change(body: Json) -> None:
        body["featureGates"] = {name: on, **body.get("featureGates", {})}

    return change


def arguments(plugin: str, **members: Any) -> Change:
    """Returns a change that sets arguments of a plugin in every profile."""

    def change(body: Json) -> None:
        for profile in _profiles(body):
            listed = profile.setdefault("pluginConfig", [])
            known = next((each for each in listed if each["name"] == plugin), None)
            if known is None:
                listed.append({"name": plugin, "args": dict(members)})
            else:
                known["args"] = {**members, **known.get("args", {})}

    return change


def without(plugin: str) -> Change:
    """Returns a change that disables a plugin in every profile that does not name it."""

    def change(body: Json) -> None:
        for profile in _profiles(body):
            disabled = (
                profile.setdefault("plugins", {}).setdefault("multiPoint", {}).setdefault("disabled", [])
            )
            disabled.append({"name": plugin})

    return change


def weighing(plugin: str, weight: int) -> Change:
    """Returns a change that sets the weight of a plugin in every profile without score plugins."""

    def change(body: Json) -> None:
        for profile in _profiles(body):
            enabled = {"enabled": [{"name": plugin, "weight": weight}]}
            profile.setdefault("plugins", {}).setdefault("score", enabled)

    return change


def _profiles(body: Json) -> list[Json]:
    profiles: list[Json] = body["config"].setdefault("profiles", [{"schedulerName": "default-scheduler"}])
    return profiles


MOST = {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]}
LIST: Json = {"defaultingType": "List", "defaultConstraints": []}

CONFIGURED = (
    Configured(
        "without-taint-toleration", "TaintToleration is off.", without("TaintToleration"), ("taints",)
    ),
    Configured("without-node-ports", "NodePorts is off.", without("NodePorts"), ("ports", "ports_ips")),
    Configured(
        "without-balanced-allocation",
        "NodeResourcesBalancedAllocation is off.",
        without("NodeResourcesBalancedAllocation"),
        ("resources",),
    ),
    Configured(
        "without-preemption", "DefaultPreemption is off.", without("DefaultPreemption"), ("preemption",)
    ),
    Configured("images-weigh-more", "ImageLocality weighs 2.", weighing("ImageLocality", 2), ("images",)),
    Configured(
        "looks-at-all-nodes",
        "percentageOfNodesToScore is 100.",
        setting(percentageOfNodesToScore=100),
        ("many",),
    ),
    Configured(
        "hard-affinity-weighs-more",
        "hardPodAffinityWeight is 5.",
        arguments("InterPodAffinity", hardPodAffinityWeight=5),
        ("pod_affinity",),
    ),
    Configured(
        "packs",
        "scoringStrategy is MostAllocated.",
        arguments("NodeResourcesFit", scoringStrategy=MOST),
        ("resources",),
    ),
    Configured(
        "overlooks-a-resource",
        "ignoredResources has example.com/gpu.",
        arguments("NodeResourcesFit", ignoredResources=["example.com/gpu"]),
        ("resources",),
    ),
    Configured(
        "balances-cpu-alone",
        "NodeResourcesBalancedAllocation looks at cpu alone.",
        arguments("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 1}]),
        ("resources",),
    ),
    Configured(
        "first-backoff-of-two-seconds",
        "podInitialBackoffSeconds is 2.",
        setting(podInitialBackoffSeconds=2),
        ("queue",),
    ),
    Configured(
        "last-backoff-of-five-seconds",
        "podMaxBackoffSeconds is 5.",
        setting(podMaxBackoffSeconds=5),
        ("queue",),
    ),
    Configured(
        "spreads-by-list-alone",
        "defaultingType is List.",
        arguments("PodTopologySpread", **LIST),
        ("spread",),
    ),
    Configured(
        "prefers-no-added-node",
        "addedAffinity asks for nodes with a label that none has.",
        arguments(
            "NodeAffinity",
            addedAffinity={
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "example.com/none", "operator": "Exists"}]}
                    ]
                }
            },
        ),
        ("node_affinity",),
    ),
    Configured(
        "looks-at-one-candidate",
        "Of nodes for preemption one is looked at.",
        arguments("DefaultPreemption", minCandidateNodesPercentage=1, minCandidateNodesAbsolute=1),
        ("preemption",),
    ),
    Configured(
        "never-pops-from-backoff",
        "The gate SchedulerPopFromBackoffQ is off.",
        gate("SchedulerPopFromBackoffQ", on=False),
        ("queue",),
    ),
    Configured(
        "preempts-at-once",
        "The gate SchedulerAsyncPreemption is off.",
        gate("SchedulerAsyncPreemption", on=False),
        ("preempt_flow", "preemption"),
    ),
)


def all_configured() -> Mapping[str, Configured]:
    """Returns all of them by name."""
    return {each.name: each for each in CONFIGURED}


# --- Running --------------------------------------------------------------------------------------


class Reconfigured(Process):
    """A Reconfigured is the process of a scheduler, each of whose configurations is changed."""

    def __init__(self, command: Sequence[str], change: Change, *, timeout: float = TIMEOUT) -> None:
        super().__init__(command, timeout=timeout)
        self._change = change

    def ask(self, request: Json) -> Any:
        if "reset" in request:
            request = deepcopy(request)
            self._change(request["reset"])
        return super().ask(request)


def connect_configured(name: str) -> Adapter:
    """Returns kube-scheduler with this configuration. Raises AdapterUnavailable if there is none to be had."""
    return Adapter(name, Reconfigured([str(kube_scheduler())], all_configured()[name].change))
