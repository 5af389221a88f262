# SPDX-License-Identifier: Apache-2.0
"""The control plane, and the unmodified kube-scheduler on it. These tests do not build it, which takes minutes: a
run with ``--impl=api:kube-scheduler`` does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from refsched.processes.kubernetes_api.client import Client, kind_named
from refsched.reading.shipped_files import examples_folder
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.control_plane import ControlPlane, running_control_plane
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.histories.scenario import read_history
from refsched.suite.histories.trial import try_history
from tests.built_control_plane import PROGRAM, built_program, is_built

pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")

Json = dict[str, Any]

CONFIG: Json = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
NODE: Json = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "9"}},
}
STARTS_ONE = """
import sys
from pathlib import Path
from refsched.suite.adapters.control_plane import ControlPlane
plane = ControlPlane(Path(sys.argv[1]))
print(plane.kubeconfig, plane._child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    running = running_control_plane(built_program())
    yield running
    running.close()


def pod(name: str, cpu: str, priority: int = 0) -> Json:
    containers = [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]
    spec = {"priority": priority, "containers": containers}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


# --- The control plane ----------------------------------------------------------------------------


@is_built
def test_it_is_an_api_server_that_listens_on_the_loopback_interface_only(plane: ControlPlane) -> None:
    client = Client(plane.kubeconfig)
    assert client.list_of(kind_named("Namespace"))["items"] == []
    assert running_control_plane(PROGRAM or Path()) is plane
    listening = _listening(plane._child.pid)
    assert [address for address, _ in listening] == ["127.0.0.1"]


@is_built
def test_only_its_user_can_read_its_files(plane: ControlPlane) -> None:
    assert plane.kubeconfig.parent.stat().st_mode & 0o077 == 0
    assert plane.kubeconfig.stat().st_mode & 0o077 == 0


@is_built
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_its_parent_and_leaves_nothing(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_ONE, str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout
        kubeconfig, pid = parent.stdout.readline().split()
        assert Path(kubeconfig).exists()
        parent.send_signal(number)
        parent.wait()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (Path(kubeconfig).parent.exists() or _runs(int(pid))):
        time.sleep(0.02)
    folder = Path(kubeconfig).parent
    assert not list(folder.parent.glob(f"{folder.name}*"))
    assert not _runs(int(pid))


def test_a_program_that_does_not_become_ready_is_unavailable(tmp_path: Path) -> None:
    program = tmp_path / "control-plane"
    program.write_text("#!/bin/sh\necho 'no port is free' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(AdapterUnavailable, match="does not become ready:\n  no port is free"):
        ControlPlane(program)


def test_a_program_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "control-plane"
    program.write_text("#!/bin/sh\necho /the/kubeconfig\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr("refsched.suite.adapters.control_plane.END_TIMEOUT", 0.1)
    plane = running_control_plane(program)
    assert plane.kubeconfig == Path("/the/kubeconfig")
    assert running_control_plane(program) is plane
    plane.close()
    assert not plane.runs


# --- kube-scheduler -------------------------------------------------------------------------------


@is_built
def test_the_unmodified_kube_scheduler_is_judged_by_what_its_api_server_shows(plane: ControlPlane) -> None:
    assert plane.runs
    with connect("api:kube-scheduler", timeout=60) as adapter:
        session = adapter.reset(CONFIG)
        session.create(NODE)
        session.create(pod("small", "600m"))
        session.create(pod("equal", "600m"))
        session.create(pod("important", "600m", priority=10))
        first = session.schedule("default/small").attempt
        assert first is not None
        assert first.node == "n"
        second = session.schedule("default/equal").attempt
        assert second is not None
        assert second.result == "unschedulable"
        assert str(second.message).startswith("0/1 nodes are available: 1 Insufficient cpu.")
        third = session.schedule("default/important").attempt
        assert third is not None
        assert (third.nominated_node, third.victims) == ("n", ("default/small",))
        session.delete({"apiVersion": "v1", "kind": "Pod", "name": "small"})
        fourth = session.schedule("default/important").attempt
        assert fourth is not None
        assert fourth.node == "n"


@is_built
def test_what_a_real_api_server_refuses_is_unsupported(plane: ControlPlane) -> None:
    assert plane.runs
    with connect("api:kube-scheduler", timeout=60) as adapter:
        session = adapter.reset(CONFIG)
        answer = session.create(pod("p", "-1"))
        assert str(answer.unsupported).startswith('the API server refuses it: Pod "p" is invalid')


@is_built
def test_a_wrong_scheduler_in_a_cluster_fails_by_the_rule_that_it_breaks(plane: ControlPlane) -> None:
    assert plane.runs
    wrong = f"{sys.executable} -m refsched.mistakes sidecars-have-no-ports"
    with connect(f"api:{wrong} --kubeconfig {{kubeconfig}} --config {{config}}", timeout=60) as adapter:
        history = read_history(examples_folder() / "R-PORTS-05.yaml")
        assert [finding.rule for finding in try_history(adapter, history).findings] == ["R-PORTS-05"]


def _listening(pid: int) -> list[tuple[str, int]]:
    """Returns the TCP addresses at which this process listens, as Linux has them."""
    sockets = {os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                address, port = fields[1].split(":")
                octets = [str(octet) for octet in bytes.fromhex(address)[::-1]]
                found.append((".".join(octets), int(port, 16)))
    return found


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
