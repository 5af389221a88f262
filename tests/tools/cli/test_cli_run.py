# SPDX-License-Identifier: Apache-2.0
"""``refsched run``: on a real API server, where the control plane is built, and what it says of bad input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_api_server import small_api_server

from refsched.errors import InputError
from refsched.processes.kubernetes_api.client import Client
from refsched.records import Bind
from refsched.suite.adapters.control_plane import ControlPlane
from refsched.suite.adapters.scheduler_command import config_for
from refsched.tools.cli.main import cli
from refsched.tools.cli.run import options_of
from tests.built_control_plane import PROGRAM, built_program

pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")

Json = dict[str, Any]


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    running = ControlPlane(built_program())
    yield running
    running.close()


def pod(name: str, cpu: str, priority: int = 0) -> Json:
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    spec = {"schedulerName": "refsched", "priority": priority, "containers": containers}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_it_schedules_on_a_real_api_server_and_ends_on_a_signal(plane: ControlPlane) -> None:
    client = Client(plane.kubeconfig)
    status = {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "9"}}
    client.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status})

    def found(name: str) -> Json:
        return client.get("Pod", "default", name)

    command = [sys.executable, "-m", "refsched", "run", "--kubeconfig", str(plane.kubeconfig)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ran:
        client.create(pod("small", "600m"))
        wait_for(lambda: found("small")["spec"].get("nodeName") == "n")
        client.create(pod("important", "600m", priority=10))
        wait_for(lambda: "deletionTimestamp" in found("small")["metadata"])
        important = found("important")["status"]
        assert important["nominatedNodeName"] == "n"
        (condition,) = important["conditions"]
        assert (condition["type"], condition["reason"]) == ("PodScheduled", "Unschedulable")
        client.delete("Pod", "default", "small", {"gracePeriodSeconds": 0})
        wait_for(lambda: found("important")["spec"].get("nodeName") == "n")
        ran.send_signal(signal.SIGTERM)
        assert ran.stdout
        said = ran.stdout.read().splitlines()
    assert ran.returncode == 0
    assert "default/small → n" in said
    assert "default/small is deleted for default/important" in said
    lease = client.request("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/refsched")
    assert not lease["spec"].get("holderIdentity")


def test_it_says_that_it_leads_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refsched.tools.cli.run.run_scheduler", _bind_one)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with small_api_server(tmp_path) as (_, kubeconfig):
        ran = CliRunner().invoke(cli, ["run", "--kubeconfig", str(kubeconfig)])
        for_programs = CliRunner().invoke(cli, ["run", "--kubeconfig", str(kubeconfig), "-o", "json"])
    said = "the lease could not be renewed: another one may lead\n"
    assert (ran.exit_code, ran.output) == (1, said)
    assert (for_programs.exit_code, for_programs.stderr) == (1, said)
    assert json.loads(for_programs.stdout) == {"bind": {"pod": "default/p", "node": "n", "result": "bound"}}


def _bind_one(
    client: object, options: object, say: object, goes_on: object, show: Callable[[Bind], None]
) -> bool:
    show(Bind("default/p", "n", "bound"))
    return False


@pytest.mark.parametrize(
    ("kubernetes", "gates", "config", "problem"),
    [
        ("9.9", "", None, "--kubernetes"),
        ("", "A=perhaps", None, "--feature-gates"),
        ("", "", "missing.yaml", "missing.yaml"),
    ],
)
def test_bad_input_is_named(kubernetes: str, gates: str, config: str | None, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        options_of(kubernetes, gates, config, "refsched", 0)


def test_a_shadow_sums_up_what_it_saw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refsched.tools.cli.run._until_a_signal", _three_times)
    with small_api_server(tmp_path) as (_, kubeconfig):
        command = ["run", "--shadow", "--kubeconfig", str(kubeconfig)]
        ran = CliRunner().invoke(cli, command)
        for_programs = CliRunner().invoke(cli, [*command, "-o", "json"])
    assert ran.exit_code == 0
    said = "compares the decisions about the pods of default-scheduler"
    assert ran.output.splitlines() == [said, "compared 0 decisions, of which 0 differ"]
    assert (for_programs.stderr, json.loads(for_programs.stdout)) == (
        f"{said}\n",
        {"compared": 0, "differ": 0},
    )


def _three_times() -> Callable[[], bool]:
    ends = iter([True] * 3)
    return lambda: next(ends, False)


def test_the_real_kube_scheduler_and_its_shadow_agree(plane: ControlPlane, tmp_path: Path) -> None:
    client = Client(plane.kubeconfig)
    config = config_for(
        {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"},
        plane.kubeconfig,
    )
    (tmp_path / "config.json").write_text(json.dumps(config))
    real = [str(PROGRAM), "scheduler", f"--config={tmp_path / 'config.json'}", "--secure-port=0"]
    shadow_of = ["-m", "refsched", "run", "--shadow", "-o", "json", "--kubernetes", "1.37"]
    beside = [sys.executable, *shadow_of, "--kubeconfig", str(plane.kubeconfig)]
    for name, cpu in (("large", "8"), ("other", "2")):
        status = {"allocatable": {"cpu": cpu, "memory": "4Gi", "pods": "9"}}
        client.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status})
    with subprocess.Popen(beside, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as shadow:
        assert shadow.stdout
        assert shadow.stderr
        assert shadow.stderr.readline().startswith("compares the decisions")
        with subprocess.Popen(real, stderr=subprocess.DEVNULL) as scheduler:
            for index, cpu in enumerate(("1", "2", "500m", "1", "9")):
                value = pod(f"shadowed-{index}", cpu)
                value["spec"]["schedulerName"] = "default-scheduler"
                client.create(value)
                seen = json.loads(shadow.stdout.readline())
                assert (seen["pod"], seen["differences"]) == (f"default/shadowed-{index}", [])
            scheduler.terminate()
        shadow.send_signal(signal.SIGTERM)
        assert json.loads(shadow.stdout.read()) == {"compared": 5, "differ": 0}
    assert shadow.returncode == 0
