# SPDX-License-Identifier: Apache-2.0
"""How a run ends: a verdict is one on every test that was to be run, or it is none."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import toy_suite
from forked_pytest import run_pytest
from toy_suite import Suite

from refsched.suite.session.kept_rules import LOST
from refsched.suite.session.writing import write_whole

SKIPPING = """
import pytest
from refsched.suite.session.conforming import conforms
from toy_bench import history_of

@conforms(rules=("R-TOY-01",))
def test_that_skips_itself(check):
    check(history_of([1]))
    pytest.skip("enough")
"""

REFERENCE_THAT = """
import os
from refsched import reference

class Bent:
    def __init__(self, inner):
        self.inner = inner
    def __getattr__(self, name):
        return getattr(self.inner, name)
    def schedule(self, pod=None):
        {body}

def create(config, **more):
    return Bent(reference.create(config, **more))
"""
CONFTEST = 'pytest_plugins = ("refsched.suite.session.plugin",)\n'
TWO_PODS = """
from refsched.suite.session.conforming import conforms
from refsched.suite.histories.history import History, Schedule, creating

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "4", "memory": "4Gi", "pods": "9"}}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
       "spec": {"containers": [{"name": "c", "image": "i"}]}}

@conforms(rules=("R-SEARCH-01",), needs=("filter",))
def test_a_pod_that_fits(check):
    check(History((*creating(NODE, POD), Schedule())))
"""


def test_a_test_that_somebody_else_skips_is_not_judged(suite: Suite) -> None:
    suite.add("test_skipping.py", SKIPPING)
    result = suite()
    assert result.ret == 2
    result.stdout.fnmatch_lines(
        [
            "*test_skipping::test_that_skips_itself was skipped, and not by the suite: enough",
            "*1 test could not be judged.",
        ]
    )


def test_a_test_that_is_marked_to_be_skipped_is_not_judged(suite: Suite) -> None:
    marked = SKIPPING.replace("@conforms", "@pytest.mark.skip(reason='today')\n@conforms")
    suite.add("test_skipping.py", marked)
    result = suite()
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*was skipped, and not by the suite: today*"])


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["in one process", "in two"])
def test_a_run_whose_tests_do_not_all_come_to_an_end_is_not_judged(
    suite: Suite, options: tuple[str, ...]
) -> None:
    dropping = "\ndef pytest_runtest_protocol(item):\n    return True if 'small' in item.name else None\n"
    suite.add("conftest.py", (suite.path / "conftest.py").read_text("utf-8") + dropping)
    result = suite(*options)
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*1 test did not come to an end."])


def test_a_worker_that_ends_is_no_fault_of_the_scheduler(suite: Suite) -> None:
    suite.add("test_dying.py", SKIPPING.replace('pytest.skip("enough")', "import os; os._exit(0)"))
    result = suite("-n1")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*not judged in full: *", "*1 test did not come to an end."])


def test_an_interrupted_run_shows_what_was_found_and_writes_its_report(suite: Suite) -> None:
    interrupted = SKIPPING.replace('    pytest.skip("enough")', "    raise KeyboardInterrupt")
    suite.add("test_toys_interrupted.py", interrupted)
    result = suite("--report=report.json", impl="wrong")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*= conformance =*", "FAILED  R-TOY-02*", "*the run was interrupted: *"])
    assert json.loads((suite.path / "report.json").read_text("utf-8"))["rules"]


def test_what_an_interrupted_test_had_found_is_shown(suite: Suite) -> None:
    (suite.path / "test_toys.py").unlink()
    found = SKIPPING.replace(
        '    check(history_of([1]))\n    pytest.skip("enough")',
        "    try:\n        check(history_of([5]))\n    except AssertionError:\n        raise KeyboardInterrupt",
    )
    suite.add("test_found.py", found)
    result = suite(impl="wrong")
    assert result.ret == 2
    result.stdout.fnmatch_lines(
        ["FAILED  R-TOY-01*", "*the run was interrupted: 1 test did not come to an end."]
    )


# --- Modules that would turn a run green ----------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("return self.inner.schedule()", 0, "conforms, as far as was checked: *"),
        ("os._exit(0)", 2, "*it has ended, with exit code 0*"),
        ("import pytest; pytest.skip('enough')", 1, "*Skipped: enough*"),
        ("import pytest; pytest.exit('enough', 0)", 1, "*Exit: enough*"),
        ("raise KeyboardInterrupt", 1, "*KeyboardInterrupt*"),
        ("raise type('Mute', (Exception,), {'__str__': lambda _: 1 / 0})", 1, "*its message cannot be had*"),
    ],
)
def test_no_module_ends_a_run_well_by_ending_it(
    pytester: pytest.Pytester, body: str, code: int, line: str
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(bent_module=REFERENCE_THAT.replace("{body}", body), test_two=TWO_PODS)
    result = run_pytest(pytester.path, "-p", "no:cacheprovider", "--impl=bent_module", is_measured=True)
    assert result.ret == code
    result.stdout.fnmatch_lines([line])


def test_in_process_is_for_debuggers_and_says_so(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_two=TWO_PODS)
    result = run_pytest(pytester.path, "-p", "no:cacheprovider", "--in-process", is_measured=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*--in-process is for debuggers: what the module does*"])


def test_nothing_of_a_module_outlives_an_interrupted_run(pytester: pytest.Pytester) -> None:
    body = (
        "pid = os.fork()\n"
        "        if not pid: os.setsid(); import time; time.sleep(60)\n"
        "        open('pid', 'w').write(str(pid)); import time; time.sleep(60)"
    )
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(bent_module=REFERENCE_THAT.replace("{body}", body), test_two=TWO_PODS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--impl=bent_module"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as run:
        deadline = time.monotonic() + 30
        while not Path("pid").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=30)
    assert run.returncode == 2
    assert b"the run was interrupted: 1 test did not come to an end." in output
    assert not Path(f"/proc/{Path('pid').read_text()}").exists()


# --- Reports --------------------------------------------------------------------------------------


def test_a_report_is_written_beside_and_renamed(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text("of yesterday")
    report.chmod(0o640)
    before = report.stat().st_ino
    write_whole(report, "of today \ud800")
    assert report.read_text() == "of today \\ud800"
    assert report.stat().st_ino != before
    assert stat.S_IMODE(report.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_report_that_cannot_be_written_leaves_the_one_before(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(report, "of today")
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_report_may_go_to_a_pipe(tmp_path: Path) -> None:
    read, write = os.pipe()
    write_whole(Path(f"/dev/fd/{write}"), "line")
    assert os.read(read, 10) == b"line"
    os.close(read)
    os.close(write)
    with open(tmp_path / "out", "wb", buffering=0) as out:
        out.write(b"before, ")
        write_whole(Path(f"/dev/fd/{out.fileno()}"), "report")
    assert (tmp_path / "out").read_text() == "before, report"


# --- A worker that ends after its tests ------------------------------------------------------------

DIES = """
import os
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    if hasattr(session.config, "workerinput"):
        os._exit(1)
"""


def test_what_a_worker_compared_that_ends_before_it_says_so_keeps_no_rule(suite: Suite) -> None:
    suite.add("conftest.py", toy_suite.CONFTEST + DIES)
    result = suite("-n1", "--report=told.json")
    told = json.loads((suite.path / "told.json").read_text("utf-8"))
    assert told["counts"]["pass"] == 0
    [untried] = told["untried"]
    assert untried["why"] == LOST
    assert "R-TOY-01" in untried["rules"]
    assert f"not judged: {LOST}; so what" in " ".join(result.outlines)
    assert result.ret == 2
