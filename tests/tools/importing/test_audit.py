# SPDX-License-Identifier: Apache-2.0
"""What an audit log shows. Its lines are written here as a kube-apiserver writes them; one log is a real one's."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from refsched.processes.kubernetes_api.client import Client
from refsched.suite.adapters.control_plane import ControlPlane
from refsched.suite.adapters.scheduler_command import config_for
from refsched.tools.cli.main import cli
from tests.built_control_plane import built_program

Json = dict[str, Any]

CONFIG: Json = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}

EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"


def node(name: str, cpu: str = "4", **metadata: Any) -> Json:
    status = {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "9"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, **metadata}, "status": status}


def pod(
    name: str, cpu: str = "1", metadata: Json | None = None, status: Json | None = None, **spec: Any
) -> Json:
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    spec = {"schedulerName": "default-scheduler", "containers": containers, **spec}
    named = {"name": name, "namespace": "default", **(metadata or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": named, "spec": spec, "status": status or {}}


def rejected(message: str) -> Json:
    return {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}


class Log:
    """A log, a second after the other, in which each object has the next version."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "audit.log"
        self.trace = folder / "trace.jsonl.gz"
        self.lines: list[Json] = []
        self._version = 0

    def has(
        self,
        verb: str,
        resource: str,
        answer: Json | None = None,
        *,
        name: str = "",
        asked: Json | None = None,
        code: int = 200,
        **more: Any,
    ) -> None:
        self._version += 1
        of = {} if resource.startswith("nodes") else {"namespace": "default"}
        plural, _, subresource = resource.partition("/")
        event = {
            "kind": "Event",
            "apiVersion": "audit.k8s.io/v1",
            "stage": "ResponseComplete",
            "verb": verb,
            "objectRef": {"resource": plural, "name": name, **of},
            "responseStatus": {"code": code},
            "requestReceivedTimestamp": f"2026-01-01T00:01:{self._version:02}.000000Z",
            "stageTimestamp": f"2026-01-01T00:01:{self._version:02}.010000Z",
            **more,
        }
        if subresource:
            event["objectRef"]["subresource"] = subresource
        if asked is not None:
            event["requestObject"] = asked
        if answer is not None:
            metadata = {"uid": answer["metadata"]["name"], "resourceVersion": str(self._version)}
            event["responseObject"] = {**answer, "metadata": {**metadata, **answer["metadata"]}}
            event["objectRef"]["name"] = answer["metadata"]["name"]
        self.lines.append(event)

    def binds(self, name: str, to: str) -> None:
        target = {"apiVersion": "v1", "kind": "Binding", "target": {"kind": "Node", "name": to}}
        self.has("create", "pods/binding", name=name, asked=target, code=201)

    def imported(self, *options: str) -> Result:
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        return CliRunner().invoke(
            cli, ["import", "audit", str(self.path), "--output", str(self.trace), *options]
        )

    def judged(self) -> Json:
        read: Json = json.loads(CliRunner().invoke(cli, ["replay", str(self.trace), "-o", "json"]).output)
        return {name: read[name] for name in ("attempts", "agree", "disagree", "unchecked")}


@pytest.fixture
def log(tmp_path: Path) -> Log:
    log = Log(tmp_path)
    for name, cpu in (("n1", "4"), ("small", "1")):
        log.has("create", "nodes", node(name, cpu), code=201)
    return log


def test_a_binding_and_a_condition_are_attempts(log: Log) -> None:
    log.has("create", "pods", pod("a", "2"), code=201)
    log.binds("a", "n1")
    log.has("create", "pods", pod("huge", "9"), code=201)
    said = {"conditions": [rejected("0/2 nodes are available: 2 Insufficient cpu.")]}
    log.has("patch", "pods/status", pod("huge", "9", status=said))
    log.has("create", "pods", pod("b", "2"), code=201)
    log.binds("b", "small")
    done = log.imported("-o", "json")
    assert json.loads(done.stdout) == {"output": str(log.trace), "attempts": 3, "leftOut": 0}
    assert log.judged() == {"attempts": 3, "agree": 2, "disagree": 1, "unchecked": 0}


def test_of_level_request_a_binding_a_condition_and_whole_objects_are_known(log: Log) -> None:
    log.has("create", "pods", asked=pod("a", "2"), name="a", code=201)
    target = {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n1"}}
    log.has("create", "bindings", asked=target, code=201)
    log.has("create", "pods", asked=pod("huge", "9"), name="huge", code=201)
    log.has("patch", "pods/status", asked={"status": {"conditions": [rejected("no")]}}, name="huge")
    log.has("update", "nodes", asked=node("small", "1", labels={"disk": "ssd"}), name="small")
    log.has("patch", "nodes", asked={"spec": {"taints": []}}, name="small")
    log.has("delete", "pods", name="a", asked={"gracePeriodSeconds": 0})
    log.has("delete", "nodes", name="small")
    done = log.imported()
    assert "1 request (patch nodes): what was changed is not in the log" in done.output
    assert log.judged() == {"attempts": 2, "agree": 2, "disagree": 0, "unchecked": 0}


def test_a_pod_is_there_until_nothing_waits_for_it_to_end(log: Log) -> None:
    ending = {"deletionTimestamp": "2026-01-01T00:02:00Z"}
    log.has("create", "pods", pod("old", "4", nodeName="n1"), code=201)
    log.has("delete", "pods", pod("old", "4", {**ending, "deletionGracePeriodSeconds": 30}, nodeName="n1"))
    log.has("create", "pods", pod("a", "4"), code=201)
    said = {"conditions": [rejected("no")]}
    log.has("patch", "pods/status", pod("a", "4", status=said))
    log.has("delete", "pods", pod("old", "4", {**ending, "deletionGracePeriodSeconds": 0}, nodeName="n1"))
    log.has("get", "pods", pod("old", "4", nodeName="n1"))
    log.binds("a", "n1")
    log.imported()
    assert log.judged() == {"attempts": 2, "agree": 2, "disagree": 0, "unchecked": 0}


def test_an_attempt_that_leaves_the_pod_as_it_was_is_known_by_its_event(log: Log) -> None:
    message = "0/2 nodes are available: 2 Insufficient cpu."
    log.has("create", "pods", pod("huge", "9"), code=201)
    log.has("patch", "pods/status", pod("huge", "9", status={"conditions": [rejected(message)]}))
    attempted = log.lines[-1]["responseObject"]["metadata"]["resourceVersion"]

    def reports(regarding: str, count: int) -> None:
        event = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": f"e{regarding}", "namespace": "default"},
            "reason": "FailedScheduling",
            "regarding": {"kind": "Pod", "namespace": "default", "name": "huge", "uid": "huge"}
            | {"resourceVersion": regarding},
            "note": message,
            "series": {"count": count},
        }
        log.has("create", "events", event)
        log.lines[-1]["objectRef"]["apiGroup"] = "events.k8s.io"

    reports("3", 1)
    reports(attempted, 1)
    reports(attempted, 2)
    reports(attempted, 7)
    assert f"wrote 3 attempts to {log.trace}" in log.imported().output
    assert log.judged() == {"attempts": 3, "agree": 3, "disagree": 0, "unchecked": 0}


def test_what_was_there_before_is_named_and_attempts_until_it_is_known_are_left_out(
    log: Log, tmp_path: Path
) -> None:
    early = {"creationTimestamp": "2025-12-31T00:00:00Z"}
    log.has("create", "pods", pod("a", "2"), code=201)
    log.binds("a", "n1")
    log.has("patch", "nodes", node("n0", **early))
    log.binds("unknown", "n1")
    log.has("delete", "pods", name="unknown", asked={"gracePeriodSeconds": 0})
    log.has("create", "pods", pod("b", "2"), code=201)
    log.binds("b", "nowhere")
    log.has("create", "pods", pod("c", "2"), code=201)
    log.binds("c", "n0")
    log.has("delete", "pods", name="c", code=504)
    done = log.imported()
    assert "is never shown: Pod default/c" in done.output
    assert "was there before, and is shown only later: Node n0" in done.output
    assert "2 attempts left out" in done.output
    assert "what was there before and is never named is not known" in done.output
    assert log.judged()["attempts"] == 1
    before = tmp_path / "before.json"
    shown = [{**node("n0"), "metadata": {"name": "n0", "uid": "n0", "resourceVersion": "0", **early}}]
    before.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": shown}))
    done = log.imported("-f", str(before))
    assert "1 attempt left out" in done.output
    assert "is not known; -f" not in done.output


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"apiVersion": "v1"}, "line 1: apiVersion: expected an Event of audit.k8s.io/v1, found 'v1'"),
        ({"stageTimestamp": "now"}, "line 1: stageTimestamp: expected a time such as"),
        ({"responseObject": []}, "line 1: responseObject: expected an object, found []"),
        ({"responseObject": {"apiVersion": "v1", "kind": "Node"}}, "line 1: metadata: expected an object"),
        (
            {"responseObject": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}},
            "line 1: metadata.uid: is required and missing",
        ),
        (
            {"responseObject": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "p"}}},
            "line 1: spec: is required and missing",
        ),
    ],
)
def test_a_log_with_an_error_makes_no_trace(change: Json, said: str, log: Log) -> None:
    log.lines[0] |= change
    done = log.imported()
    assert (done.exit_code, log.trace.exists()) == (1, False)
    assert said in str(done.exception)


def test_a_log_of_nothing_that_scheduling_reads_makes_no_trace(log: Log) -> None:
    log.lines = [
        {**log.lines[0], "stage": "RequestReceived"},
        {**log.lines[0], "responseStatus": {"code": 409}},
    ]
    log.lines.append({**log.lines[0], "requestURI": "/api/v1/nodes?dryRun=All"})
    assert "holds no request about an object that scheduling reads" in str(log.imported().exception)
    assert "ends with .jsonl" in str(log.imported("--output", "trace.txt").exception)


# --- A real one -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a kube-apiserver in which kube-scheduler places, rejects and preempts."""
    pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")
    program = built_program()
    folder = tmp_path_factory.mktemp("audit")
    path = folder / "audit.log"
    with closing(ControlPlane(program, "-audit", str(path))) as plane:
        (folder / "config.json").write_text(json.dumps(config_for(CONFIG, plane.kubeconfig)))
        command = [str(program), "scheduler", f"--config={folder / 'config.json'}", "--secure-port=0"]
        client = Client(plane.kubeconfig)
        with (
            (folder / "scheduler.log").open("w") as said,
            subprocess.Popen(command, stderr=said) as scheduler,
        ):
            try:
                _use(client)
            finally:
                scheduler.terminate()
    return path


def _use(client: Client) -> None:
    def wait(name: str, holds: Callable[[Json], object]) -> None:
        deadline = time.monotonic() + 60
        while not holds(client.get("Pod", "default", name)):
            assert time.monotonic() < deadline, name
            time.sleep(0.02)

    for name, cpu in (("n1", "4"), ("small", "1")):
        client.create(node(name, cpu))
    client.create(pod("placed", "2"))
    wait("placed", lambda found: found["spec"].get("nodeName"))
    client.create(pod("huge", "9"))
    wait("huge", lambda found: found["status"].get("conditions"))
    client.create(pod("preemptor", "3", priority=10))
    wait("preemptor", lambda found: found["status"].get("nominatedNodeName"))
    wait("placed", lambda found: "deletionTimestamp" in found["metadata"])
    client.delete("Pod", "default", "placed", {"gracePeriodSeconds": 0})
    wait("preemptor", lambda found: found["spec"].get("nodeName"))
    deadline = time.monotonic() + 60
    while "Successfully assigned default/preemptor" not in json.dumps(client.request("GET", EVENTS)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("level", ["RequestResponse", "Request"])
def test_the_log_of_a_real_cluster_agrees(level: str, real_log: Path, tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.lines = [json.loads(line) for line in real_log.read_text("utf-8").splitlines()]
    if level == "Request":
        log.lines = [{**line, "level": level, "responseObject": None} for line in log.lines]
    assert log.imported().exit_code == 0
    judged = log.judged()
    assert judged["attempts"] >= 4
    assert judged == {**judged, "agree": judged["attempts"], "disagree": 0, "unchecked": 0}
