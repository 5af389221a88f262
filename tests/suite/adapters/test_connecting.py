# SPDX-License-Identifier: Apache-2.0
"""What ``--impl`` may name."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from adapter_children import spelled

from refsched.errors import InputError
from refsched.processes.serving import no_config
from refsched.suite.adapters import connecting
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault

NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "4", "pods": "9"}},
}
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
SERVED = f"exec:{shlex.quote(sys.executable)} -m refsched serve"


@pytest.mark.parametrize("what", ["refsched.reference", SERVED])
def test_the_specification_is_the_same_in_the_process_and_behind_the_wire(what: str) -> None:
    with connect(what) as adapter:
        assert (adapter.what, adapter.hello.name) == (what, "refsched")
        session = adapter.reset(no_config())
        session.create(NODE)
        session.create(POD)
        attempt = session.schedule().attempt
        assert attempt is not None
        assert (attempt.pod, attempt.node, attempt.feasible) == ("default/p", "n", 1)
        assert session.schedule().idle
        assert len(session.observe().records) == 2


def test_the_specification_is_meant_where_nothing_is_said() -> None:
    with connect() as adapter:
        assert adapter.hello.name == "refsched"


def test_a_command_is_split_as_a_shell_would(tmp_path: Path) -> None:
    with connect(
        spelled(tmp_path, "hear(); say(HELLO | {'version': sys.argv[1]})\nhear()\n") + " 'a b'"
    ) as adapter:
        assert adapter.hello.version == "a b"


def test_the_time_for_an_answer_can_be_chosen(tmp_path: Path) -> None:
    with pytest.raises(AdapterFault, match=r"no answer within 0\.2 seconds"):
        connect(spelled(tmp_path, "time.sleep(60)\n"), timeout=0.2)


def test_the_real_scheduler_is_a_program_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def built(version: str, log: object) -> Path:
        asked.append(version)
        program = tmp_path / "program"
        program.write_text(
            f'#!{sys.executable}\ninput()\nprint(\'\'\'{{"name": "k", "version": "1", "kubernetes": "1.34",'
            " \"capabilities\": []}''', flush=True)\ninput()\n"
        )
        program.chmod(0o755)
        return program

    monkeypatch.setattr(connecting, "kube_scheduler", built)
    for what in ("kube-scheduler", "kube-scheduler:v1.99"):
        with connect(what) as adapter:
            assert not adapter.hello.capabilities
    assert asked == ["v1.37", "v1.99"]


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        ("exec:", "exec:: names no command"),
        ("exec:a 'b", "exec:a 'b: is not a command line: No closing quotation"),
        ("exec", "exec: there is no such module"),
        ("", "'': expected the path of a Python module, exec:COMMAND, api:COMMAND or kube-scheduler"),
        ("./mine.py", "./mine.py: names a file; a module is named as it is imported (mine), and a program"),
        ("http://there", "'http://there': expected the path of a Python module"),
        ("kube-scheduler:v0.1", "there is no kube-scheduler 'v0.1' here, but v1.19, v1.34"),
        ("kube-scheduler:../../etc", "there is no kube-scheduler '../../etc' here, but v1.19, v1.34"),
    ],
)
def test_what_cannot_be_meant_is_refused(what: str, problem: str) -> None:
    with pytest.raises((InputError, AdapterFault)) as refused:
        connect(what)
    assert str(refused.value).startswith(problem)
