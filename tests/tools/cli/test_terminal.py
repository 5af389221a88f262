# SPDX-License-Identifier: Apache-2.0
"""What a file or an implementation says never reaches a terminal as something that the terminal obeys."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from commands import CONFIG, cluster, node, pod, run
from forked_pytest import run_refsched

pty = pytest.importorskip("pty")

EVIL = "\x1b]0;owned\x07\x1b[2J\x7f\x85\x9b31m\u202eevil\u2028"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
IMPLEMENTATION = """
from refsched.reference import create as _create

class Evil:
    def __init__(self, inner):
        self.inner = inner
    def hello(self):
        return {**self.inner.hello(), "name": EVIL, "version": EVIL}
    def schedule(self, pod=None):
        if MODE == "error":
            return {"error": EVIL}
        if MODE == "raises":
            raise ValueError(EVIL)
        answer = self.inner.schedule(pod)
        for record in answer.get("records", ()):
            if "attempt" in record:
                record["attempt"]["node"] = EVIL if MODE == "node" else record["attempt"].get("node")
                record["attempt"]["message"] = EVIL
        return answer
    def __getattr__(self, name):
        return getattr(self.inner, name)

def create(config, **more):
    return Evil(_create(config, **more))
"""


def shown(*args: str, cwd: Path) -> str:
    """What the command sends to a terminal, but for colours, on stdout and stderr."""
    reader, writer = pty.openpty()
    sent = bytearray()

    def read() -> None:
        with suppress(OSError):  # the other end is closed
            while piece := os.read(reader, 65536):
                sent.extend(piece)

    reading = Thread(target=read)
    reading.start()
    try:
        code = run_refsched(cwd, *args, terminal=Path(os.ttyname(writer)))
    finally:
        os.close(writer)
        reading.join()
        os.close(reader)
    assert code in (0, 1, 2)
    text = sent.decode()
    assert "Traceback" not in text
    return COLOURS.sub("", text)


def obeyed(text: str) -> set[str]:
    """What a terminal would obey, but ends of lines, and what pytest itself sends to draw its progress."""
    return {repr(char) for char in text if not char.isprintable() and char not in "\r\n"}


def files(folder: Path) -> None:
    metadata = {"name": "n", "labels": {EVIL: EVIL}}
    taint = {"key": "k" + EVIL, "value": EVIL, "effect": "NoSchedule"}
    named = pod("evil" + EVIL)
    named["metadata"]["uid"] = EVIL
    named["spec"][EVIL] = 1
    cluster(folder, {**node("n"), "metadata": metadata, "spec": {"taints": [taint]}}, named, pod("a"))
    cluster(folder, pod("a", **{EVIL: 1}), name="unknown.json")
    cluster(folder, pod("a", priority=EVIL), name="wrong.json")
    (folder / "config.yaml").write_text(yaml.safe_dump({**CONFIG, EVIL: EVIL}))
    header = {"trace": "refsched.trace/v1", "scheduler": {"name": EVIL, "version": EVIL}, "config": CONFIG}
    attempt = {"pod": EVIL, "result": "scheduled", "node": EVIL, "message": EVIL}
    entries = [
        header,
        {"at": 0, "create": node("n")},
        {"at": 0, "create": pod("a")},
        {"at": 0, "attempt": attempt},
    ]
    (folder / "trace.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    (folder / "cut.jsonl").write_text(json.dumps({**header, EVIL: 1}) + "\n")


@pytest.mark.parametrize(
    "args",
    [
        ["schedule", "-f", "cluster.json"],
        ["schedule", "-f", "cluster.json", "-o", "json"],
        ["schedule", "-f", "cluster.json", "-o", "yaml"],
        ["schedule", "-f", "unknown.json"],
        ["schedule", "-f", "wrong.json"],
        ["schedule", "-f", "cluster.json", "--config", "config.yaml"],
        ["schedule", "-f", "cluster.json", "--kubernetes", EVIL],
        ["schedule", "-f", "cluster.json", "--feature-gates", EVIL],
        ["schedule", "-f", EVIL],
        ["schedule", f"--{EVIL}"],
        ["schedule", "-f", "cluster.json", "-o", EVIL],
        ["explain", "-f", "cluster.json", "a"],
        ["explain", "-f", "cluster.json", "evil"],
        ["replay", "trace.jsonl"],
        ["replay", "cut.jsonl", EVIL],
        ["replay", "--json", "trace.jsonl"],
        ["record", "--impl", "evil", "--scenario", EVIL, "--output", f"{EVIL}.jsonl"],
        ["conformance", f"--impl={EVIL}"],
        ["conformance", f"--{EVIL}"],
    ],
    ids=lambda args: " ".join(args).replace(EVIL, "EVIL"),
)
def test_nothing_of_a_file_or_an_option_is_obeyed_by_a_terminal(tmp_path: Path, args: list[str]) -> None:
    files(tmp_path)
    text = shown(*args, cwd=tmp_path)
    assert text
    assert obeyed(text) == set()


@pytest.mark.parametrize("mode", ["node", "raises"])
def test_nothing_of_an_implementation_is_obeyed_by_a_terminal(tmp_path: Path, mode: str) -> None:
    source = f"EVIL = {EVIL!a}\nMODE = {mode!r}\n{IMPLEMENTATION}"
    (tmp_path / "evil_scheduler.py").write_text(source)
    args = [
        "--impl=evil_scheduler",
        "-k",
        "overcommitted_cpu and not alone",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
    ]
    text = shown("conformance", *args, cwd=tmp_path)
    assert "owned" in text
    assert obeyed(text) == set()


def test_names_are_whole_where_a_terminal_is_narrow(tmp_path: Path) -> None:
    names = [f"ip-10-0-0-{i}.eu-central-1.compute.internal" for i in range(30)]
    cordoned = [{**node(name), "spec": {"unschedulable": True}} for name in names]
    cluster(tmp_path, *cordoned, pod("a"), pod("b" * 60, nodeSelector={"a": "b"}))
    for command in (["schedule"], ["explain", "a"], ["capacity", "--pod", "a"]):
        lines = shown(*command, "-f", "cluster.json", cwd=tmp_path).splitlines()
        assert max(map(len, lines)) <= 80
        assert any(names[0] in line for line in lines)


@pytest.mark.parametrize(("form", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_what_is_escaped_is_read_as_it_was(tmp_path: Path, form: str, read: Any) -> None:
    named = pod("evil" + EVIL)
    done = run("schedule", "-f", cluster(tmp_path, node("n"), named), "-o", form)
    assert read(done.stdout)["pods"][0]["pod"] == "default/evil" + EVIL
