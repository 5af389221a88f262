# SPDX-License-Identifier: Apache-2.0
"""Steps, objects and values as a reader would say them."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.records import Attempt, Bind, NodeStatus, NodeUsage, PreFilter, Record, Reference
from refsched.suite.findings import Finding, Seen
from refsched.suite.histories.history import (
    DEFAULT_CONFIG,
    Advance,
    Create,
    Delete,
    History,
    Observe,
    Permit,
    Release,
    Schedule,
    Step,
    Update,
    creating,
    deleting,
)
from refsched.suite.histories.wording import described, described_steps, said, what_came

Json = dict[str, Any]


def pod(spec: Json | None = None, **metadata: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", **metadata}, "spec": spec or {}}


def asking(**resources: Json) -> Json:
    return {"name": "c", "resources": resources}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing"),
        (True, "yes"),
        (False, "no"),
        ("", "none"),
        (7, "7"),
        ((), "none"),
        (["b", "a"], "b, a"),
        ({"b": 1, "a": None}, "a nothing, b 1"),
        (NodeStatus("Success"), "Success"),
        (NodeStatus("Unschedulable", "NodePorts", ("taken",)), "NodePorts (taken)"),
        (NodeStatus("Error", "NodePorts"), "Error NodePorts"),
        (PreFilter("Success", nodes=("n1",)), "Success narrowed to n1"),
        (Bind("default/a", "n1", "bound"), "a on n1: bound"),
        (NodeUsage(("default/a",), 100, 0), "memory 0, milliCPU 100, pods default/a"),
    ],
)
def test_a_value(value: object, words: str) -> None:
    assert said(value) == words


@pytest.mark.parametrize(
    ("member", "got", "words"),
    [
        ("node", "n1", "n1"),
        ("node", "n2", "n2, a node that does not exist"),
        ("node", "n3", "n3, a node that does not exist"),
        ("node", "", "none"),
        ("node", "no node", "no node"),
        ("node", 2, "2"),
        ("filter.n3", "n3", "n3"),
    ],
)
def test_what_came_says_that_a_node_does_not_exist(member: str, got: object, words: str) -> None:
    nodes = [{"kind": "Node", "metadata": {"name": name}} for name in ("n1", "n2")]
    steps = (*map(Create, nodes), Delete(Reference("Node", "n2")), Schedule())
    finding = Finding("R-SEARCH-04", member, None, got, step=3)
    assert what_came(finding, History(steps)) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (pod(), ""),
        (pod({"containers": [{"name": "c"}]}), ""),
        (pod({"containers": [asking(requests={"cpu": "1", "memory": "1Gi"})]}), "cpu 1 memory 1Gi"),
        (pod({"initContainers": [asking(limits={"cpu": 2})]}), "init limits cpu 2"),
        (
            pod({"containers": [{"image": "i", "ports": [{"hostPort": 80}]}]}),
            "image i ports [{hostPort: 80}]",
        ),
        (pod({"priority": 3, "nodeName": "n1"}, labels={"l": ""}), 'priority 3  on n1  labels {l: ""}'),
        (pod({"hostNetwork": True, "tolerations": []}), "hostNetwork true"),
        (pod(uid="u", annotations={"k": "v"}), "uid u  annotations {k: v}"),
        (pod(annotations={"refsched.dev/script": '{"ScriptedA": {}}'}), 'script {"ScriptedA": {}}'),
        ({"kind": "Node", "status": {"capacity": {"cpu": 1}}}, "cpu 1"),
        ({"kind": "Node", "spec": {"unschedulable": True}}, "unschedulable true"),
        ({"kind": "StorageClass", "metadata": {"name": "s"}, "provisioner": "p"}, "provisioner p"),
    ],
)
def test_an_object_is_what_distinguishes_it(value: Json, words: str) -> None:
    assert described(value) == words


def lines(steps: list[Step], *records: tuple[int, Record]) -> list[str]:
    seen = [Seen(step, 0.0, record) for step, record in records]
    return described_steps(History(tuple(steps)), seen, 0)[0]


def test_steps_and_what_came_of_them() -> None:
    other = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-b"}}
    steps: list[Step] = [
        *creating(other, pod(namespace="team")),
        Update(pod(priorityClassName="p")),
        Schedule(),
        Schedule(4),
        Permit("default/a", "allow", "ScriptedA"),
        Permit("default/a", "reject"),
        Release("default/a"),
        Advance(1.5),
        deleting(pod(namespace="team")),
        Observe(),
    ]
    refused = Attempt(
        "default/a",
        "unschedulable",
        filter={"node-b": NodeStatus("Unschedulable", "NodePorts", ("taken",)), "n2": NodeStatus("Success")},
        nominated_node="node-b",
        victims=("default/b",),
    )
    shown = lines(
        steps,
        (3, Attempt("default/a", "scheduled", "node-b", waiting=True)),
        (3, Bind("default/a", "node-b", "bound")),
        (4, refused),
        (4, Delete(Reference("Pod", "b", namespace="default"))),
        (5, Bind("default/a", "node-b", "error")),
        (6, Attempt("team/a", "unschedulable", pre_filter=PreFilter("Unschedulable", "NodePorts", ("no",)))),
        (7, Attempt("team/a", "unschedulable", "node-b")),
        (9, Delete(Reference("Pod", "a", namespace="team"))),
    )
    assert shown == [
        " 1  node  node-b",
        " 2  pod   team/a",
        " 3  update pod   a       priorityClassName p",
        " 4  schedule  →  a on node-b, waits",
        "              →  a is bound to node-b",
        " 5  schedule, up to 4 times  →  a: unschedulable, node-b: NodePorts (taken), makes room on node-b: b",
        "              →  b is deleted",
        " 6  allow a, by ScriptedA  →  a: not bound to node-b: error",
        " 7  reject a  →  team/a: unschedulable, NodePorts (no)",
        " 8  release a  →  team/a: unschedulable (chosen: node-b)",
        " 9  1.5 s pass",
        "10  delete pod team/a",
        "11  observe",
    ]


def test_a_schedule_without_an_attempt_had_no_pod() -> None:
    assert lines([Schedule()]) == ["1  schedule  →  no pod"]


def test_what_is_configured_otherwise_stands_first() -> None:
    profile = {"schedulerName": "default-scheduler", "percentageOfNodesToScore": 50}
    config = {**DEFAULT_CONFIG, "podMaxBackoffSeconds": 3, "profiles": [profile]}
    history = History((Schedule(), Observe()), config, {"A": False})
    assert described_steps(history, (), 1) == (
        [
            "   configuration  {podMaxBackoffSeconds: 3, profiles: [{percentageOfNodesToScore: 50}]}",
            "   feature gates  {A: false}",
            "1  schedule  →  no pod",
            "2  observe",
        ],
        3,
    )


def test_what_a_part_is_always_configured_with_is_not_said() -> None:
    config = {
        **DEFAULT_CONFIG,
        "profiles": [{"schedulerName": "default-scheduler", "plugins": {"score": {}}}],
    }
    history = History((Observe(),), config)
    assert described_steps(history, (), 0, config) == (["1  observe"], 0)
