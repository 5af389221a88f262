# SPDX-License-Identifier: Apache-2.0
"""``refsched schedule``: tables for people, values for programs, exit codes, and bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
import yaml
from commands import CONFIG, cluster, lines, node, pod, refusal, run

from refsched import Cluster
from refsched.errors import InputError
from refsched.objects.kinds import KINDS
from refsched.reading.memory import LIMIT
from refsched.tools.cli.inputs import parse_gates
from refsched.tools.cli.options import DUMPED, KUBECTL
from refsched.tools.planner.absent_kinds import plural

DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}


def test_all_placed_is_exit_code_0(tmp_path: Path) -> None:
    done = run("schedule", "-f", cluster(tmp_path, node("n"), pod("a")))
    assert done.exit_code == 0
    assert lines(done) == [
        "1 pending pod: 1 placed, 0 not",
        "",
        "POD        PRIORITY  NODE",
        "default/a         0  → n",
    ]


def test_one_not_placed_is_exit_code_1_and_all_else_is_reported(tmp_path: Path) -> None:
    done = run(
        "schedule",
        "-f",
        cluster(
            tmp_path,
            node("n", cpu="2"),
            pod("old", cpu="2", nodeName="n"),
            pod("new", priority=7),
            pod("other", schedulerName="volcano"),
            pod("done", status={"phase": "Failed"}, nodeName="n"),
            pod("held", schedulingGates=[{"name": "g"}]),
            DEPLOYMENT,
        ),
    )
    assert done.exit_code == 1
    assert lines(done) == [
        "2 pending pods: 1 placed, 1 not",
        "",
        "POD          PRIORITY  NODE",
        "default/new         7  → n",
        "",
        "✗ default/held  priority 0  gated",
        "  It has the scheduling gate g, and is not tried until it is removed.",
        "  PLUGIN           REASON                             ON",
        "  SchedulingGates  waiting for scheduling gates: [g]",
        "",
        "PREEMPTED    LEFT  FOR",
        "default/old  n     default/new",
        "",
        "passed over: default/other (left to the scheduler volcano)",
        "passed over: 1 finished pod",
        "not read, since scheduling does not depend on it: apps/v1 Deployment (1)",
    ]


def test_a_cluster_without_pending_pods_is_done(tmp_path: Path) -> None:
    done = run("schedule", "-f", cluster(tmp_path, node("n")))
    assert (done.exit_code, lines(done)) == (0, ["0 pending pods: 0 placed, 0 not"])


def test_many_nodes_of_one_reason_are_counted(tmp_path: Path) -> None:
    nodes = [node(f"n{i}", cpu="1") for i in range(7)]
    done = run("schedule", "-f", cluster(tmp_path, *nodes, pod("a", cpu="2")))
    assert lines(done)[-1].endswith("Insufficient cpu  7 nodes: n0, n1, n2, n3, n4 and 2 more")


def test_programs_get_the_same_as_json_and_as_yaml(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n"), pod("a"), pod("large", cpu="9"), DEPLOYMENT)
    as_json, as_yaml = (run("schedule", "-f", path, "-o", form) for form in ("json", "yaml"))
    assert (as_json.exit_code, as_yaml.exit_code) == (1, 1)
    value: Any = json.loads(as_json.output)
    assert yaml.safe_load(as_yaml.output) == value
    placed, left = value.pop("pods")
    assert placed == {"pod": "default/a", "priority": 0, "result": "placed", "node": "n", "attempts": 1}
    assert left["result"] == "unschedulable"
    assert left["message"].startswith("0/1 nodes are available: 1 Insufficient cpu. ")
    assert left["refusals"] == [{"plugin": "NodeResourcesFit", "reason": "Insufficient cpu", "nodes": ["n"]}]
    assert value == {
        "preempted": [],
        "volumes": [],
        "passedOver": {},
        "finished": 0,
        "ignored": {"apps/v1 Deployment": 1},
        "inOpenOrder": 1,
        "pending": 2,
        "placed": 1,
    }


def test_a_seed_gives_the_same_again_and_another_may_not(tmp_path: Path) -> None:
    path = cluster(tmp_path, *(node(f"n{i}") for i in range(5)), *(pod(f"p{i}") for i in range(9)))
    printed = [run("schedule", "-f", path, "--seed", seed).output for seed in "001"]
    assert printed[0] == printed[1] != printed[2]


def test_where_the_outcome_depends_on_ties_it_says_so(tmp_path: Path) -> None:
    nodes, pods = [node("n1"), node("n2")], [pod("a"), pod("b", cpu="2"), pod("large", cpu="9")]
    path = cluster(tmp_path, *nodes, *pods)
    assert "tried before others of the same priority and age, decided by --seed: 2 pods" in lines(
        run("schedule", "-f", path)
    )
    value = json.loads(run("schedule", "-f", path, "-o", "json").stdout)
    assert value["inOpenOrder"] == 2
    assert [each.get("ties") for each in value["pods"]].count(["node"]) == 1
    done = run("schedule", "-f", cluster(tmp_path, *nodes, pods[0]))
    assert lines(done)[-1] == "decided by --seed among equals: default/a (node)"


def test_where_nothing_is_tied_nothing_is_said_of_it(tmp_path: Path) -> None:
    done = run("schedule", "-f", cluster(tmp_path, node("n"), pod("a"), pod("b", priority=1)))
    assert lines(done)[0] == "2 pending pods: 2 placed, 0 not"
    assert lines(done)[-1].startswith("default/b")


def test_pods_that_fail_alike_are_listed_together(tmp_path: Path) -> None:
    large = [pod(f"large-{number}", cpu="9") for number in range(7)]
    gated = pod("held", schedulingGates=[{"name": "g"}])
    printed = lines(run("schedule", "-f", cluster(tmp_path, node("n"), *large, gated)))
    assert [line for line in printed if line.startswith("✗")] == [
        "✗ 7 pods  unschedulable: default/large-0, default/large-1, default/large-2, default/large-3,"
        " default/large-4 and 2 more",
        "✗ default/held  priority 0  gated",
    ]


def test_the_pods_of_one_namespace_are_listed(tmp_path: Path) -> None:
    other = pod("b")
    other["metadata"]["namespace"] = "shop"
    printed = lines(run("schedule", "-n", "shop", "-f", cluster(tmp_path, node("n"), pod("a"), other)))
    assert printed[0] == "2 pending pods: 2 placed, 0 not"
    assert printed[2:4] == ["POD     PRIORITY  NODE", "shop/b         0  → n"]


def test_manifests_come_from_files_a_folder_and_standard_input(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    cluster(folder, node("n"))
    a = cluster(tmp_path, pod("a"), name="a.json")
    done = run("schedule", "-f", str(folder), "-f", a, "-f", "-", stdin=yaml.safe_dump(pod("b")))
    assert lines(done)[0] == "2 pending pods: 2 placed, 0 not"


def test_the_configuration_and_the_gates_decide(tmp_path: Path) -> None:
    config = tmp_path / "sched.yaml"
    profile = {"plugins": {"filter": {"disabled": [{"name": "NodeResourcesFit"}]}}}
    config.write_text(yaml.safe_dump({**CONFIG, "profiles": [profile]}))
    path = cluster(tmp_path, node("n"), pod("a", cpu="9"))
    assert run("schedule", "-f", path).exit_code == 1
    assert run("schedule", "-f", path, "--config", str(config)).exit_code == 0
    old = ("schedule", "-f", path, "-o", "json", "--kubernetes", "1.34")
    gates = ("--feature-gates", "DynamicResourceAllocation=false, ,")
    by_default, without_devices = (
        json.loads(run(*old, *options).output)["pods"][0]["message"] for options in ((), gates)
    )
    assert "no new claims to deallocate" in by_default
    assert "no new claims to deallocate" not in without_devices


# --- Extenders ------------------------------------------------------------------------------------


class _Extender(BaseHTTPRequestHandler):
    """Strikes node ``struck`` without a word, refuses ``bad``, and prefers ``good``."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.asked.append(self.path)
        args = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = args["NodeNames"]
        answer: Any = {
            "NodeNames": [name for name in names if name not in ("struck", "bad")],
            "FailedNodes": {"bad": "bad luck"} if "bad" in names else {},
        }
        if self.path == "/prioritize":
            answer = [{"Host": name, "Score": 5 if name == "good" else 0} for name in names]
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """The test's output is the command's."""


@pytest.fixture
def extender(tmp_path: Path) -> Iterator[str]:
    """The configuration of an extender that filters, prioritizes and binds."""
    _Extender.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Extender) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        described = {
            "urlPrefix": f"http://127.0.0.1:{server.server_port}",
            "filterVerb": "filter",
            "prioritizeVerb": "prioritize",
            "bindVerb": "bind",
            "weight": 1,
            "nodeCacheCapable": True,
        }
        config = tmp_path / "sched.yaml"
        config.write_text(yaml.safe_dump({**CONFIG, "extenders": [described]}))
        yield str(config)
        server.shutdown()
        thread.join()


def test_extenders_are_asked_but_not_to_bind(tmp_path: Path, extender: str) -> None:
    names = ("good", "other", "struck", "bad")
    path = cluster(tmp_path, *(node(name) for name in names), pod("a"))
    done = run("schedule", "-f", path, "--config", extender, "-o", "json")
    assert json.loads(done.output)["pods"][0]["node"] == "good"
    assert _Extender.asked == ["/filter", "/prioritize"]


def test_nodes_that_an_extender_refuses_are_reported_as_refused_by_it(tmp_path: Path, extender: str) -> None:
    path = cluster(tmp_path, node("struck"), node("bad"), pod("a"))
    done = run("schedule", "-f", path, "--config", extender)
    assert "  extender  removed from the feasible nodes  2 nodes: bad, struck" in lines(done)


def test_an_explanation_asks_an_extender_once_and_reports_what_it_said(tmp_path: Path, extender: str) -> None:
    names = ("good", "other", "struck", "bad")
    path = cluster(tmp_path, *(node(name) for name in names), pod("a"))
    done = run("explain", "-f", path, "--config", extender, "a", "-o", "json")
    assert _Extender.asked == ["/filter", "/prioritize"]
    value = json.loads(done.output)
    [url] = value["extenders"]
    shown = {each["node"]: each for each in value["nodes"]}
    assert shown["good"]["scores"][url] == {"raw": 50, "normalized": 50, "weighted": 50}
    assert shown["other"]["scores"][url]["weighted"] == 0
    assert (shown["struck"]["plugin"], shown["struck"]["reasons"]) == (
        "extender",
        ["removed from the feasible nodes"],
    )
    assert (shown["bad"]["plugin"], shown["bad"]["reasons"]) == ("extender", ["bad luck"])
    header = lines(run("explain", "-f", path, "--config", extender, "a"))[2]
    assert header.split()[-2:] == [url, "TOTAL"]


def test_control_characters_are_shown_by_their_escapes(tmp_path: Path) -> None:
    done = run("schedule", "-f", cluster(tmp_path, pod("a", schedulerName="\x1b[31m[red]")))
    assert "passed over: default/a (left to the scheduler \\x1b[31m[red])" in lines(done)


# --- Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"\x7fELF\x02\xff", "is not UTF-8 text (byte 5)"),
        (b"a: [", "did not find expected node content"),
        (b"x: &a [1]\ny: *b", "found undefined alias"),
        (
            b"l: [&a [" + b"1, " * 999 + b"1], &b [" + b"*a, " * 999 + b"*a]]",
            "its aliases repeat more than 100,000 nodes",
        ),
        (b"[" * 200, "is nested deeper than 100 levels"),
        (b"kind: Pod\napiVersion: v1\nmetadata: {name: 3}", "Pod: metadata.name: expected a string, found 3"),
        (
            b"{kind: Pod, apiVersion: v1, metadata: {name: a}, spec: {containers: "
            b"[{name: c, resources: {requests: {cpu: fast}}}]}}",
            "Pod a: spec.containers[0].resources.requests.cpu: 'fast' is not a quantity",
        ),
    ],
    ids=["binary", "broken", "no anchor", "aliases", "deep", "type", "quantity"],
)
def test_what_is_wrong_is_reported_in_one_line_with_its_place(
    text: bytes,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_bytes(text)
    shown = refusal(monkeypatch, capsys, "schedule", "-f", str(path))
    assert shown.startswith(f"{path}: ")
    assert problem in shown


def test_a_file_that_is_too_large_or_missing_and_an_empty_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(path: Path) -> str:
        return refusal(monkeypatch, capsys, "schedule", "-f", str(path))

    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(100 << 20)
    monkeypatch.setenv(LIMIT, "0.02")
    assert refused(large) == (
        f"{large}: to read it takes more than 0.02 GiB of memory: leave out what cannot matter,"
        f" or allow more by the environment variable {LIMIT}, in GiB"
    )
    monkeypatch.setenv(LIMIT, "much")
    assert refused(large) == f"{LIMIT}: expected a number of GiB, found 'much'"
    monkeypatch.delenv(LIMIT)
    assert refused(tmp_path / "gone") == f"{tmp_path}/gone: No such file or directory"
    assert refused(tmp_path) == f"{tmp_path}: holds no file named *.yaml, *.yml, *.json"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("apiVersion: v1", "apiVersion: expected kubescheduler.config.k8s.io/v1, found 'v1'"),
        ("", "expected one KubeSchedulerConfiguration, found 0 documents"),
        ("{}\n---\n{}", "expected one KubeSchedulerConfiguration, found 2 documents"),
        (
            json.dumps({**CONFIG, "profiles": [{"plugins": {"filter": {"enabled": [{"name": "Mine"}]}}}]}),
            "profiles[0].plugins.filter.enabled[0]: there is no plugin 'Mine'",
        ),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused_with_its_file(
    text: str,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = tmp_path / "sched.yaml"
    config.write_text(text)
    path = cluster(tmp_path, node("n"))
    assert (
        refusal(monkeypatch, capsys, "schedule", "-f", path, "--config", str(config))
        == f"{config}: {problem}"
    )


def test_a_configuration_and_gates_that_are_not_there_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("schedule", "-f", cluster(tmp_path, node("n")))
    assert refusal(monkeypatch, capsys, *given, "--config", "/gone") == "/gone: No such file or directory"
    assert refusal(monkeypatch, capsys, *given, "--feature-gates", "Mine=true") == (
        "--feature-gates: Mine: is not a feature gate that changes scheduling in v1.37.2"
    )


def test_a_folder_that_cannot_be_made_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = refusal(monkeypatch, capsys, "new", "adapter", "--language", "go", "--output", "/dev/null/x")
    assert problem == "/dev/null/x: Not a directory"


def test_feature_gates_are_read_as_kube_scheduler_reads_them() -> None:
    assert parse_gates(" A=true,B = F,,") == {"A": True, "B": False}
    for text, found in (("A", "''"), ("A=yes", "'yes'"), ("A=true=false", "'true=false'")):
        with pytest.raises(InputError) as refused:
            parse_gates(text)
        assert str(refused.value) == f"A: expected true or false, found {found}"


def test_a_command_without_files_prints_its_usage() -> None:
    done = run("schedule")
    assert done.exit_code == 2
    assert "Missing option '-f'" in done.stderr


def test_what_is_no_field_is_refused_where_a_person_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster(tmp_path, node("n"), pod("a", nodeSelectr={"a": "b"}))
    problem = "Pod default/a: spec.nodeSelectr: is no field; did you mean nodeSelector?"
    for command in (["schedule"], ["explain", "a"]):
        assert problem in refusal(monkeypatch, capsys, *command, "-f", path)


def test_what_is_no_field_is_reported_where_a_cluster_printed_it(tmp_path: Path) -> None:
    printed = pod("a", nodeSelectr={"a": "b"})
    printed["metadata"]["uid"] = "u"
    path = cluster(tmp_path, node("n"), printed)
    warning = "refsched: warning: Pod spec.nodeSelectr (1 object) is not a known field, and is ignored"
    for command in (["schedule"], ["explain", "a"]):
        done = run(*command, "-f", path, "-o", "json")
        assert (done.exit_code, done.stderr.splitlines()[0]) == (0, warning)
        assert json.loads(done.stdout)


def test_kinds_that_could_matter_and_are_absent_are_named_with_the_pods(tmp_path: Path) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
    owned, alone = pod("a"), pod("b")
    owned["metadata"] |= {"labels": {"app": "a"}, "ownerReferences": [owner]}
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
    alone["spec"]["volumes"] = [volume]
    path = cluster(tmp_path, node("n"), owned, alone)
    of_volumes = (
        "no persistentvolumes, no persistentvolumeclaims, no storageclasses, no csinodes, no csidrivers,"
        " no csistoragecapacities, no volumeattachments given, which could matter to default/b: kubectl get"
        " persistentvolumes,persistentvolumeclaims,storageclasses,csinodes,csidrivers,csistoragecapacities,"
        "volumeattachments -A -o yaml"
    )
    of_labels = (
        "no services, no replicasets given, which could matter to default/a:"
        " kubectl get services,replicasets -A -o yaml"
    )
    assert warnings_of("schedule", "-f", path) == [of_labels, of_volumes]
    assert warnings_of("explain", "a", "-f", path) == [of_labels]
    assert warnings_of("explain", "b", "-f", path) == [of_volumes]


def warnings_of(*args: str) -> list[str]:
    return [line.removeprefix("refsched: warning: ") for line in run(*args).stderr.splitlines()]


def test_where_everything_that_could_matter_is_given_nothing_is_said(tmp_path: Path) -> None:
    labelled = pod("a")
    labelled["metadata"]["labels"] = {"app": "a"}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {}}
    assert warnings_of("schedule", "-f", cluster(tmp_path, node("n"), labelled, service)) == []
    assert warnings_of("schedule", "-f", cluster(tmp_path, node("n"), pod("a"))) == []


def test_the_help_and_the_readme_print_the_whole_line() -> None:
    served = [kind.name for kind in KINDS if kind.name != "DeviceTaintRule"]  # which is served since 1.37
    assert sorted(DUMPED.split(",")) == sorted(map(plural, served))
    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    assert KUBECTL in readme
    for command in ("schedule", "explain"):
        assert DUMPED in "".join(run(command, "--help").stdout.split())


def test_arguments_of_a_misspelt_plugin_are_warned_of(tmp_path: Path) -> None:
    config = tmp_path / "sched.yaml"
    profile = {"pluginConfig": [{"name": "NodeAffinty", "args": {}}]}
    config.write_text(yaml.safe_dump({**CONFIG, "profiles": [profile]}))
    args = ("schedule", "-f", cluster(tmp_path, node("n")), "--config", str(config))
    place = f"{config}: profiles[0].pluginConfig[0]"
    expected = f"{place} is ignored: there is no plugin 'NodeAffinty'; did you mean NodeAffinity?"
    assert warnings_of(*args) == [expected]
    with pytest.warns(UserWarning, match="did you mean NodeAffinity"):
        Cluster(config={**CONFIG, "profiles": [profile]})
