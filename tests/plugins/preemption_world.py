# SPDX-License-Identifier: Apache-2.0
"""Nodes whose pods may be evicted, and DefaultPreemption that is asked about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from attrs import define, field

from refsched.framework.choices import FirstChoice
from refsched.framework.interface import Api
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterPlugin, PostFilterResult
from refsched.framework.runtime import Framework
from refsched.framework.status import Code, Status, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.objects.reading import read_as
from refsched.objects.resources import resource_of
from refsched.objects.store import ObjectStore
from refsched.oddities.known_defects import AS_RELEASED, Oddities, with_oddities
from refsched.plugins.default_preemption import DefaultPreemption
from refsched.plugins.node_resources_fit import NodeResourcesFit
from tests.snapshots import snapshot_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


# --- A small world --------------------------------------------------------------------------------


def pod(
    name: str,
    cpu: int = 1,
    priority: int = 0,
    *,
    labels: Mapping[str, str] | None = None,
    started: int | None = None,
    policy: str | None = None,
    status: Mapping[str, Any] | None = None,
    leaving: bool = False,
) -> PodInfo:
    """``started`` this many seconds ago."""
    metadata: dict[str, Any] = {"name": name, "namespace": "ns", "uid": name, "labels": dict(labels or {})}
    if leaving:
        metadata["deletionTimestamp"] = NOW.isoformat()
    spec: dict[str, Any] = {
        "priority": priority,
        "containers": [{"resources": {"requests": {"cpu": str(cpu)}}}],
    }
    if policy:
        spec["preemptionPolicy"] = policy
    state = dict(status or {})
    if started is not None:
        state["startTime"] = (NOW - timedelta(seconds=started)).isoformat()
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": spec, "status": state}))


def node(name: str, *pods: PodInfo, cpu: int = 4) -> NodeInfo:
    shown = read_as(
        Node,
        {
            "metadata": {"name": name},
            "status": {"allocatable": {"cpu": str(cpu), "memory": "9Gi", "pods": "110"}},
        },
    )
    info = NodeInfo(shown, allocatable=resource_of(shown.status.allocatable))
    for on_it in pods:
        info = info.with_pod(on_it)
    return info


def budget(app: str, allowed: int = 0) -> PodDisruptionBudget:
    return read_as(
        PodDisruptionBudget,
        {
            "metadata": {"name": app, "namespace": "ns"},
            "spec": {"selector": {"matchLabels": {"app": app}}},
            "status": {"disruptionsAllowed": allowed},
        },
    )


@define
class Offered:
    """Takes the first option, and keeps what it was asked."""

    questions: list[tuple[str, list[str]]] = field(factory=list)

    def choose(self, question: str, options: Sequence[Any]) -> Any:
        self.questions.append((question, [getattr(option, "node", option) for option in options]))
        return FirstChoice().choose(question, options)


def preempt(
    preemptor: PodInfo,
    *nodes: NodeInfo,
    plugin: DefaultPreemption | None = None,
    others: Sequence[Any] = (),
    statuses: Mapping[str, Status] | None = None,
    absent: Status | None = None,
    nominated: Mapping[str, Sequence[PodInfo]] | None = None,
    budgets: Sequence[PodDisruptionBudget] = (),
    offered: Offered | None = None,
    oddities: Oddities = AS_RELEASED,
    extenders: Sequence[Any] = (),
) -> PostFilterResult:
    """The nodes say Unschedulable unless ``statuses`` says otherwise."""
    objects = ObjectStore()
    for each in budgets:
        objects.put(each)
    snapshot = snapshot_of(*nodes, objects=objects)
    plugins = [NodeResourcesFit(), *others]
    framework = Framework(
        "default-scheduler",
        pre_filter_plugins=[p for p in plugins if hasattr(p, "pre_filter")],
        filter_plugins=plugins,
        extenders=extenders,
    )
    context = PostFilterContext(
        framework=framework,
        snapshot=snapshot,
        state=framework.run_pre_filter_plugins(preemptor, snapshot).state,
        pod=preemptor,
        statuses={n.name: unschedulable("full") for n in nodes} if statuses is None else statuses,
        absent=absent or Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE),
        nominated_pods=lambda name: (nominated or {}).get(name, ()),
        now=NOW,
        api=cast("Api", None),
        choices=offered or Offered(),
    )
    asked: PostFilterPlugin = with_oddities(plugin or DefaultPreemption(), oddities)
    return asked.post_filter(context)


def names(pods: Sequence[PodInfo]) -> str:
    return " ".join(info.pod.name for info in pods)
