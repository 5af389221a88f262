# SPDX-License-Identifier: Apache-2.0
"""Children: small programs that speak the wire protocol, well or badly."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

PREAMBLE = """\
import json, os, signal, sys, time
HELLO = {"name": "child", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}

def say(value):
    text = value if isinstance(value, str) else json.dumps(value)
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

def greet():
    hear()
    say(HELLO)
    hear()
    say({})

"""
"""``greet`` answers hello and reset as it should."""


def command(folder: Path, body: str) -> list[str]:
    """The command that runs a child of this body."""
    script = folder / "child.py"
    script.write_text(PREAMBLE + body)
    return [sys.executable, "-I", "-S", str(script)]


def spelled(folder: Path, body: str) -> str:
    """The child as ``--impl`` would name it."""
    return "exec:" + shlex.join(command(folder, body))
