# SPDX-License-Identifier: Apache-2.0
"""Each helpful change is confirmed: a scheduler that is shown the changed cluster finds the pod feasible there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plan_world import Json, node, objects_of, pod, scheduler
from test_pending import CULPRITS, apart, holding, spread, taint

from conformance.strategies import AREAS
from refsched.errors import InputError
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.tools.cluster import Cluster
from refsched.tools.planner.cluster import pod_called, why_passed_over
from refsched.tools.planner.explain import explain
from refsched.tools.planner.explanation import Explanation
from refsched.tools.planner.verdicts import HelpfulChange
from tests.tools.test_copies import WITHOUT_EXTENDERS, begun, do

FITS = ("chosen", "feasible", "surplus", "unseen")


def after(objects: Sequence[ApiObject], change: HelpfulChange) -> list[ApiObject]:
    """The cluster in which the change was applied."""
    updated = {(each.kind, each.namespace, each.name): each for each in change.updated}
    gone = {each.key for each in change.deleted}
    kept = [each for each in objects if not (isinstance(each, Pod) and each.key in gone)]
    changed: list[ApiObject] = [updated.get((each.kind, each.namespace, each.name), each) for each in kept]
    return [*changed, *(_named(each, change) for each in change.created)]


def _named(model: Node, change: HelpfulChange) -> Node:
    [name] = change.nodes
    labels = dict(model.metadata.labels)
    if labels.get("kubernetes.io/hostname") == model.name:
        labels["kubernetes.io/hostname"] = name
    return evolve(model, metadata=evolve(model.metadata, name=name, labels=labels))


def confirm(
    found: Explanation, objects: Sequence[ApiObject], fresh: Scheduler, change: HelpfulChange
) -> None:
    changed = after(objects, change)
    again = explain(fresh, changed, pod_called(found.pod, changed))
    judged = {each.node: each.verdict for each in again.nodes}
    assert {judged[node] for node in change.nodes} <= set(FITS), change
    assert {*judged.values()} & {"chosen", "feasible"}, (change, again)


# --- Clusters that are made for it ----------------------------------------------------------------


@st.composite
def clusters(draw: st.DrawFn) -> list[Json]:
    """Clusters of few nodes in which much may stand in the way of the pod ``a``."""
    labels = st.fixed_dictionaries(
        {"zone": st.sampled_from("abc")}, optional={"disk": st.sampled_from(["ssd", "hdd"])}
    )
    taints = st.lists(
        st.sampled_from([taint("x"), taint("y", "1"), taint("node.kubernetes.io/not-ready")]), max_size=1
    )
    number = draw(st.integers(1, 4))
    nodes = [
        node(
            f"n{at}",
            draw(st.sampled_from(["1", "2", "4"])),
            labels={"kubernetes.io/hostname": f"n{at}", **draw(labels)},
            taints=draw(taints),
            unschedulable=draw(st.integers(0, 4)) == 0,
        )
        for at in range(number)
    ]
    on = st.sampled_from([f"n{at}" for at in range(number)])
    apps = st.sampled_from(["web", "db"])
    running = [
        draw(st.sampled_from([pod, holding]))(f"r{at}", on=draw(on), meta={"labels": {"app": draw(apps)}})
        for at in range(draw(st.integers(0, 4)))
    ]
    asked = draw(st.sampled_from([pod, holding]))("a", meta={"labels": {"app": draw(apps)}})
    asked["spec"] |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "nodeSelector": labels,
                "affinity": st.builds(apart, st.sampled_from(["podAffinity", "podAntiAffinity"]), apps),
                "topologySpreadConstraints": st.builds(spread),
            },
        )
    )
    requests = {"requests": {"cpu": draw(st.sampled_from(["500m", "1", "3", "9"]))}}
    asked["spec"]["containers"][0]["resources"] = requests
    return [*nodes, *running, asked]


@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(clusters())
def test_each_helpful_change_that_is_printed_helps(values: list[Json]) -> None:
    objects = objects_of(*values)
    found = explain(scheduler(), objects, pod_called("a", objects))
    if found.result == "scheduled":
        assert (found.headline, found.reasons, found.would_help) == ("", (), ())
        return
    assert found.headline.endswith(".")
    assert sum(len(each.nodes) for each in found.reasons) == len(found.nodes)
    for change in found.would_help:
        confirm(found, objects, scheduler(), change)


@pytest.mark.parametrize("values", [values for values, _ in CULPRITS.values()], ids=list(CULPRITS))
def test_each_helpful_change_against_a_known_culprit_helps(values: list[Json]) -> None:
    objects = objects_of(*values)
    found = explain(scheduler(), objects, pod_called("a", objects))
    for change in found.would_help:
        confirm(found, objects, scheduler(), change)


# --- Clusters that the suite draws ----------------------------------------------------------------


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_each_helpful_change_in_a_cluster_that_the_suite_draws_helps(data: st.DataObject) -> None:
    history = data.draw(AREAS[data.draw(st.sampled_from(WITHOUT_EXTENDERS))]())
    try:
        cluster = begun(history, "1.34")
    except InputError:
        return  # this release refuses the configuration, or has no such feature gate
    for step in history.steps:
        do(cluster, step)
    objects = cluster._objects()
    for pending in [each for each in objects if isinstance(each, Pod) and not each.spec.node_name][:3]:
        fresh = _fresh(cluster)
        if pending.status.phase != "Pending" or why_passed_over(fresh, pending) or is_held(pending):
            continue
        found = explain(fresh, objects, pending)
        assert found.result == "scheduled" or found.headline
        for change in found.would_help:
            confirm(found, objects, _fresh(cluster), change)


def is_held(pod: Pod) -> bool:
    """Whether a scripted plugin may hold the attempt, of which nothing is said then."""
    return "Hold" in pod.metadata.annotations.get("refsched.dev/script", "")


def _fresh(cluster: Cluster) -> Scheduler:
    return cluster._empty(lambda config: lambda verb, request: {})
