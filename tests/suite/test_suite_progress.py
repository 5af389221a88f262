# SPDX-License-Identifier: Apache-2.0
"""On a terminal a run shows what it does: one line for each property or table of cases."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

from toy_suite import Suite


def on_a_terminal(suite: Suite, *options: str) -> str:
    """What is printed to a terminal, without colours."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    with subprocess.Popen(command, cwd=suite.path, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        printed = b""
        try:
            while more := os.read(ours, 4096):
                printed += more
        except OSError:  # on Linux the end of a terminal is an error
            pass
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m|\x1b\]9;[^\x1b]*\x1b.", "", printed.decode()).replace("\r\n", "\n")


def lines_of(printed: str) -> list[str]:
    """The lines of progress, each without how long it took."""
    found = re.findall(r"^(\w[\w ]*?) {2,}(\d+ tests?, .*), \d+\.\d s(.*)$", printed, re.MULTILINE)
    return [f"{name}: {done}{failed}" for name, done, failed in found]


def test_each_property_and_each_table_of_cases_has_a_line(suite: Suite) -> None:
    printed = on_a_terminal(suite, "--impl=wrong")
    assert printed.startswith("conformance: --impl=wrong, seed 0, level all\n")
    assert lines_of(printed) == [
        "toys: 1 test, 2 histories, 1 test not conforming",
        "one small pod: 1 test, 1 history",
    ]
    assert "%]" not in printed
    assert "1 passed, 1 deselected, 1 not conforming" in printed


def test_a_property_that_is_not_claimed_says_so(suite: Suite) -> None:
    assert re.search(r"^toys +1 test, not claimed$", on_a_terminal(suite, "--impl=modest"), re.MULTILINE)


def test_a_test_of_which_no_history_was_completed_has_not_passed(suite: Suite) -> None:
    printed = on_a_terminal(suite, "--impl=diverges")
    assert lines_of(printed) == [
        "toys: 1 test, 40 histories, none completed",
        "one small pod: 1 test, 1 history, none completed",
    ]
    assert "1 deselected, 2 not completed" in printed


def test_who_asks_for_every_test_sees_every_test(suite: Suite) -> None:
    printed = on_a_terminal(suite, "--impl=right", "-v")
    assert lines_of(printed) == []
    assert "PASSED" in printed


def test_where_nobody_looks_on_there_are_letters(suite: Suite) -> None:
    assert lines_of("\n".join(suite(impl="right").outlines)) == []
