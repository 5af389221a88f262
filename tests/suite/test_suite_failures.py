# SPDX-License-Identifier: Apache-2.0
"""What a failure says, word for word; what it leaves behind; and that it can be repeated."""

from __future__ import annotations

import json
from textwrap import dedent

import yaml
from toy_suite import Suite, report_of

from refsched.checking.trace import read_trace
from refsched.records import Attempt
from refsched.suite.histories.history import Create, Schedule
from refsched.suite.histories.scenario import read_history


def said(text: str) -> list[str]:
    return dedent(text).strip("\n").splitlines()


WRONG = said(
    """
    wrong: wrong 1.0, for Kubernetes 1.34
    claims filter, queue
    2 tests · 3 histories · seed 0 · rules: all

    FAILED  R-TOY-02  What does not fit is reported by its plugin.
            (toy.go, tell)

      1  pod  p1  cpu 6
      2  schedule  →  p1: unschedulable, n1: NodeName (Insufficient cpu)
                      filter.n1 of p1
                      expected: NodeResourcesFit (Insufficient cpu)
                      got:      NodeName (Insufficient cpu)

      shrunk from 4 steps
      test:    test_toys::test_toys
      again:   pytest --impl=wrong --replay=.refsched/R-TOY-02.jsonl
      why:     refsched explain -f .refsched/R-TOY-02.jsonl default/p1
      inputs:  .refsched/R-TOY-02.yaml   (kubectl apply -f)

    ALSO FAILED
      R-TOY-01  A pod of more than 3 cpu fits nowhere.
      Their traces stand beside the others, in .refsched/.

    rules           pass           fail  not exercised    not claimed
    IDLE               ·              ·              1              ·
    TOY                1              2              ·              ·
    all                1              2              1              ·

    not exercised (nothing in this run would show it broken): R-IDLE-01
    tightness: 66.7 % of the 3 outcomes checked were the only one allowed

    does not conform: 2 promised rules broken, 0 kept.
    """
)

DIES = said(
    """
    NOT JUDGED  1 test: a fault of the implementation's adapter, not of the scheduler
      dies: it ended with exit code 3
        request  {"schedule": {}}
    """
)

FICKLE = "  shrunk from 4 steps · the same inputs did not show it every time: this transcript is the evidence"


def test_a_failure_and_what_becomes_of_it(suite: Suite) -> None:
    result = suite(impl="wrong")
    assert report_of(result) == [*WRONG, ""]

    trace = read_trace(suite.path / ".refsched/R-TOY-01.jsonl")
    assert trace.header.scheduler.name == "wrong"
    assert [type(entry.record) for entry in trace.entries] == [Attempt]

    documents = list(yaml.safe_load_all((suite.path / ".refsched/R-TOY-01.yaml").read_text("utf-8")))
    assert [document["kind"] for document in documents] == ["Node", "Pod", "ConfigMap"]

    for suffix in ("jsonl", "yaml"):
        history = read_history(suite.path / f".refsched/R-TOY-01.{suffix}")
        assert [type(step) for step in history.steps] == [Create, Create, Schedule]

    again = suite("--replay=.refsched/R-TOY-01.yaml", impl="wrong")
    assert again.ret == 1
    again.stdout.fnmatch_lines(["  again:   * --replay=.refsched/R-TOY-01.yaml", "does not conform: *"])

    fixed = suite("--replay=.refsched/R-TOY-01.jsonl", impl="right")
    assert fixed.ret == 0
    fixed.stdout.fnmatch_lines(["the failure did not show again."])


def test_an_answer_that_is_not_allowed_fails_also_where_it_does_not_come_again(suite: Suite) -> None:
    result = suite(impl="fickle")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED  R-TOY-01 *", "  3  schedule  →  p1 on n1", FICKLE])


def test_a_fault_of_the_adapter_is_reported_once_and_counted_for_nobody(suite: Suite) -> None:
    suite.add(
        "test_more.py",
        "from refsched.suite.session.conforming import conforms\n"
        "@conforms(area='toys', rules=('R-TOY-02',))\n"
        "def test_more(check, history): check(history)\n",
    )
    result = suite(impl="dies")
    assert result.ret == 2
    result.stdout.fnmatch_lines([DIES[0].replace("1 test", "2 tests"), *DIES[1:]])
    assert sum("it ended with exit code 3" in line for line in result.outlines) == 1
    result.stdout.fnmatch_lines(
        ["not judged in full: 1 promised rule kept, none broken.", "2 tests could not be judged."]
    )


def test_a_fault_of_the_suite_is_reported_as_one(suite: Suite) -> None:
    suite.add(
        "test_more.py",
        "from refsched.suite.session.conforming import conforms\n"
        "@conforms(rules=('R-TOY-02',))\n"
        "def test_more(check): raise KeyError('nothing')\n",
    )
    result = suite(impl="breaks-the-suite")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["NOT JUDGED  1 test: a fault of the suite itself, not of the scheduler"])
    result.stdout.fnmatch_lines(["*ZeroDivisionError: a bug of the judge"])
    result.stdout.fnmatch_lines(["*test_more::test_more: KeyError: 'nothing'*"])


def test_what_is_not_claimed_is_not_tested(suite: Suite) -> None:
    result = suite(impl="modest")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["not claimed: R-TOY-02, R-TOY-03 (needs filter)", "* 1 not claimed in *"])


def test_observed_rules_do_not_count_where_only_promised_ones_were_asked_for(suite: Suite) -> None:
    assert suite("--level=promised", impl="words").ret == 0
    result = suite("--level=observed", "--junitxml=junit.xml", impl="words")
    assert result.ret == 1
    assert "R-TOY-03" in (suite.path / "junit.xml").read_text("utf-8")


def test_a_warning_of_an_implementation_is_no_error(suite: Suite) -> None:
    suite.add("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    assert suite("-k", "small_pod", impl="warns").ret == 0


def test_what_repeats_earlier_failures_is_removed_when_a_run_begins(suite: Suite) -> None:
    folder = suite.path / ".refsched"
    suite(impl="wrong")
    assert {path.name for path in folder.iterdir()} >= {"R-TOY-01.jsonl", "R-TOY-01.yaml"}
    (folder / "mine.yaml").write_text("", "utf-8")
    suite("--replay=.refsched/R-TOY-01.jsonl", impl="right")
    suite("--shard=1/2", impl="right")
    assert (folder / "R-TOY-01.jsonl").is_file()
    suite(impl="right")
    assert [path.name for path in folder.iterdir()] == ["mine.yaml"]


def test_one_mistake_that_shows_in_two_rules_is_one_failure(suite: Suite) -> None:
    result = suite("--report=r.json", impl="refuses-zero")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED  R-TOY-02*", "*also failing, and only behind this rule: R-TOY-01"])
    result.stdout.no_fnmatch_line("ALSO FAILED")
    rules = json.loads((suite.path / "r.json").read_text("utf-8"))["rules"]
    under = {rule["id"]: rule["failure"]["under"] for rule in rules if rule["verdict"] == "fail"}
    assert under == {"R-TOY-01": "R-TOY-02", "R-TOY-02": ""}


def test_what_follows_from_a_rule_of_the_baseline_is_a_failure_by_itself(suite: Suite) -> None:
    suite.add("known.txt", "R-TOY-02\n")
    result = suite("--baseline=known.txt", impl="refuses-zero")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED  R-TOY-01*", "failing, as listed in the baseline: R-TOY-02"])


def test_a_rule_that_is_only_observed_hides_none_that_is_promised(suite: Suite) -> None:
    result = suite(impl="hides")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["FAILED  R-TOY-01*", "*pod  p1  cpu 9", "*R-TOY-03*", "does not conform: 1 promised rule *"]
    )


def test_a_run_that_fails_by_what_is_only_observed_does_not_say_that_it_conforms(suite: Suite) -> None:
    result = suite(impl="words")
    assert result.ret == 1
    result.stdout.no_fnmatch_line("conforms*")
    result.stdout.fnmatch_lines(
        ["keeps what Kubernetes promises, as far as was checked: 2 promised *", "1 observed *"]
    )


def test_a_rule_that_ends_most_tests_is_offered_to_be_accepted(suite: Suite) -> None:
    again = (
        "@conforms(area='toys', rules=('R-TOY-01',))\ndef test_{}(check, history):\n    check(history)\n\n"
    )
    more = "from refsched.suite.session.conforming import conforms\n\n" + "".join(
        again.format(name) for name in "ab"
    )
    suite.add("test_more.py", more)
    result = suite(impl="wrong")
    result.stdout.fnmatch_lines(
        [
            "R-TOY-0? ended 3 of 4 tests, and what is behind it was not looked at. To accept this for now,"
            " and go on:",
            "  printf *R-TOY-0? >> known.txt",
            "  pytest --impl=wrong --hypothesis-seed=0 --baseline known.txt",
        ]
    )


def test_where_only_what_is_observed_counts_the_verdict_is_on_that(suite: Suite) -> None:
    suite("--level=observed").stdout.fnmatch_lines(
        ["conforms, as far as was checked: 1 observed rule kept, none broken."]
    )
    result = suite("--level=observed", impl="words")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["does not conform: 1 observed rule broken, 0 kept."])


def test_the_first_line_does_not_wait_for_the_implementation(suite: Suite) -> None:
    result = suite(impl="missing")
    assert result.ret == 2
    assert result.outlines[0] == "conformance: --impl=missing, seed 0, level all"
    assert not any(line.startswith("conformance:") for line in suite("-q", impl="right").outlines)
