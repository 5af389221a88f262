# SPDX-License-Identifier: Apache-2.0
"""The entry point, what it starts with, and how it prints."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands import cluster, node, pod, run

import refsched.__main__
from refsched.errors import counted
from refsched.tools import printing
from refsched.tools.cli.main import main

ROOT = Path(__file__).parents[3]
LATE = (
    "yaml",
    "rich",
    "cattrs",
    "celpy",
    "hypothesis",
    "http.client",
    "pytest",
    "ssl",
    "refsched.machine.scheduler",
    "refsched.tools.printing",
)


def _python(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def _without(late: tuple[str, ...], *args: str) -> subprocess.CompletedProcess[str]:
    """Runs a command, whose standard error then names those of these modules that it has loaded."""
    program = (
        f"import sys; from refsched.tools.cli.main import cli; sys.argv[1:] = {args!r}\n"
        f"try: cli(standalone_mode=False)\n"
        f"finally: print(*(name for name in {late!r} if name in sys.modules), file=sys.stderr)"
    )
    return _python("-c", program)


def test_help_loads_nothing_that_only_a_command_needs() -> None:
    program = (
        "import sys; from refsched.tools.cli.main import cli; cli(['--help'], standalone_mode=False);"
        f"print(*(name for name in {LATE!r} if name in sys.modules), file=sys.stderr)"
    )
    done = _python("-c", program)
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert all(command in done.stdout for command in ("explain", "replay", "schedule"))


def test_schedule_loads_nothing_that_its_cluster_does_not_need(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n"), pod("p"))
    late = (
        "celpy",
        "hypothesis",
        "http.client",
        "pytest",
        "refsched.cel.compiler",
        "refsched.releases.v1_19",
        "ssl",
        "yaml",
    )
    done = _without(late, "schedule", "-f", path)
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert "1 pending pod" in done.stdout


def test_a_replay_that_agrees_loads_nothing_of_the_suite() -> None:
    path = str(sorted((ROOT / "traces" / "kube-scheduler-v1.34.2").glob("*.jsonl.gz"))[0])
    late = ("hypothesis", "pytest", "refsched.suite", "rich", "yaml")
    done = _without(late, "replay", path)
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert "0 disagree" in done.stdout


@pytest.mark.parametrize("command", ["explain", "replay", "schedule"])
def test_each_command_prints_its_exit_codes_or_its_usage(command: str) -> None:
    done = run(command, "--help")
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: cli {command} ")


def test_the_module_and_the_script_are_one_program() -> None:
    done = _python("-m", "refsched", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ")
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts.pop("refsched") == "refsched.__main__:main"
    assert list(scripts) == ["kubectl-refsched"]  # the name by which kubectl finds its plugin refsched
    assert refsched.__main__.main is main


def test_a_stream_that_cannot_spell_a_character_shows_its_escape(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n"), pod("a"))
    done = _python("-m", "refsched", "schedule", "-f", path, PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2192 n" in done.stdout


def test_streams_of_other_kinds_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["refsched", "--version"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0


def test_serve_answers_the_protocol() -> None:
    done = run("serve", stdin='{"hello": {"protocol": 1}}\n')
    assert (done.exit_code, json.loads(done.output)["name"]) == (0, "refsched")


# --- Printing -------------------------------------------------------------------------------------


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours_and_folded_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    page = printing.Page()
    page.table(("A", "B"), [("a" * 15, "✗ " + "b" * 15 + " " + "c" * 15)])
    page.show()
    printed = terminal.getvalue()
    lines = re.sub(r"\x1b\[\d*m", "", printed).splitlines()
    assert lines[0] != printed.splitlines()[0]
    assert max(map(len, lines)) <= 40
    assert [line.split() for line in lines] == [["A", "B"], ["a" * 15, "✗", "b" * 15], ["c" * 15]]


def test_a_table_without_rows_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = printing.Page()
    page.table(("A", "B"), [])
    page.line("end", indent=2)
    page.show()
    assert capsys.readouterr().out == "  end\n"


def test_elsewhere_rows_are_plain_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    page = printing.Page()
    page.table(("A", "B"), [("[bold]:smile:", "✓ " + "b" * 300)])
    page.show()
    assert capsys.readouterr().out.splitlines()[1] == "[bold]:smile:  ✓ " + "b" * 300


def test_values_are_printed_as_json_or_yaml(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"b": ["ü" * 200], "a": None}
    printing.show_value(value, "json")
    assert json.loads(capsys.readouterr().out) == value
    printing.show_value(value, "yaml")
    assert capsys.readouterr().out == f"b:\n- {'ü' * 200}\na: null\n"


def test_numbers_and_names_are_counted() -> None:
    assert [counted(n, "pod") for n in (0, 1, 1234)] == ["0 pods", "1 pod", "1,234 pods"]
    assert printing.some(["a", "b"]) == "a, b"
    assert printing.some(list("abcdefg")) == "a, b, c, d, e and 2 more"


def test_the_help_names_every_kind_that_scheduling_reads_and_every_release_serves() -> None:
    from refsched.objects.kinds import KINDS
    from refsched.tools.cli.options import DUMPED

    def plural(kind: str) -> str:
        return kind.lower() + ("es" if kind.endswith("s") else "s")

    def spelled(kind: str) -> str:
        return plural(kind).replace("capacitys", "capacities")

    served = [kind.type.__name__ for kind in KINDS if kind.type.__name__ != "DeviceTaintRule"]  # since 1.37
    assert sorted(DUMPED.split(",")) == sorted(map(spelled, served))


@pytest.mark.parametrize(
    ("test", "meant"),
    [("test_plugin.py", "test_plugins.py"), ("test_plugin.py::test_taints_and_cordons", "test_plugins.py")],
)
def test_a_module_that_the_suite_does_not_have_is_named(test: str, meant: str) -> None:
    done = _python("-m", "refsched", "conformance", test)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"refsched: {test}: the suite has no such module; did you mean {meant}?\n"


def test_the_choices_of_an_option_that_is_missing_stand_below_each_other() -> None:
    done = _python("-m", "refsched", "new", "adapter")
    assert done.returncode == 2
    assert "    python,\n    typescript,\n" in done.stderr


def test_a_file_is_no_folder_for_a_scheduler(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = _python("-m", "refsched", "new", "adapter", "--language=go", f"--output={tmp_path / 'file'}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"refsched: --output: {tmp_path / 'file'}: is not a folder\n"


def test_the_report_is_on_standard_output_where_json_is_asked_for() -> None:
    done = _python(
        "-m", "refsched", "conformance", "-k", "host_ports", "--examples", "2", "-o", "json", "-n0"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["verdict"], report["run"]["seed"]) == ("passed", "0")
    assert "passed" in done.stderr
