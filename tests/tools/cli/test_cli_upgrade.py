# SPDX-License-Identifier: Apache-2.0
"""``refsched upgrade``, as it is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import cluster, lines, node, pod, refusal, run

RELEASES = ("--from", "1.19", "--to", "1.34")
GATED = pod("p", schedulingGates=[{"name": "quota"}])


def test_where_nothing_changes_the_exit_code_is_0(tmp_path: Path) -> None:
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), pod("p")), *RELEASES)
    assert (done.exit_code, lines(done)) == (0, ["1 pod: 0 placed differently by 1.34"])


def test_each_cause_has_one_paragraph_and_its_pods_on_request(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n1"), GATED)
    short, long = (run("upgrade", "-f", path, *RELEASES, *more) for more in ([], ["--pods"]))
    assert short.exit_code == 1
    assert lines(short) == [
        "1 pod: 1 placed differently by 1.34",
        "",
        "SchedulingGates: 1 pod nowhere",
        *[line for line in lines(short) if line.startswith("  by 1.34, R-GATES-01: ")],
        "  what to do: before the change, mend what 1.34 rejects (waiting for scheduling gates: [quota]): pods"
        " that run go on running, and are not placed again once they are deleted",
        "  such as default/p: n1 → nowhere (waiting for scheduling gates: [quota])",
    ]
    assert [line.split(maxsplit=2) for line in lines(long)[len(lines(short)) :]] == [
        ["POD", "BY", "1.19  BY 1.34"],
        ["default/p", "n1", "nowhere (waiting for scheduling gates: [quota])"],
    ]


def test_a_node_that_only_one_release_rejects_says_why(tmp_path: Path) -> None:
    needs = [{"name": "s", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "4"}}}]
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), pod("p", initContainers=needs)), *RELEASES)
    assert lines(done)[-1] == "  such as default/p: n1 → nowhere (NodeResourcesFit: Insufficient cpu)"


def test_kinds_that_are_missing_and_could_matter_are_warned_of(tmp_path: Path) -> None:
    labelled = GATED | {"metadata": {**GATED["metadata"], "labels": {"app": "web"}}}
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), labelled), *RELEASES)
    assert "refsched: warning: no services given, which could matter to default/p" in done.stderr


def test_a_pod_that_moves_only_because_the_search_ends_elsewhere_is_no_change(tmp_path: Path) -> None:
    path = cluster(tmp_path, *(node(f"n{number}") for number in range(120)), pod("p"))
    config = tmp_path / "config.yaml"
    config.write_text(
        "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,"
        " percentageOfNodesToScore: 100}"
    )
    same = ("--from", "1.34", "--to", "1.34")
    done = run("upgrade", "-f", path, *same, "--config-to", str(config))
    assert (done.exit_code, lines(done)) == (
        0,
        [
            "1 pod: 0 placed differently after the change",
            "",
            "1 pod besides only because the search for nodes ends at other nodes: with percentageOfNodesToScore"
            " 100 no difference is left",
        ],
    )


def test_programs_are_given_the_same(tmp_path: Path) -> None:
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), GATED), *RELEASES, "-o", "json")
    found = json.loads(done.output)
    assert (found["pods"], found["changed"], found["searchOnly"]) == (1, 1, [])
    [cause] = found["causes"]
    assert (cause["cause"], cause["confirmed"]) == ("SchedulingGates", True)
    assert cause["parts"] == [{"kind": "plugin", "plugin": "SchedulingGates"}]
    assert list(cause["rules"]["to"]) == ["R-GATES-01"]
    [changed] = cause["pods"]
    assert (changed["pod"], changed["effect"]) == ("default/p", "nowhere")
    assert (changed["from"]["nodes"], changed["to"]["nodes"]) == (["n1"], [])
    assert changed["to"]["message"] == "waiting for scheduling gates: [quota]"


@pytest.mark.parametrize(("option", "effect"), [("--gate-from", "placed"), ("--gate", "nowhere")])
def test_a_feature_gate_is_set_before_or_after(tmp_path: Path, option: str, effect: str) -> None:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    constraint |= {"labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["hash"]}
    runs, new = (
        pod(name, topologySpreadConstraints=[constraint], nodeName=at) for name, at in (("r", "a"), ("p", ""))
    )
    for each in (runs, new):
        each["metadata"]["labels"] = {"app": "web", "hash": each["metadata"]["name"]}
    zones = [
        node(zone, cpu, metadata={"name": zone, "labels": {"zone": zone}})
        for zone, cpu in (("a", "4"), ("b", "0"))
    ]
    path = cluster(tmp_path, *zones, runs, new)
    key = "MatchLabelKeysInPodTopologySpread"
    gates = (option, f"{key}=false", option, f"{key}SelectorMerge=false")
    same = ("upgrade", "-f", path, "--from", "1.37", "--to", "1.37", *gates)
    [cause] = json.loads(run(*same, "-o", "json").output)["causes"]
    assert [(each["pod"], each["effect"]) for each in cause["pods"]] == [("default/p", effect)]
    shown = lines(run(*same, "--pods"))
    assert shown[0] == "2 pods: 1 placed differently after the change"
    assert shown[-2].split() == ["POD", "BEFORE", "AFTER"]


def test_bad_input_is_refused_with_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster(tmp_path, node("n1"))
    unknown = refusal(monkeypatch, capsys, "upgrade", "-f", path, "--from", "1.2", "--to", "1.34")
    assert unknown.startswith("--from: ")
    gate = refusal(monkeypatch, capsys, "upgrade", "-f", path, *RELEASES, "--gate-from", "No=true")
    assert gate.startswith("--gate-from: No: is not a feature gate that changes scheduling in v1.19")
    problem = refusal(monkeypatch, capsys, "upgrade", "-f", "-", *RELEASES)
    assert problem == "standard input: is read more than once; give a file"
