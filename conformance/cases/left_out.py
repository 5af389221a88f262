# SPDX-License-Identifier: Apache-2.0
"""Cases of plugins that a profile disables at one extension point, or at some that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.left_out import PODS, POINTS, claimed_by_pods_of, profile_without
from conformance.vocabulary.objects import ZONE, node, pod, profile_config
from conformance.vocabulary.storage import bound_pair, csi_node, storage_class, using
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_TOGETHER = (
    ("preFilter", "filter"),
    ("preScore", "score"),
    ("preFilter", "preScore"),
    ("filter", "reserve"),
    ("reserve", "preBind"),
    ("preFilter", "filter", "reserve"),
    ("preFilter", "filter", "reserve", "preBind"),
    ("preEnqueue", "preFilter"),
    ("preFilter", "postFilter"),
)
_NEEDS = {"DynamicResources": ("devices",), "DefaultPreemption": ("preemption",)}


def _with_nodes(plugin: str, *nodes: Json) -> HistoryBuilder:
    """Returns a cluster of these nodes, with what the pods claim that are for this plugin."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*claimed_by_pods_of([plugin]))
    for each in nodes:
        cluster.add_node(each)
    if plugin == "NodeVolumeLimits":
        cluster.add(*(csi_node(name, {"count": 1}) for name in cluster.nodes))
    return cluster


def _left_out(plugin: str, points: Sequence[str], *others: tuple[str, Sequence[str]]) -> History:
    """The plugin is left out, and perhaps others. A pod of the first kind runs already; then one of each kind
    comes, and at last one of higher priority."""
    cluster = _with_nodes(
        plugin,
        node("", {"cpu": "4", "pods": "9"}, {ZONE: "a"}),
        node("", labels={ZONE: "b"}, taints=[{"key": "k", "effect": "PreferNoSchedule"}]),
        node("", labels={ZONE: "b"}, taints=[{"key": "k", "effect": "NoSchedule"}]),
        node("", labels={ZONE: "c"}, unschedulable=True),
    )
    kinds = [*PODS.get(plugin, ()), {}]
    for spec in kinds[:1]:
        cluster.add_pod(pod("", labels={"app": "a"}, **spec), 0)
    for spec in kinds:
        cluster.add_pod(pod("", labels={"app": "a"}, **spec))
        cluster.schedule(1)
    cluster.add_pod(pod("", labels={"app": "a"}, priority=10, **kinds[0]))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history(profile_without([(plugin, points), *others]))


def _name(text: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower()


def _cases() -> Iterator[Case]:
    for plugin, its in POINTS.items():
        for points in (*((point,) for point in its), *(each for each in _TOGETHER if set(each) <= set(its))):
            yield Case(
                f"{_name(plugin)}_left_out_of_{'_and_'.join(map(_name, points))}",
                f"{plugin} is disabled at {' and '.join(points)}, and of the pods that come it would reject some,"
                " accept others, and have nothing to do for one.",
                _left_out(plugin, points),
                needs=_needs(plugin),
            )


def _needs(plugin: str) -> tuple[str, ...]:
    return _NEEDS.get(plugin, ("volumes",) if "Volume" in plugin else ())


def _without_volume_binding() -> Iterator[Case]:
    """VolumeBinding rejects most pods whose claims are at fault before any other plugin is asked at Filter."""
    for plugin in ("VolumeRestrictions", "NodeVolumeLimits", "VolumeZone"):
        yield Case(
            f"{_name(plugin)}_left_out_of_pre_filter_without_volume_binding",
            f"{plugin} is disabled at preFilter and VolumeBinding everywhere, and of the pods that come some have"
            " claims that are missing, unbound or without their volumes.",
            _left_out(plugin, ("preFilter",), ("VolumeBinding", POINTS["VolumeBinding"])),
            needs=("volumes",),
        )


_OF_VOLUMES = ("VolumeBinding", "VolumeRestrictions", "NodeVolumeLimits", "VolumeZone")


def _claim_comes_late(plugin: str, late: str) -> History:
    """Of the plugins about volumes there is only this one. One of the two claims of a pod, and another claim, are
    created after the pod was tried."""
    pairs = {name: bound_pair(name, f"v-{name}") for name in ("c1", "c2", "c3")}
    others = [(other, POINTS[other]) for other in _OF_VOLUMES if other != plugin]
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), *pairs["c2" if late == "c1" else "c1"])
    cluster.add_node(node(""))
    cluster.add(csi_node("n1", {"count": 9}))
    cluster.add_pod(pod("", volumes=using("c1", "c2")))
    for name in ("c3", late):
        cluster.schedule()
        cluster.add(*pairs[name])
        cluster.wait()
    cluster.schedule()
    return cluster.history(profile_without(others))


def _late_claims() -> Iterator[Case]:
    for plugin, late in product(_OF_VOLUMES, ("c1", "c2")):
        yield Case(
            f"{_name(plugin)}_alone_and_{late}_comes_late",
            f"Without other plugins about volumes, {plugin} requeues a pod when the claim comes that it lacks.",
            _claim_comes_late(plugin, late),
            needs=("volumes",),
        )


def _of_two_profiles(plugin: str) -> History:
    """The second profile is without the plugin. Pods of either come, of the kinds that the plugin rejects and of
    those that it accepts, first by the second profile."""
    cluster = _with_nodes(
        plugin,
        node("", {"cpu": "4", "pods": "99"}, {ZONE: "a"}),
        node("", labels={ZONE: "b"}, taints=[{"key": "k", "effect": "NoSchedule"}]),
    )
    (without,) = profile_without([(plugin, POINTS[plugin])])["profiles"]
    second = {**without, "schedulerName": "second"}
    for spec in (*PODS.get(plugin, ()), {}):
        for scheduler in ("second", "default-scheduler"):
            cluster.add_pod(pod("", labels={"app": "a"}, schedulerName=scheduler, **spec))
            cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history(profile_config({"schedulerName": "default-scheduler"}, second))


def _two_profiles() -> Iterator[Case]:
    for plugin in POINTS:
        yield Case(
            f"{_name(plugin)}_in_the_first_of_two_profiles",
            f"Each pod is decided by the plugins of its own profile, of which only the first has {plugin}.",
            _of_two_profiles(plugin),
            needs=_needs(plugin),
        )


CASES: tuple[Case, ...] = (*_cases(), *_without_volume_binding(), *_late_claims(), *_two_profiles())
