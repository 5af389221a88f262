# SPDX-License-Identifier: Apache-2.0
"""``refsched what-if``, as it is called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from commands import CONFIG, cluster, lines, node, pod, refusal, run

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
SEEDS = ("--seeds", "3")
GATED = pod("p", schedulingGates=[{"name": "quota"}])


def on(name: str, node: str, **more: Any) -> dict[str, Any]:
    """A pod that runs, and has a controller."""
    runs = pod(name, nodeName=node, **more)
    runs["metadata"]["ownerReferences"] = [owner("Job")]
    return runs


def owner(kind: str) -> dict[str, Any]:
    return {"apiVersion": "x/v1", "kind": kind, "name": "web", "uid": "u", "controller": True}


def checked(text: str) -> dict[str, Any]:
    """Returns what was printed as JSON, which keeps the schema that docs/schemas has."""
    value: dict[str, Any] = json.loads(text)
    schema = json.loads((SCHEMAS / "what_if.json").read_text("utf-8"))
    schema["properties"]["upgrade"] = {}
    jsonschema_rs.validator_for(schema).validate(value)
    if "upgrade" in value:
        other = json.loads((SCHEMAS / "upgrade.json").read_text("utf-8"))
        jsonschema_rs.validator_for({k: v for k, v in other.items() if k != "$id"}).validate(value["upgrade"])
    return value


def test_a_drained_node_moves_its_pods(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), node("n2"), on("r", "n1"))
    done = run("what-if", "-f", path, "--drain", "n1", *SEEDS)
    assert done.exit_code == 1
    assert lines(done) == [
        "what if --drain n1: 3 seeds",
        "Each pod finds a place as often as before.",
        "PODS              BEFORE  AFTER",
        "placed always          1      1",
        "placed sometimes       0      0",
        "placed never           0      0",
        "",
        "1 pod changed under every seed",
        "  POD        BEFORE  AFTER  WHY",
        "  default/r  n1      n2     NodeUnschedulable rejects n1: node(s) were unschedulable (R-CORDON-01)",
    ]


def test_the_first_sentence_names_pods_that_lose_or_gain_a_place(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), on("r", "n1"), pod("p", cpu="4"))
    lost = run("what-if", "-f", path, "--drain", "n1", *SEEDS)
    assert lines(lost)[1] == "default/r finds a place less often than before."
    gained = run("what-if", "-f", path, "--add-node", "like:n1", *SEEDS)
    assert lines(gained)[1] == "default/p finds a place more often than before."


@pytest.mark.parametrize(
    ("cpu", "count", "said"),
    [
        ("1", 1, "The new pod finds a place under every seed."),
        ("1", 3, "The 3 new pods find a place under every seed."),
        ("1", 6, "3 of the 6 new pods find a place under every seed."),
        ("3", 2, "1 of the 2 new pods finds a place under every seed."),
        ("9", 2, "None of the 2 new pods finds a place."),
        ("9", 1, "The new pod finds no place."),
    ],
)
def test_the_first_sentence_says_how_many_new_pods_find_a_place(
    tmp_path: Path, cpu: str, count: int, said: str
) -> None:
    path = cluster(tmp_path, node("n1"), on("r", "n1"))
    (tmp_path / "more").mkdir()
    more = cluster(tmp_path / "more", pod("new", cpu=cpu))
    printed = lines(run("what-if", "-f", path, "--add-pod", f"{more}:{count}", *SEEDS))
    assert printed[1] == f"{said} Each other pod finds a place as often as before."
    waits = [line for line in printed if "nowhere" in line]
    assert all("NodeResourcesFit: Insufficient cpu" in line for line in waits)
    assert bool(waits) == (said.split()[1] not in ("new", "3") or "no place" in said)


def test_new_pods_may_find_a_place_by_luck(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"))
    (tmp_path / "more").mkdir()
    more = cluster(tmp_path / "more", *(pod(f"p{number}", cpu=cpu) for number, cpu in enumerate("4112")))
    printed = lines(run("what-if", "-f", path, "--add-pod", more, "--seeds", "9"))
    assert printed[1].startswith("Depending on the seed, from 1 to 3 of the 4 new pods find a place.")
    large = node("n1", metadata={"name": "n1", "labels": {"disk": "ssd"}})
    path = cluster(tmp_path, large, node("n2"), pod("p"))
    new = cluster(tmp_path / "more", pod("q", cpu="4", nodeSelector={"disk": "ssd"}))
    printed = lines(run("what-if", "-f", path, "--add-pod", new, "--seeds", "9"))
    assert printed[1].startswith(
        "The new pod finds a place under some seeds only. Each other pod finds a place as"
    )


def test_a_pod_without_a_controller_is_warned_of(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), node("n2"), pod("a", nodeName="n1"), pod("b", nodeName="n1"))
    said = run("what-if", "-f", path, "--drain", "n1", *SEEDS).output
    assert "default/a, default/b have no controller, so that nothing creates them anew" in said
    assert "have no controller" not in run("what-if", "-f", path, "--cordon", "n1", *SEEDS).output


def test_where_no_pod_goes_elsewhere_the_exit_code_is_0(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), node("n2"), pod("p"))
    done = run("what-if", "-f", path, "--add-node", "like:n1:2", *SEEDS, "-o", "json")
    value = checked(done.output)
    assert (done.exit_code, value["certain"]) == (0, [])
    assert value["usedInPercent"]["after"].keys() == {"n1", "n2", "n1-1", "n1-2"}


def test_pods_and_nodes_are_added_from_files_and_controllers_are_scaled(tmp_path: Path) -> None:
    managed = on("w", "n1")
    managed["metadata"]["ownerReferences"] = [owner("ReplicaSet")]
    path = cluster(tmp_path, node("n1", cpu="4"), managed)
    (tmp_path / "more").mkdir()
    more = cluster(tmp_path / "more", pod("extra"))
    (tmp_path / "node").mkdir()
    other = cluster(tmp_path / "node", node("n9"))
    done = run(
        "what-if",
        "-f",
        path,
        "--add-pod",
        f"{more}:2",
        "--add-node",
        other,
        "--scale",
        "ReplicaSet/web=2",
        *SEEDS,
        "-o",
        "json",
    )
    value = checked(done.output)
    assert [each["pod"] for each in value["certain"]] == ["default/extra", "default/extra-1", "default/w-1"]
    assert value["certain"][0]["before"] == [None, None, None]
    assert value["usedInPercent"]["after"].keys() == {"n1", "n9"}
    wrong = run("what-if", "-f", path, "--add-pod", other, *SEEDS)
    assert "there is no pod in it; give a Pod, or a Deployment," in str(wrong.exception)


def test_another_release_says_its_causes_too(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), GATED)
    done = run("what-if", "-f", path, "--from", "1.19", "--kubernetes", "1.34", *SEEDS)
    assert "  default/p  n1      nowhere  waiting for scheduling gates: [quota]" in lines(done)
    assert "SchedulingGates: 1 pod nowhere" in lines(done)
    value = checked(
        run("what-if", "-f", path, "--from", "1.19", "--kubernetes", "1.34", *SEEDS, "-o", "json").stdout
    )
    assert value["upgrade"]["changed"] == 1


def test_a_configuration_and_a_gate_are_changed_in_the_scheduler_alone(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    profile = {"schedulerName": "default-scheduler", "plugins": {"filter": {"disabled": [{"name": "*"}]}}}
    config.write_text(json.dumps({**CONFIG, "profiles": [profile]}))
    path = cluster(tmp_path, node("n1"), pod("p", nodeSelector={"zone": "a"}))
    gates = (
        "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false,"
        "PodLevelResourcesFixDefaulting=false,PodLevelResourcesFixKubeletQOSClass=false"
    )
    options = ("--config", str(config), "--gate", gates)
    done = run("what-if", "-f", path, *options, *SEEDS, "-o", "json")
    value = checked(done.stdout)
    assert value["changed"] == f"--config {config} --gate {gates}"
    [changed] = value["certain"]
    assert (changed["before"], changed["after"]) == ([""] * 3, ["n1"] * 3)
    on_again = gates.replace("false", "true")
    back = run("what-if", "-f", path, "--gate-from", gates, "--gate", on_again, *SEEDS, "-o", "json")
    assert checked(back.stdout)["changed"] == f"--gate {on_again}"
    as_now = run("what-if", "-f", path, "--gate-from", gates)
    assert "nothing is changed" in str(as_now.exception)


def test_the_page_has_a_map_of_the_nodes_and_needs_no_other_file(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), node("n2"), on("r", "n1"), node("<b>"))
    done = run("what-if", "-f", path, "--delete-node", "n1", *SEEDS, "-o", "html")
    assert done.output.startswith("<!doctype html>")
    assert 'title="n1: not there"' in done.output
    assert done.output.count('<span style="background: hsl(') == 5
    assert "&lt;b&gt;" in done.output
    assert "<b>" not in done.output
    assert "http" not in done.output


def test_the_page_names_causes_and_victims(tmp_path: Path) -> None:
    path = cluster(
        tmp_path,
        node("n1", cpu="1"),
        node("n2", cpu="1"),
        on("low", "n2", priority=1),
        on("high", "n1", priority=9),
    )
    options = ("--from", "1.19", "--kubernetes", "1.34", "--delete-node", "n1")
    done = run("what-if", "-f", path, *options, *SEEDS, "-o", "html")
    assert "<h2>Victims</h2>" in done.output
    text = run("what-if", "-f", path, *options, *SEEDS).output
    assert "1 victim: 1 may find no place again" in text
    gated = run(
        "what-if",
        "-f",
        cluster(tmp_path, node("n1"), GATED),
        "--from",
        "1.19",
        "--kubernetes",
        "1.34",
        *SEEDS,
        "-o",
        "html",
    )
    assert "<h2>SchedulingGates: 1 pods</h2>" in gated.output


def test_twenty_pods_are_listed_and_all_on_request(tmp_path: Path) -> None:
    values = [on(f"r{number}", "n1") for number in range(22)]
    for value in values:
        value["spec"]["containers"][0]["resources"] = {}
    nodes = [node("n1"), node("n2")]
    for value in nodes:
        value["status"]["allocatable"]["pods"] = "50"
    path = cluster(tmp_path, *nodes, *values)
    short, long = (run("what-if", "-f", path, "--drain", "n1", *SEEDS, *more) for more in ([], ["--pods"]))
    assert lines(short)[-1] == "  and 2 more (--pods lists all)"
    assert sum(line.startswith("  default/r") for line in lines(long)) == 22


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "what-if: nothing is changed; give one of the options that change something"),
        (("--drain", "n2"), "--drain: n2: there is no such node"),
        (
            ("--add-node", "like:n1:0"),
            "--add-node: like:n1:0: expected a COUNT from 1 after the colon, found '0'",
        ),
        (
            ("--add-pod", "p.yaml:x"),
            "--add-pod: p.yaml:x: expected a COUNT from 1 after the colon, found 'x'",
        ),
        (("--scale", "web"), "--scale: expected KIND/NAME=COUNT, found 'web'"),
    ],
)
def test_bad_input_is_refused_with_the_option(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    problem: str,
) -> None:
    path = cluster(tmp_path, node("n1"))
    assert refusal(monkeypatch, capsys, "what-if", "-f", path, *options) == problem


def test_standard_input_cannot_be_read_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = refusal(monkeypatch, capsys, "what-if", "-f", "-", "--cordon", "n1")
    assert problem == "standard input: is read more than once; give a file"
