# SPDX-License-Identifier: Apache-2.0
"""Exit codes: 0 passed, 1 failed, 2 could not be judged."""

from __future__ import annotations

import pytest
from toy_suite import Suite

from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.session.plugin import cannot_judge, print_problem


def test_the_right_scheduler_passes(suite: Suite) -> None:
    result = suite()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["conforms, as far as was checked: 2 promised rules kept, none broken."])


def test_a_wrong_scheduler_fails(suite: Suite) -> None:
    result = suite(impl="wrong")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["does not conform: 2 promised rules broken, 0 kept."])


def test_a_bad_option_is_reported_in_one_line(suite: Suite) -> None:
    result = suite("--budget=soon")
    assert result.ret == 2
    assert [line for line in result.errlines if line] == [
        "ERROR: --budget: expected a time like 10s, 5m or 1h, found 'soon'"
    ]


def test_an_option_that_nobody_knows_cannot_judge(suite: Suite) -> None:
    result = suite("--no-such-option")
    assert result.ret == 2
    said = [line for line in result.errlines if line]
    assert said == ["ERROR: unrecognized arguments: --no-such-option"]


def test_a_scheduler_that_is_not_there_cannot_be_judged(suite: Suite) -> None:
    result = suite(impl="missing")
    assert result.ret == 2
    problem = "missing: there is no such program; install it"
    assert [line for line in result.outlines + result.errlines if problem in line] == [f"ERROR: {problem}"]


def test_what_a_scheduler_wrote_before_it_ended_is_shown_below_the_problem(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_problem(cannot_judge(AdapterFault("mine", "it ended", log=("panic: \x1b[31m", "main.go:7"))))
    lines = ["ERROR: mine: it ended", "  stderr, its last lines", "    panic: \\x1b[31m", "    main.go:7"]
    assert capsys.readouterr().err.splitlines() == lines


def test_a_scheduler_that_claims_nothing_cannot_be_judged(suite: Suite) -> None:
    result = suite(impl="claims-nothing")
    assert result.ret == 2
    result.stderr.fnmatch_lines(["ERROR: claims-nothing claims no capability: nothing can be judged"])


def test_a_run_without_a_test_cannot_judge(suite: Suite) -> None:
    result = suite("-k", "no_such_test")
    assert result.ret == 2
    result.stderr.fnmatch_lines(["ERROR: no test was selected: check the path, -k and --shard"])


def test_a_replay_selects_its_own_test(suite: Suite) -> None:
    suite(impl="wrong")
    result = suite("-k", "no_such_test", "--replay=.refsched/R-TOY-01.jsonl")
    assert result.ret == 2
    said = "ERROR: no test was selected: --replay selects its own, so leave out the path and -k"
    result.stderr.fnmatch_lines([said])


def test_a_path_that_is_not_there_cannot_judge(suite: Suite) -> None:
    assert suite("no_such_folder").ret == 2


def test_a_test_that_cannot_be_imported_cannot_judge(suite: Suite) -> None:
    suite.add("test_broken.py", "import no_such_module\n")
    assert suite().ret == 2


def test_a_run_that_decided_nothing_cannot_judge(suite: Suite) -> None:
    suite.add("test_toys.py", "from refsched.suite.session.conforming import conforms\n")
    suite.add(
        "test_empty.py",
        "from refsched.suite.session.conforming import conforms\n"
        "@conforms(rules=('R-IDLE-01',))\n"
        "def test_nothing(check): pass\n",
    )
    result = suite()
    assert result.ret == 2
    result.stdout.fnmatch_lines(["could not be judged: no promised rule was kept or broken."])


def test_a_failing_test_that_is_none_of_the_suites_fails_the_run(suite: Suite) -> None:
    suite.add("test_other.py", "def test_other(): assert False\n")
    assert suite().ret == 1


def test_collecting_only_asks_nobody(suite: Suite) -> None:
    result = suite("--collect-only", impl="missing")
    assert result.ret == 0


def test_who_asks_for_a_seed_as_elsewhere_learns_its_option(suite: Suite) -> None:
    result = suite("--seed", "3")
    assert result.ret == 2
    result.stderr.fnmatch_lines(
        ["*unrecognized arguments: --seed*", "ERROR: for other histories: --hypothesis-seed N"]
    )
