# SPDX-License-Identifier: Apache-2.0
"""What is written down of a scheduler's work, and how it is judged."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from small_api_server import small_api_server

from refsched.errors import InputError
from refsched.processes.kubernetes_api.watching import ADDED, DELETED, MODIFIED, Event
from refsched.releases import DEFAULT
from refsched.tools.cli.main import cli
from refsched.tools.running.event_recorder import EventRecorder, header_of, trace_writer, watch

Json = dict[str, Any]
CONFIG = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"schedulerName": "mine"}],
}
NAMES = ["mine"]


def node(name: str, cpu: str) -> Json:
    metadata = {"name": name, "uid": name, "managedFields": [{"manager": "kubelet"}]}
    status = {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "9"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}


def pod(name: str, cpu: str = "1", uid: str = "", status: Json | None = None, **spec: Any) -> Json:
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": uid or name},
        "spec": {"schedulerName": "mine", "containers": containers, **spec},
        "status": status or {},
    }


def rejected(message: str) -> Json:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"conditions": [condition]}


class Seen:
    """A trace of what is seen, a second after the other."""

    def __init__(self, folder: Path, *first: Json) -> None:
        self.path = folder / "trace.jsonl.gz"
        header = header_of(CONFIG, DEFAULT.name, {}, datetime(2026, 1, 1, tzinfo=UTC))
        self.lines: list[Json] = [header]
        self._now = 0.0
        self._recording = EventRecorder(self.lines.append, NAMES, lambda: self._now)
        self._recording.take_first([Event(ADDED, value["kind"], value) for value in first])

    def see(self, value: Json, type: str = MODIFIED, after: float = 1) -> None:
        self._now += after
        self._recording.take(Event(type, value["kind"], value))

    def judged(self, *options: str) -> Result:
        with trace_writer(str(self.path)) as write:
            for line in self.lines:
                write(line)
        return CliRunner().invoke(cli, ["replay", str(self.path), *options])


@pytest.fixture
def seen(tmp_path: Path) -> Seen:
    return Seen(tmp_path, node("n1", "4"), node("small", "1"), pod("old", nodeName="n1"))


def test_the_trace_has_what_a_watch_shows_and_no_more(seen: Seen) -> None:
    seen.see(pod("a", "2"), ADDED)
    seen.see(pod("a", "2", nodeName="n1"))
    seen.see(pod("of-another", nodeName="n1", schedulerName="theirs"), ADDED)
    assert [next(iter(line.keys() - {"at"})) for line in seen.lines[1:]] == [
        *("create", "create", "create", "create", "attempt", "bind", "update", "create")
    ]
    assert seen.lines[5] == {
        "at": 2.0,
        "attempt": {"pod": "default/a", "result": "scheduled", "node": "n1"},
    }
    assert not any("managedFields" in json.dumps(line) for line in seen.lines)
    done = seen.judged()
    assert (done.exit_code, "agrees" in done.output, "1 agree, 0 disagree" in done.output) == (0, True, True)


def test_a_node_that_rejects_is_a_disagreement_with_its_rule(seen: Seen) -> None:
    seen.see(pod("a", "2"), ADDED)
    seen.see(pod("a", "2", nodeName="small"))
    seen.see(pod("b", "2"), ADDED)
    seen.see(pod("b", "2", nodeName="n1"))
    done = seen.judged()
    assert done.exit_code == 1
    assert "small is rejected by NodeResourcesFit: Insufficient cpu (R-FIT-02)" in done.output
    assert json.loads(seen.judged("-o", "json").output)["agree"] == 1


@pytest.mark.parametrize(("after", "agree"), [(0.5, 1), (1.5, 0)])
def test_a_scheduler_may_not_know_yet_what_has_just_changed(after: float, agree: int, seen: Seen) -> None:
    seen.see(pod("a", "4"), ADDED)
    seen.see(pod("old", nodeName="n1"), DELETED)
    seen.see(node("small", "2"), after=0)
    seen.see(pod("a", "4", status=rejected("0/2 nodes are available: 2 Insufficient cpu.")), after=after)
    assert json.loads(seen.judged("-o", "json").output)["agree"] == agree


def test_a_pod_that_is_not_scheduled_is_judged_and_one_of_the_same_name_is_another(seen: Seen) -> None:
    seen.see(pod("huge", "9"), ADDED)
    seen.see(pod("huge", "9", status=rejected("0/2 nodes are available: 2 Insufficient cpu.")))
    seen.see(pod("huge", "9", status=rejected("0/2 nodes are available: 2 Insufficient cpu.")))
    seen.see(pod("huge", "2", uid="huge-2"), ADDED)
    seen.see(pod("huge", "2", uid="huge-2", status=rejected("no")))
    seen.see(pod("huge", "2", uid="huge-2"), DELETED)
    seen.see(pod("huge", "9"), DELETED)
    seen.see(pod("strange", nodeName="n1"), ADDED)
    value = json.loads(seen.judged("-o", "json").output)
    assert [value[name] for name in ("attempts", "agree", "disagree", "unchecked")] == [3, 1, 1, 1]
    (report,) = value["files"]
    assert report["first"]["expected"] == "the specification places it on n1, and the other one nowhere: no"


@pytest.mark.parametrize(
    ("line", "change", "said"),
    [(1, {"config": {"kind": "Strange"}}, "line 1: "), (5, {"create": {"kind": "Pod"}}, "line 5: ")],
)
def test_a_trace_with_an_error_is_not_judged(line: int, change: Json, said: str, seen: Seen) -> None:
    seen.see(pod("a", "2", nodeName="small"), ADDED)
    seen.lines[line - 1] |= change
    done = seen.judged()
    assert done.exit_code == 2
    assert f"{seen.path}: {said}" in done.output


def test_a_trace_has_the_name_of_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends with \.jsonl or"), trace_writer(str(tmp_path / "trace.txt")):
        pass
    with pytest.raises(InputError, match="No such file"), trace_writer(str(tmp_path / "none" / "a.jsonl")):
        pass


def test_it_watches_a_cluster_until_it_is_ended(tmp_path: Path) -> None:
    pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")
    from refsched.processes.kubernetes_api.client import Client

    path, ended, lines = tmp_path / "trace.jsonl.gz", threading.Event(), []
    with small_api_server(tmp_path) as (api, kubeconfig), trace_writer(str(path)) as write:

        def put(line: Json) -> None:
            lines.append(line)
            write(line)

        client = Client(kubeconfig)
        client.create(node("n1", "4"))
        client.create(pod("a"))
        header = partial(header_of, CONFIG, DEFAULT.name, {"SomeGate": False})
        thread = threading.Thread(
            target=lambda: watch(client, header, NAMES, put, lambda: not ended.is_set(), lambda line: None)
        )
        thread.start()
        wait_for(lambda: any(line.get("create", {}).get("kind") == "Pod" for line in lines))
        api.bind("/api/v1/namespaces/default/pods/a", "n1")
        wait_for(lambda: any("update" in line for line in lines))
        ended.set()
        thread.join(30)
    assert lines[0]["featureGates"] == {"SomeGate": False}
    assert any(line.get("attempt", {}).get("node") == "n1" for line in lines)


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
