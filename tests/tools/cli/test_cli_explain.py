# SPDX-License-Identifier: Apache-2.0
"""``refsched explain``: one pod's decision, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from commands import CONFIG, cluster, lines, node, pod, refusal, run
from device_world import claim, device, device_class, every, piece

from refsched.tools.planner.amounts import amounts

TAINTED = {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]}


def _explained(
    folder: Path,
    *values: dict[str, Any],
    name: str = "a",
    exit_code: int = 0,
    options: Sequence[str] = (),
) -> list[str]:
    done = run("explain", "-f", cluster(folder, *values), name, *options)
    assert done.exit_code == exit_code, done.output
    return list(lines(done))


def test_the_whole_decision_at_a_glance(tmp_path: Path) -> None:
    nominated = {"phase": "Pending", "nominatedNodeName": "full"}
    printed = _explained(
        tmp_path,
        node("best"),
        node("second", spec=TAINTED),
        node("full", cpu="2"),
        node("cordoned", spec={"unschedulable": True}),
        pod("job-1", cpu="1500m", status=nominated),
        pod("a"),
    )
    why = "Insufficient cpu  (asks 1, free 0.5: with default/job-1, nominated here, counted)"
    assert printed == [
        "default/a   priority 0   → best   (highest total: 454)",
        "",
        "NODE    VERDICT     taint×3  fit×1  volume×1  devices×2  balanced×1  image×1  TOTAL",
        "best    ✓ chosen  0→100→300     86         0          0          68        0    454",
        "second  ✓             1→0→0     86         0          0          68        0    154",
        "scores: as the plugin gave it → normalized → by its weight; one number where it stays the same",
        "",
        f"NODE      REJECTED BY          {'WHY':{len(why)}}  PREEMPTION",
        f"cordoned  ✗ NodeUnschedulable  {'node(s) were unschedulable':{len(why)}}  would not help",
        f"full      ✗ NodeResourcesFit   {why}  would not help",
    ]


def test_equals_are_counted(tmp_path: Path) -> None:
    printed = _explained(tmp_path, node("n1"), node("n2"), pod("a"))
    assert printed[0].endswith("(1 of 2 equals at 454)")


def test_where_nothing_scores_one_feasible_node_is_enough(tmp_path: Path) -> None:
    config = tmp_path / "sched.yaml"
    off = {"disabled": [{"name": "*"}]}
    config.write_text(yaml.safe_dump({**CONFIG, "profiles": [{"plugins": {"score": off, "preScore": off}}]}))
    path = cluster(tmp_path, node("n1"), node("n2"), pod("a"))
    printed = lines(run("explain", "-f", path, "--config", str(config), "a"))
    assert printed[0].endswith("(one feasible node, so none is scored)")
    assert printed[-1].endswith("✓ one more than enough")


def test_a_pod_that_fits_nowhere_is_exit_code_1_and_its_victims_are_named(tmp_path: Path) -> None:
    old, new = pod("old", cpu="4", nodeName="n"), pod("a", priority=7)
    assert _explained(tmp_path, node("n"), old, new, exit_code=1, options=["--nodes"]) == [
        "default/a   priority 7   ✗ unschedulable on 1 node",
        "It asks for 1 cpu, and the most that is free on n, the only node, is 0.",
        "preemption: default/old would have to leave n",
        "",
        "REJECTED BY       WHY                                           NODES",
        "NodeResourcesFit  asks 1 cpu, at most 0 free (n), 1 too little      1",
        "",
        "WHAT WOULD HELP (EACH TRIED)     IT WOULD GO TO",
        "delete or move default/old on n  n",
        "add a node like n                n-1",
        "",
        "It is nominated to n: it counts there for pods of equal or lower priority, and one of higher priority may"
        " still take its place.",
        "Requeued after a backoff of 1 s by an event, and without one after 300 s:",
        "  EVENT                           SINCE IT WAS REJECTED BY",
        "  Pod Delete+UpdatePodScaleDown   NodeResourcesFit",
        "  Node Add+UpdateNodeAllocatable  NodeResourcesFit",
        "  DeviceClass Add+Update          NodeResourcesFit",
        "",
        "NODE  REJECTED BY         WHY                                 PREEMPTION",
        "n     ✗ NodeResourcesFit  Insufficient cpu  (asks 1, free 0)  would help",
    ]


def test_more_than_one_resource_is_reported_by_name(tmp_path: Path) -> None:
    requests = {"cpu": "5", "memory": "9Gi"}
    large = pod("a", containers=[{"name": "c", "image": "i", "resources": {"requests": requests}}])
    assert (
        "(cpu asks 5, free 4; memory asks 9Gi, free 8Gi)"
        in _explained(tmp_path, node("n"), large, exit_code=1, options=["--nodes"])[-1]
    )


def test_who_refuses_a_pod_as_such_is_reported(tmp_path: Path) -> None:
    printed = _explained(tmp_path, node("n"), pod("a", schedulingGates=[{"name": "g"}]), exit_code=1)
    assert printed[1:3] == [
        "It has the scheduling gate g, and is not tried until it is removed.",
        "✗ SchedulingGates: waiting for scheduling gates: [g]",
    ]
    assert printed[-1] == "remove the scheduling gate g  n"
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}
    printed = _explained(tmp_path, node("n"), pod("a", volumes=[claim]), exit_code=1)
    assert printed[2:4] == [
        "Its PersistentVolumeClaim gone does not exist.",
        '✗ VolumeRestrictions: persistentvolumeclaim "gone" not found',
    ]


def test_a_pod_that_runs_and_one_that_is_nominated_are_reported_as_such(tmp_path: Path) -> None:
    running = pod("a", nodeName="n", status={"phase": "Running"})
    assert _explained(tmp_path, node("n"), running)[:2] == [
        "default/a   priority 0   → n   (one feasible node, so none is scored)",
        "it runs on n, and is decided as if it were yet to be placed",
    ]
    nominated = pod("a", status={"phase": "Pending", "nominatedNodeName": "n"})
    printed = _explained(tmp_path, node("m"), node("n"), nominated)
    assert printed[-1] == "not looked at, since the search ended before: m"


def test_a_feasible_node_names_the_pods_nominated_to_it(tmp_path: Path) -> None:
    nominated = pod("b", status={"phase": "Pending", "nominatedNodeName": "n"})
    printed = _explained(tmp_path, node("n"), nominated, pod("a"))
    assert printed[-1] == "n     ✓ chosen (with default/b, nominated here, counted)"


def test_one_node_more_than_enough_is_reported(tmp_path: Path) -> None:
    nodes = [node(f"n{i}") for i in range(101)]
    printed = _explained(tmp_path, *nodes, pod("a"), options=["--nodes"])
    assert any("✓ one more than enough" in line for line in printed)


def test_of_many_nodes_the_first_are_listed_and_the_others_summed_up(tmp_path: Path) -> None:
    full = [node(f"full-{i}", cpu="1m") for i in range(30)]
    printed = _explained(tmp_path, *(node(f"n{i}") for i in range(30)), *full, pod("a"))
    assert len(printed) < 30
    assert "and 18 more feasible nodes (--nodes lists all)" in printed
    assert printed[-1].split() == ["✗", "NodeResourcesFit", "Insufficient", "cpu", "30"]


def test_the_nodes_are_listed_in_natural_order_or_those_of_one_name(tmp_path: Path) -> None:
    values = [*(node(f"n{i}", cpu="1m") for i in (10, 2, 1)), node("other", cpu="1m"), pod("a")]
    listed = [
        line.split()[0] for line in _explained(tmp_path, *values, exit_code=1, options=["--nodes"])[-4:]
    ]
    assert listed == ["n1", "n2", "n10", "other"]
    printed = _explained(tmp_path, *values, exit_code=1, options=["--node", "n?"])
    assert [line.split()[0] for line in printed[-3:]] == ["NODE", "n1", "n2"]


def test_programs_get_everything(tmp_path: Path) -> None:
    nominated = {"phase": "Pending", "nominatedNodeName": "full"}
    path = cluster(
        tmp_path, node("n1"), node("n2"), node("full", cpu="1"), pod("b", status=nominated), pod("a")
    )
    as_json, as_yaml = (run("explain", "-f", path, "-o", form, "default/a") for form in ("json", "yaml"))
    value = checked(as_json.output)
    assert yaml.safe_load(as_yaml.output) == value
    assert (value["result"], value["equals"], value["weights"]["TaintToleration"]) == ("scheduled", 2, 3)
    chosen, other, full = value["nodes"]
    assert {chosen["node"], other["node"]} == {"n1", "n2"}
    assert chosen["scores"]["TaintToleration"] == {"raw": 0, "normalized": 100, "weighted": 300}
    assert full == {
        "node": "full",
        "verdict": "refused",
        "plugin": "NodeResourcesFit",
        "reasons": ["Insufficient cpu"],
        "curableByPreemption": False,
        "details": [],
        "lacks": [{"resource": "cpu", "asks": 1000, "free": 0, "allocatable": 1000}],
        "nominatedPodsCounted": ["default/b"],
    }


def checked(text: str) -> Any:
    """Returns what was printed as JSON, which keeps the schema that docs/schemas has."""
    schema = json.loads((Path(__file__).parents[3] / "docs/schemas/explain.json").read_text("utf-8"))
    value = json.loads(text)
    jsonschema_rs.validator_for(schema).validate(value)
    return value


def test_programs_get_the_answer_too(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), node("n2", spec={"unschedulable": True}), pod("a", cpu="5"))
    value = checked(run("explain", "-f", path, "-o", "json", "a").output)
    assert value["headline"] == "It asks for 5 cpu, and the largest node, n1, has 4 allocatable."
    assert value["reasons"] == [
        {
            "plugin": "NodeResourcesFit",
            "says": "Insufficient cpu",
            "because": "asks 5 cpu, at most 4 free (n1), 1 too little",
            "nodes": ["n1"],
        },
        {
            "plugin": "NodeUnschedulable",
            "says": "node(s) were unschedulable",
            "because": "cordoned (spec.unschedulable)",
            "nodes": ["n2"],
        },
    ]
    change = "request at most 4 cpu (it asks for 5)"
    waits = value["waiting"]
    assert (waits["backoffSeconds"], waits["atLatestSeconds"]) == (1, 300)
    assert [(each["plugin"], each["event"]) for each in waits["requeuedBy"]] == [
        ("NodeResourcesFit", "Pod Delete+UpdatePodScaleDown"),
        ("NodeResourcesFit", "Node Add+UpdateNodeAllocatable"),
        ("NodeResourcesFit", "DeviceClass Add+Update"),
        ("NodeUnschedulable", "Node Add+UpdateNodeTaint"),
        ("NodeUnschedulable", "Pod UpdatePodToleration"),
    ]
    no_eviction = {"because": "no eviction helps against what rejects it", "rule": "R-PREEMPT-03"}
    assert waits["notPreempting"] == [{**no_eviction, "nodes": ["n1", "n2"]}]
    assert value["wouldHelp"] == [{"kind": "request", "change": change, "nodes": ["n1"]}]


def test_json_names_who_refused_the_pod(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n"), pod("a", schedulingGates=[{"name": "g"}]))
    value = checked(run("explain", "-f", path, "-o", "json", "a").output)
    assert value["refused"] == {
        "plugin": "SchedulingGates",
        "code": "UnschedulableAndUnresolvable",
        "reasons": ["waiting for scheduling gates: [g]"],
    }


# --- Which pod ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("default/web-11", "default/web-11: there is no such pod; did you mean default/web-1?"),
        ("shop/db", "shop/db: there is no such pod; did you mean default/db?"),
        ("zzzzzzzzzz/qqqqqqqqqqq", "zzzzzzzzzz/qqqqqqqqqqq: there is no such pod; there are 4 pods"),
        ("done", "Pod default/done: has finished (Succeeded): it needs no node"),
        ("other", "Pod default/other: left to the scheduler volcano: there is nothing to explain"),
    ],
)
def test_a_pod_that_cannot_be_explained_is_refused_with_near_names(
    name: str,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pods = [
        pod("web-1"),
        pod("db"),
        pod("done", status={"phase": "Succeeded"}),
        pod("other", schedulerName="volcano"),
    ]
    assert refusal(monkeypatch, capsys, "explain", "-f", cluster(tmp_path, *pods), name) == problem


def test_a_name_alone_is_enough_where_there_is_one_such_pod(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pods = [pod("web"), pod("db"), pod("db")]
    for namespace, each in zip(("shop", "shop", "test"), pods, strict=True):
        each["metadata"]["namespace"] = namespace
    path = cluster(tmp_path, node("n"), *pods)
    assert lines(run("explain", "-f", path, "web"))[0].startswith("shop/web ")
    assert lines(run("explain", "-f", path, "-n", "test", "db"))[0].startswith("test/db ")
    printed = refusal(monkeypatch, capsys, "explain", "-f", path, "db")
    assert printed == "db: is in more than one namespace: shop/db, test/db"


def test_a_cluster_without_pods_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = refusal(monkeypatch, capsys, "explain", "-f", cluster(tmp_path, node("n")), "x/a")
    assert printed == "x/a: there is no pod in the input"


# --- Amounts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("resource", "values", "printed"),
    [
        ("cpu", (1500, -250), ("1.5", "-0.25")),
        ("memory", (3 << 29, 1 << 41), ("1.5Gi", "2Ti")),
        ("memory", ((1 << 30) + 1, 1 << 30), (str((1 << 30) + 1), str(1 << 30))),
        ("ephemeral-storage", (1000, 2048), ("1000", "2Ki")),
        ("example.com/gpu", (2, 12000), ("2", "12,000")),
    ],
)
def test_amounts_are_reported_as_people_write_them(
    resource: str, values: tuple[int, ...], printed: tuple[str, ...]
) -> None:
    assert amounts(resource, *values) == printed


def test_a_known_defect_that_was_met_is_reported(tmp_path: Path) -> None:
    incomplete = piece("s", device("d"), node="n1", resourceSliceCount=2)
    asking = pod("a", resourceClaims=[{"name": "g", "resourceClaimName": "c"}])
    values = [node("n1"), node("n2"), incomplete, device_class(), claim("c", every()), asking]

    printed = _explained(tmp_path, *values, exit_code=1)

    [known] = [line for line in printed if line.startswith("known defect")]
    assert known == "known defect of kube-scheduler (kubernetes #141829), met on n1:"
    assert "by the rule (R-DRA-44) it rules out that node alone" in printed[printed.index(known) + 2]
    value = json.loads(run("explain", "-f", str(tmp_path / "cluster.json"), "-o", "json", "a").output)
    assert [[each["id"] for each in one.get("knownDefects", [])] for one in value["nodes"]] == [
        ["all-of-a-broken-pool"],
        [],
    ]


def test_where_a_term_reaches_a_namespace_that_it_excludes_is_reported(tmp_path: Path) -> None:
    zoned = node("n1")
    zoned["metadata"]["labels"] = {"zone": "a"}
    other = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other", "labels": {"team": "x"}}}
    there = pod("b", nodeName="n1")
    there["metadata"]["namespace"] = "other"
    without_team = {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}
    term = {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": without_team}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}

    values = [zoned, node("n2"), other, there, pod("a", affinity=affinity)]
    printed = _explained(tmp_path, *values, options=["--kubernetes", "1.34"])

    assert "known defect of kube-scheduler (kubernetes #141526), met on n1:" in printed


def test_the_last_attempt_of_a_trace_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "failure.jsonl"
    header = {"trace": "refsched.trace/v1", "scheduler": {"name": "mine", "version": "1"}, "config": CONFIG}
    attempt = {"attempt": {"pod": "default/a", "result": "scheduled", "node": "n"}}
    records = ({"create": node("n", cpu="1")}, {"create": pod("a", cpu="2")}, attempt)
    written = (header, *({"at": 0, **one} for one in records))
    path.write_text("".join(json.dumps(line) + "\n" for line in written))
    done = run("explain", "-f", str(path), "a")
    assert done.exit_code == 1
    assert "It asks for 2 cpu, and the only node, n, has 1 allocatable." in done.output
    for options, why in (
        (("--config", "c.yaml"), "--config: cannot be given with a trace, which has its own"),
        (("--kubernetes", "1.19"), "--kubernetes: cannot be given with a trace, which has its own"),
        (("-f", "b.yaml"), f"{path}: a trace is explained alone: give one file"),
    ):
        assert refusal(monkeypatch, capsys, "explain", "-f", str(path), *options, "a") == why


def test_a_scenario_is_no_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = {"metadata": {"name": "s", "labels": {"refsched.dev/scenario": "steps"}}, "data": {"steps": "[]"}}
    path = cluster(tmp_path, node("n"), pod("a"), {"apiVersion": "v1", "kind": "ConfigMap", **steps})
    said = refusal(monkeypatch, capsys, "explain", "-f", path, "a")
    assert "is a scenario, which has steps: `refsched record --scenario FILE" in said
