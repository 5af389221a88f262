# SPDX-License-Identifier: Apache-2.0
"""``refsched capacity``, as it is called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from commands import cluster, lines, node, pod, refusal, run

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/schemas/capacity.json").read_text("utf-8"))
APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "db"}}}
        ]
    }
}


def manifest(folder: Path, value: dict[str, Any]) -> str:
    path = folder / "pod.json"
    path.write_text(json.dumps(value))
    return str(path)


def test_how_many_fit_where_and_what_stops_the_next(tmp_path: Path) -> None:
    path = cluster(
        tmp_path, node("n2", cpu="2"), node("n10", cpu="1"), node("off", spec={"unschedulable": True})
    )
    done = run("capacity", "-f", path, "--pod", manifest(tmp_path, pod("web")))
    assert done.exit_code == 0
    assert lines(done) == [
        "3 more pods like default/web fit on 2 nodes",
        "What stops the next one: It asks for 1 cpu, and the most that is free on any of the 2 nodes that are not"
        " cordoned is 0.",
        "",
        "NODE  PODS",
        "n2       2",
        "n10      1",
        "",
        "REJECTED BY        REASON                      ON",
        "NodeResourcesFit   Insufficient cpu            2 nodes: n10, n2",
        "NodeUnschedulable  node(s) were unschedulable  1 node: off",
    ]


def test_programs_get_it_as_json(tmp_path: Path) -> None:
    zoned = [node(name) for name in ("n1", "n2")]
    for each in zoned:
        each["metadata"]["labels"] = {"kubernetes.io/hostname": each["metadata"]["name"]}
    database = pod("db", affinity=APART)
    database["metadata"]["labels"] = {"app": "db"}
    path = cluster(tmp_path, *zoned, database)
    value = json.loads(run("capacity", "-f", path, "--pod", "db", "-o", "json").stdout)
    jsonschema_rs.validator_for(SCHEMA).validate(value)
    assert (value["fit"], value["nodes"]) == (2, {"n1": 1, "n2": 1})
    assert value["headline"].startswith(
        "Its anti-affinity keeps it from default/db-1 and default/db-2 on every"
    )
    assert value["stoppedBy"][0]["nodes"] == ["n1", "n2"]
    assert value["message"].endswith("match pod anti-affinity rules.")
    database["spec"]["preemptionPolicy"] = "Never"
    path = cluster(tmp_path, *zoned, database)
    value = json.loads(run("capacity", "-f", path, "--pod", "db", "-o", "json").stdout)
    assert value["message"].endswith("preemption: not eligible due to preemptionPolicy=Never.")


def test_none_fits_or_not_all_are_counted(tmp_path: Path) -> None:
    path = cluster(tmp_path, *(node(f"n{number}") for number in range(30)), pod("large", cpu="9"), pod("a"))
    done = run("capacity", "-f", path, "--pod", "large")
    assert done.exit_code == 1
    assert lines(done)[0] == "0 more pods like default/large fit"
    counted = lines(run("capacity", "-f", path, "--pod", "default/a", "--at-most", "25"))
    assert counted[0] == "at least 25 more pods like default/a fit on 25 nodes"
    assert counted[-1] == "and 5 more nodes (-o json lists all)"
    gated = cluster(tmp_path, node("n"), pod("a", schedulingGates=[{"name": "g"}]), name="gated.json")
    assert "it has the scheduling gate g" in run("capacity", "-f", gated, "--pod", "a").output.lower()


def test_a_file_that_does_not_exist_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster(tmp_path, node("n1"))
    assert refusal(monkeypatch, capsys, "capacity", "-f", path, "--pod", "web.yaml") == (
        "web.yaml: No such file or directory"
    )


def test_a_file_without_one_pod_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster(tmp_path, node("n"))
    wrong = manifest(tmp_path, node("m"))
    said = refusal(monkeypatch, capsys, "capacity", "-f", path, "--pod", wrong)
    assert said == (
        f"{wrong}: there is no pod in it; give a Pod, or a Deployment, ReplicaSet, ReplicationController,"
        " StatefulSet, Job or CronJob with a pod template"
    )
    two = cluster(tmp_path, pod("a"), pod("b"), name="two.json")
    said = refusal(monkeypatch, capsys, "capacity", "-f", path, "--pod", two)
    assert said == f"{two}: expected one pod, found 2"
    said = refusal(monkeypatch, capsys, "capacity", "-f", path, "--pod", "no/such")
    assert said == "no/such: there is no pod in the input"


def test_a_pod_may_be_given_by_its_template_and_by_the_beginning_of_its_name(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n"))
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", cpu="2")["spec"]}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
    }
    deployment["spec"] = {"template": template}
    first = lines(run("capacity", "-f", path, "--pod", manifest(tmp_path, deployment)))[0]
    assert first == "2 more pods like shop/web fit on 1 node"
    job = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"}}
    job["spec"] = {"jobTemplate": {"spec": {"template": template}}}
    first = lines(run("capacity", "-f", path, "--pod", manifest(tmp_path, job)))[0]
    assert first == "2 more pods like default/nightly fit on 1 node"
    generated = pod("x") | {"metadata": {"generateName": "api-"}}
    first = lines(run("capacity", "-f", path, "--pod", manifest(tmp_path, generated)))[0]
    assert first == "4 more pods like default/api fit on 1 node"


def test_each_pod_of_a_stateful_set_has_its_claims(tmp_path: Path) -> None:
    disk = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "d"},
        "provisioner": "x",
    }
    path = cluster(tmp_path, node("n"), disk)
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    stateful = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}}
    templates = [{"metadata": {"name": "data"}, "spec": {**claim, "storageClassName": "d"}}]
    stateful["spec"] = {"template": {"spec": pod("x", cpu="2")["spec"]}, "volumeClaimTemplates": templates}
    printed = run("capacity", "-f", path, "--pod", manifest(tmp_path, stateful)).output
    assert "2 more pods like default/db fit on 1 node" in printed
    templates[0]["spec"]["storageClassName"] = "other"  # type: ignore[index]
    printed = run("capacity", "-f", path, "--pod", manifest(tmp_path, stateful)).output
    assert "0 more pods like default/db fit" in printed
