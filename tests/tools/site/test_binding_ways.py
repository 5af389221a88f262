# SPDX-License-Identifier: Apache-2.0
"""A pod can go each way of the binding cycle by its rules, and the table and the drawing show them all."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from refsched import Cluster
from refsched.rules import listening
from refsched.tools.site.binding_ways import (
    ASSUMED,
    BACK,
    BOUND,
    FORWARD,
    QUEUE,
    WAYS,
    StageTransition,
    ways_drawn,
    ways_table,
)

CONFIG = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "ScriptedA"}]}}}],
}
BINDER = {
    **CONFIG,
    "profiles": [
        {
            "plugins": {
                "bind": {
                    "disabled": [{"name": "*"}],
                    "enabled": [{"name": "ScriptedBinder"}, {"name": "DefaultBinder"}],
                }
            }
        }
    ],
}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "1", "pods": "9"}},
}


def nothing(cluster: Cluster) -> None:
    """The pod is left alone."""


def permit(decision: str) -> Callable[[Cluster], object]:
    return lambda cluster: cluster.permit("default/p", decision)


Then = Callable[[Cluster], object]
GOES: dict[tuple[str, str], tuple[dict[str, str], Then]] = {
    (ASSUMED, "the pod counts on the node"): ({}, nothing),
    ("Reserve", "all succeed"): ({}, nothing),
    ("Reserve", "one fails"): ({"reserve": "Error"}, nothing),
    ("Permit", "none rejects the pod"): ({}, nothing),
    ("Permit", "one rejects the pod"): ({"permit": "Unschedulable"}, nothing),
    ("Wait on Permit", "none asked to wait"): ({}, nothing),
    ("Wait on Permit", "all allow the pod"): ({"permit": "Wait:30"}, permit("allow")),
    ("Wait on Permit", "one rejects the pod"): ({"permit": "Wait:30"}, permit("reject")),
    ("Wait on Permit", "a timeout ends"): ({"permit": "Wait:30"}, lambda cluster: cluster.advance(31)),
    ("PreBind", "all succeed"): ({}, nothing),
    ("PreBind", "one fails"): ({"preBind": "Error"}, nothing),
    ("Bind", "the API server takes the binding"): ({}, nothing),
    ("Bind", "the first that does not skip fails"): ({"bind": "Error"}, nothing),
    ("PostBind", "cannot reject the pod"): ({}, nothing),
    ("Unreserve", "in reverse order"): ({"reserve": "Error"}, nothing),
    ("Forget", "the pod no longer counts on the node"): ({"preBind": "Error"}, nothing),
}
"""What a plugin answers, and what happens then, for a pod that goes this way."""


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.at}: {way.happens}")
def test_a_pod_goes_each_way_by_its_rules(way: StageTransition) -> None:
    script, then = GOES[way.at, way.happens]
    plugin, config = ("ScriptedBinder", BINDER) if "bind" in script else ("ScriptedA", CONFIG)
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "annotations": {"refsched.dev/script": json.dumps({plugin: script})}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    heard: set[str] = set()
    cluster = Cluster([NODE, pod], config=config)
    with listening(heard.add):
        cluster.schedule()
        then(cluster)
    assert set(way.rules) <= heard
    queues, nodes = cluster.observe()
    waits = {*queues.active, *queues.backoff, *queues.unschedulable}
    returns = way.to in BACK
    assert waits == ({"default/p"} if returns else set())
    assert nodes.nodes["n"].pods == (() if returns else ("default/p",))


def test_every_way_begins_and_ends_at_a_stage() -> None:
    assert {way.at for way in WAYS} == {*FORWARD, *BACK} - {BOUND, QUEUE}
    assert {way.to for way in WAYS} == {*FORWARD, *BACK} - {ASSUMED}


def test_the_table_and_the_drawing_show_every_way() -> None:
    drawn, rows = ways_drawn(), ways_table().splitlines()[2:]
    for way, row in zip(WAYS, rows, strict=True):
        assert f"{way.at.replace(' ', '_')} --> {way.to.replace(' ', '_')}: {way.happens}" in drawn
        assert row.startswith(f"| {way.at} | {way.happens} | {way.to} |")
        assert all(f"[{rule}](rules/" in row for rule in way.rules)
