# SPDX-License-Identifier: Apache-2.0
"""A forked process ends with the one that forked it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from refsched.processes.forked_process import can_fork

SECONDS = 30.0

PARENT = """
import os, time
from refsched.processes.forked_process import ForkedProcess

def compute(connection):
    connection.send(os.getpid())
    time.sleep(600)

print(ForkedProcess(compute).receive(), flush=True)
time.sleep(600)
"""


def runs(pid: int) -> bool:
    """Returns whether the process runs; one that has ended may still be listed."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not (can_fork() and Path("/proc/self/stat").exists()), reason="needs fork and /proc")
def test_a_child_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        assert runs(child)
        parent.kill()
    deadline = time.monotonic() + SECONDS
    while runs(child) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not runs(child)
