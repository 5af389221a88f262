# SPDX-License-Identifier: Apache-2.0
"""Which plugins there are, and at which points each of them is called.

Source: the interfaces that the types in pkg/scheduler/framework/plugins/*/ declare to implement;
pkg/scheduler/framework/plugins/registry.go, NewInTreeRegistry (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping

EXTENSION_POINTS = (
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
)

POINTS: Mapping[str, frozenset[str]] = {
    plugin: frozenset(points.split())
    for plugin, points in {
        "DefaultBinder": "bind",
        "DefaultPreemption": "preEnqueue postFilter",
        "DynamicResources": "preEnqueue preFilter filter postFilter reserve preBind",
        "ImageLocality": "score",
        "InterPodAffinity": "preFilter filter preScore score",
        "NodeAffinity": "preFilter filter preScore score",
        "NodeName": "filter",
        "NodePorts": "preFilter filter",
        "NodeResourcesBalancedAllocation": "preScore score",
        "NodeResourcesFit": "preFilter filter preScore score",
        "NodeUnschedulable": "filter",
        "NodeVolumeLimits": "preFilter filter",
        "PodTopologySpread": "preFilter filter preScore score",
        "PrioritySort": "queueSort",
        "SchedulingGates": "preEnqueue",
        "TaintToleration": "filter preScore score",
        "VolumeBinding": "preFilter filter preScore score reserve preBind",
        "VolumeRestrictions": "preFilter filter",
        "VolumeZone": "preFilter filter",
        "ScriptedA": "reserve permit preBind postBind",
        "ScriptedB": "reserve permit preBind postBind",
        "ScriptedBinder": "bind",
    }.items()
}
"""The default plugins, and those that exist for tests: ScriptedA, ScriptedB and ScriptedBinder."""
