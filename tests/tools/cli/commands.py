# SPDX-License-Identifier: Apache-2.0
"""How the tests of this folder run a command, and what they give to it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from refsched.tools.cli.main import cli, main

Json = dict[str, Any]
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def run(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, input=stdin)


def refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The one line that bad input gives; nothing else is printed, and the exit code is 2."""
    monkeypatch.setattr(sys, "argv", ["refsched", *args])
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr()
    assert (left.value.code, printed.out) == (2, "")
    [line] = printed.err.splitlines()
    return line.removeprefix("refsched: ")


def node(name: str, cpu: str = "4", **more: Any) -> Json:
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": "20"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": allocatable},
        **more,
    }


def pod(name: str, cpu: str = "1", status: Json | None = None, **spec: Any) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [container], **spec},
        "status": status or {},
    }


def cluster(folder: Path, *values: Json, name: str = "cluster.json") -> str:
    path = folder / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values)}))
    return str(path)


def lines(result: Result) -> Sequence[str]:
    printed: str = result.output
    return printed.splitlines()
