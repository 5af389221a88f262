# SPDX-License-Identifier: Apache-2.0
"""An error comes before what is missing because of it, and is shown with its message."""

from __future__ import annotations

from refsched.records import ERROR, Attempt
from refsched.suite.histories.findings import Finding
from refsched.suite.histories.judge import _with_message
from refsched.suite.session.dependence import by_cause

CALLS = Finding("R-PERMIT-01", "calls", ("A.permit",), ())
RESULT = Finding("R-FAIL-01", "result", "scheduled", ERROR)
WAITS = Finding("R-FAIL-01", "result", "scheduled", "waiting")
SCORES = Finding("R-FIT-05", "scores.n1.NodeResourcesFit", 1, 2)


def _sorted(*findings: Finding) -> list[Finding]:
    return sorted(findings, key=lambda found: by_cause(found, 5 if found.member == "result" else 0))


def test_an_error_comes_before_what_is_missing_because_of_it() -> None:
    assert _sorted(CALLS, RESULT, SCORES) == [SCORES, RESULT, CALLS]
    assert _sorted(WAITS, CALLS) == [CALLS, WAITS]


def test_an_error_is_shown_with_its_message() -> None:
    record = Attempt("default/p", ERROR, message="it broke")
    shown = _with_message(RESULT, record)
    assert shown.got == "error: it broke"
    assert _sorted(CALLS, shown) == [shown, CALLS]
    assert _with_message(CALLS, record) == CALLS
    assert _with_message(RESULT, Attempt("default/p", ERROR)) == RESULT
