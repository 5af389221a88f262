# SPDX-License-Identifier: Apache-2.0
"""The report files: one shape as JSON, one page as HTML, both of the same result."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest
from attrs import evolve, frozen

from refsched.suite.level import Level
from refsched.suite.reports.report_html import html
from refsched.suite.reports.report_json import as_json, json_text
from refsched.suite.reports.report_terminal import paragraphs, power
from refsched.suite.results.invocation import Invocation
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.outcome import Failure, Fault, Outcome, outcome_in, with_property
from refsched.suite.results.result import NotJudged, Result, Untried, faults_seen
from refsched.suite.results.rule import Rule
from refsched.suite.results.statistics import Power, Statistics, Unseen
from refsched.suite.results.verdicts import rule_verdicts

RULES = {
    rule.id: rule
    for rule in (
        Rule("R-FIT-01", "a pod asks for <what> it needs & more."),
        Rule("R-SEARCH-01", "the best node is taken."),
        Rule("R-WORDS-01", "it is told in these words.", level="observed", source="types.go."),
        Rule("R-QUEUE-01", "the first is first."),
        Rule("R-TAINT-01", "never asked."),
    )
}


def failure(rule: str, *, shrunk: bool = True, steps: int = 2, under: str = "") -> Failure:
    return Failure(
        rule=rule,
        test="test_a",
        lines=("1  pod  a  cpu 1", "2  schedule  →  a on n1"),
        steps=steps,
        steps_at_first=9,
        size=40,
        line=1,
        member="filter.n1",
        pod="default/a",
        expected="NodeResourcesFit (<cpu> & memory)",
        got="Success",
        trace="{}\n",
        scenario="# R-FIT-01\nkind: Pod\n",
        shrunk=shrunk,
        under=under,
    )


OUTCOMES = [
    Outcome(
        "test_a",
        ("R-FIT-01", "R-SEARCH-01"),
        examples=40,
        decisive={"R-FIT-01": 3, "R-SEARCH-01": 2, "R-WORDS-01": 1},
        choices=10,
        single=9,
        failures=(failure("R-FIT-01"), failure("R-SEARCH-01", shrunk=False, under="R-FIT-01")),
        target="R-FIT-01",
    ),
    Outcome("test_b", ("R-QUEUE-01",), missing=("queue",)),
    Outcome("test_c", ("R-WORDS-01",), fault=Fault("adapter", "mine: it ended\n  with <3>")),
    Outcome("test_d", ("R-WORDS-01",), fault=Fault("adapter", "mine: it ended\n  with <3>")),
]


def result(outcomes: list[Outcome], level: str = "all", known: tuple[str, ...] = ()) -> Result:
    return Result(
        about=JudgedImplementation("my <scheduler>", "1.0", "1.34", ("filter", "score")),
        invocation=Invocation(
            "exec:./mine --fast",
            Level(level),
            "0",
            command="pytest conformance/ --impl='exec:./mine --fast'",
        ),
        rules=rule_verdicts(RULES, outcomes, Level(level), known),
        faults=faults_seen(outcomes),
        statistics=Statistics(
            tests=3,
            examples=40,
            choices=10,
            single=9,
            ended=(("it is unsupported", 4), ("diverged", 1)),
        ),
        not_judged=NotJudged(untested=1),
        power=Power(3, 4),
    )


def with_statistics(found: Result, **changes: Any) -> Result:
    return evolve(found, statistics=evolve(found.statistics, **changes))


RESULT = result(OUTCOMES)

# --- Verdicts -------------------------------------------------------------------------------------


def test_each_rule_has_one_verdict_in_the_order_of_the_catalogue() -> None:
    assert [(each.rule.id, each.verdict) for each in RESULT.rules] == [
        ("R-FIT-01", "fail"),
        ("R-SEARCH-01", "fail"),
        ("R-WORDS-01", "pass"),
        ("R-QUEUE-01", "not claimed"),
    ]
    assert [each.rule.id for each in RESULT.roots] == ["R-FIT-01"]
    assert RESULT.exit_code == 1


def test_what_another_test_has_seen_by_itself_is_not_filed_under_another_rule() -> None:
    alone = Outcome("test_e", (), failures=(failure("R-SEARCH-01", steps=8),))
    seen = result([*OUTCOMES, alone])
    assert [each.rule.id for each in seen.roots] == ["R-FIT-01", "R-SEARCH-01"]
    assert seen.filed_under(seen.roots[0]) == ()
    assert [each.rule.id for each in RESULT.filed_under(RESULT.roots[0])] == ["R-SEARCH-01"]


def test_only_rules_of_the_level_count() -> None:
    observed = result(OUTCOMES, level="observed")
    assert [each.rule.id for each in observed.rules] == ["R-WORDS-01"]
    assert (observed.exit_code, observed.word) == (2, "not judged")


def test_the_smallest_evidence_that_was_made_small_is_shown() -> None:
    search = failure("R-SEARCH-01", steps=5, under="R-FIT-01")
    more = Outcome("test_0", (), failures=(failure("R-FIT-01", steps=1), search))
    shown = {each.rule.id: each.failure for each in result([more, *OUTCOMES]).rules}
    assert shown["R-FIT-01"] == failure("R-FIT-01", steps=1)
    assert shown["R-SEARCH-01"] == search


def test_a_rule_that_no_catalogue_knows_is_reported_last() -> None:
    stranger = Outcome("test_s", (), decisive={"R-A-01": 1, "R-FIT-01": 1})
    assert [each.rule.id for each in result([stranger]).rules] == ["R-FIT-01", "R-A-01"]


def test_an_outcome_travels_as_plain_values() -> None:
    properties: list[tuple[str, object]] = [("other", 1)]
    with_property(properties, OUTCOMES[0])
    assert outcome_in(json.loads(json.dumps(properties))) == OUTCOMES[0]
    assert outcome_in([("other", 1)]) is None


def test_a_fault_is_shown_once_whatever_request_showed_it() -> None:
    problems = [
        'mine: it ended\n  request  {"create": {}}\n  stderr, its last lines\n    no',
        "mine: it ended\n  request  {}\n  stderr, its last lines\n    no",
        "mine: it does not answer\n  request  {}",
    ]
    of_tests = [
        Outcome(f"test_{number}", (), fault=Fault("adapter", problem))
        for number, problem in enumerate(problems)
    ]
    assert [(seen.fault.problem, seen.tests) for seen in faults_seen(of_tests)] == [
        (problems[2], ("test_2",)),
        (problems[1], ("test_0", "test_1")),
    ]


# --- Terminal -------------------------------------------------------------------------------------


def test_what_is_not_shown_in_full_is_named() -> None:
    unrelated = Outcome(
        "test_u",
        (),
        failures=(failure("R-QUEUE-01", shrunk=False), failure("R-FIT-01")),
        target="R-FIT-01",
    )
    printed = ["\n".join(paragraph.lines) for paragraph in paragraphs(result([unrelated]))]
    assert printed[2].splitlines() == [
        "ALSO FAILED",
        "  R-QUEUE-01  the first is first.",
        "  Their traces stand beside the others, in .refsched/.",
    ]


def test_remarks_report_what_was_not_done_how_tight_it_was_and_what_it_is_worth() -> None:
    printed = " ".join(
        line.strip() for paragraph in paragraphs(result([OUTCOMES[1]])) for line in paragraph.lines
    )
    assert "not completed: 5 of 40 histories: it is unsupported (4); diverged (1)" in printed
    assert "tightness: 90.0 % of the 10 outcomes checked were the only one allowed" in printed
    assert (
        "power: a run of this many histories kills 3 of the 4 wrong schedulers that were planted (75 %, with seed"
        " 0); the suite was improved with these, so that it is a regression test, and of others it may kill fewer"
        in printed
    )


def test_power_says_what_is_known_of_mistakes_that_nobody_had_looked_at() -> None:
    said = power(Power(3, 4, unseen=Unseen("2026-11-28", 30, 20)))
    assert said.endswith(
        "a regression test, and of 30 others, which nobody had looked at, all histories of the suite"
        " killed 20 (66.6 %, 2026-11-28)"
    )


def test_of_many_reasons_the_first_three_are_reported() -> None:
    many = with_statistics(result([OUTCOMES[1]]), ended=tuple((f"reason {number}", 1) for number in range(5)))
    printed = "\n".join(line for paragraph in paragraphs(many) for line in paragraph.lines)
    assert "reason 2 (1); 2 other reasons" in printed


# --- The real kube-scheduler ----------------------------------------------------------------------


def of_the_real_one(
    outcomes: list[Outcome], what: str = "kube-scheduler:v1.34", selected: str = ""
) -> Result:
    return evolve(
        result(outcomes),
        about=JudgedImplementation("kube-scheduler", "v1.34.2", "1.34", ("filter",)),
        invocation=Invocation(
            what, Level.ALL, "37", command=f"refsched conformance --impl={what}", selected=selected
        ),
    )


def test_a_failure_of_the_real_one_is_for_the_developers_of_refsched() -> None:
    seen = of_the_real_one(OUTCOMES)
    seed = "--hypothesis-seed=37"
    command = f"refsched conformance --impl=kube-scheduler:v1.34 {seed} -k 'test_a or test_c or test_d'"
    *_, report, _ = paragraphs(seen)
    first, *_, last = report.lines
    assert first.startswith("PLEASE REPORT  This is the real kube-scheduler v1.34.2,")
    assert "(seed 37)" in " ".join(report.lines)
    assert last.strip() == command
    assert json.loads(json_text(seen))["forRefsched"]["command"] == command
    assert (
        seen.sentences[-2]
        == "This is kube-scheduler v1.34.2 itself: most likely the mistake is one of refsched."
    )
    page = Page(html(seen))
    assert command in page.text["pre"]


def test_the_command_to_send_repeats_what_was_selected_or_replayed() -> None:
    selected = of_the_real_one(OUTCOMES, selected="-k host_ports --budget 10s")
    assert selected.to_report.endswith("-k host_ports --budget 10s --hypothesis-seed=37")
    once = of_the_real_one(OUTCOMES)
    replayed = evolve(once, invocation=evolve(once.invocation, replayed="a.jsonl"))
    assert replayed.to_report.endswith("--replay=a.jsonl")


@pytest.mark.parametrize("outcomes", [OUTCOMES[1:2], []])
def test_nothing_is_to_be_reported_where_the_real_one_passes(outcomes: list[Outcome]) -> None:
    assert not of_the_real_one(outcomes).is_for_refsched


def test_a_scheduler_of_another_author_is_to_blame_for_its_failures() -> None:
    assert not of_the_real_one(OUTCOMES, "exec:./kube-scheduler").is_for_refsched
    assert json.loads(json_text(RESULT))["forRefsched"] is None


# --- What is claimed and cannot be shown ----------------------------------------------------------


def claiming(*plugins: tuple[str, tuple[str, ...]]) -> Result:
    untestable = (Rule("R-NODENAME-01", plugins=("NodeName",), untestable="no such pod is ever queued"),)
    found = result([Outcome("test_a", ("R-FIT-01",), decisive={"R-FIT-01": 1})])
    return evolve(
        with_statistics(found, choices=0, ended=()),
        not_judged=evolve(found.not_judged, untestable=untestable),
        of_plugins=plugins,
    )


NODE_NAME = ("NodeName", ("R-NODENAME-01",))


def test_a_claim_of_which_nothing_was_shown_is_not_judged() -> None:
    nothing = claiming(NODE_NAME, ("OfItsOwn", ()))
    assert (nothing.exit_code, nothing.unshown) == (2, ("NodeName",))
    assert nothing.headline == (
        "could not be judged: this run has shown nothing of NodeName. Beside it, 1 promised rule kept."
    )
    printed = "\n".join(line for paragraph in paragraphs(nothing) for line in paragraph.lines)
    assert "untestable (`refsched rule` says why): R-NODENAME-01" in printed
    assert "claimed, and nothing of it was shown in this run: NodeName" in printed
    report = json.loads(json_text(nothing))
    assert report["untestable"] == [{"rule": "R-NODENAME-01", "why": "no such pod is ever queued"}]
    assert report["unshown"] == ["NodeName"]
    assert "R-NODENAME-01 cannot be shown by any history: no such pod is ever queued." in html(nothing)


def test_a_plugin_of_which_something_was_shown_can_be_judged_beside_one_that_cannot() -> None:
    some = claiming(NODE_NAME, ("NodeResourcesFit", ("R-FIT-01",)))
    assert (some.exit_code, some.unshown) == (0, ("NodeName",))
    assert not claiming().unshown


# --- JSON -----------------------------------------------------------------------------------------


def test_the_json_report_holds_what_was_judged_and_how_it_is_repeated() -> None:
    printed = json.loads(json_text(RESULT))
    assert {name: value for name, value in printed.items() if name not in ("rules", "suite")} == {
        "report": "refsched.conformance/v1",
        "verdict": "failed",
        "headline": "does not conform: 1 promised rule broken, 0 kept. 1 more is broken, only behind another one. "
        "2 tests could not be judged.",
        "exitCode": 1,
        "implementation": {
            "what": "exec:./mine --fast",
            "name": "my <scheduler>",
            "version": "1.0",
            "kubernetes": "1.34",
            "capabilities": ["filter", "score"],
            "plugins": [],
            "fieldsNotTaken": [],
        },
        "run": {
            "level": "all",
            "seed": "0",
            "tests": 3,
            "examples": 40,
            "command": "pytest conformance/ --impl='exec:./mine --fast'",
            "arguments": [],
        },
        "counts": {"pass": 1, "fail": 2, "not exercised": 0, "not claimed": 1},
        "tightness": {"checked": 10, "single": 9},
        "endedEarly": {"it is unsupported": 4, "diverged": 1},
        "late": {},
        "without": {},
        "power": {"killed": 3, "planted": 4, "profile": "", "beyond": [], "unseen": None},
        "untestedRules": 1,
        "untried": [],
        "untestable": [],
        "unshown": [],
        "faults": [
            {"whose": "adapter", "problem": "mine: it ended\n  with <3>", "tests": ["test_c", "test_d"]}
        ],
        "staleBaseline": [],
        "forRefsched": None,
    }
    assert printed["rules"][0]["failure"] == {
        "test": "test_a",
        "history": ["1  pod  a  cpu 1", "2  schedule  →  a on n1"],
        "member": "filter.n1",
        "pod": "default/a",
        "also": [],
        "under": "",
        "expected": "NodeResourcesFit (<cpu> & memory)",
        "got": "Success",
        "steps": 2,
        "stepsAtFirst": 9,
        "shrunk": True,
        "repeats": True,
        "trace": ".refsched/R-FIT-01.jsonl",
        "scenario": ".refsched/R-FIT-01.yaml",
        "again": "pytest conformance/ --impl='exec:./mine --fast' --replay=.refsched/R-FIT-01.jsonl",
        "explain": "",
    }
    assert printed["rules"][3] == {
        "id": "R-QUEUE-01",
        "area": "QUEUE",
        "sentence": "the first is first.",
        "level": "promised",
        "source": "",
        "verdict": "not claimed",
        "known": False,
        "later": False,
        "decisive": 0,
        "tests": ["test_b"],
        "needs": ["queue"],
    }


# --- HTML -----------------------------------------------------------------------------------------

VOID = {"meta", "input", "link", "img", "br"}
LOADING = {"src", "href", "action", "data", "poster", "srcset"}


@frozen
class Element:
    name: str
    attributes: dict[str, str | None]


class Page(HTMLParser):
    """Every element, the text of each kind of element, and that all are closed in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.text: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
            self.text.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            self.text[tag][-1] += data

    def named(self, name: str) -> list[Element]:
        return [element for element in self.elements if element.name == name]


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(html(RESULT))


def test_the_page_is_well_formed_and_says_what_it_is(page: Page) -> None:
    assert html(RESULT).startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert page.text["title"] == ["my <scheduler> 1.0: conformance"]
    assert len(page.named("h1")) == len(page.named("main")) == 1
    ids = Counter(element.attributes["id"] for element in page.elements if "id" in element.attributes)
    assert set(ids.values()) == {1}


def test_nothing_is_loaded_from_elsewhere(page: Page) -> None:
    loaded = {
        value for element in page.elements for name, value in element.attributes.items() if name in LOADING
    }
    assert loaded == {"#R-FIT-01", "#R-SEARCH-01"}
    assert "http" not in "".join(page.text["style"] + page.text["script"])


def test_failures_come_first_the_cause_before_what_depends_on_it(page: Page) -> None:
    articles = [element.attributes.get("id") for element in page.named("article")]
    assert articles == ["R-FIT-01", "R-SEARCH-01", None]
    assert page.text["h3"][0] == "R-FIT-01 a pod asks for <what> it needs & more."
    assert page.text["pre"][0].splitlines()[2:] == [
        "                  filter.n1 of a",
        "                  expected: NodeResourcesFit (<cpu> & memory)",
        "                  got:      Success",
    ]
    assert page.text["pre"][-1] == "mine: it ended\n  with <3>"


def test_a_failure_says_how_to_go_on() -> None:
    also = evolve(failure("R-FIT-01"), explained="default/a", also=("R-FIT-02",))
    page = Page(html(result([evolve(OUTCOMES[0], failures=(also, OUTCOMES[0].failures[1]))])))
    given = dict(zip(page.text["dt"], page.text["dd"], strict=True))
    assert given["why"] == "refsched explain -f .refsched/R-FIT-01.jsonl default/a"
    assert given["only behind it"] == "R-SEARCH-01"
    assert given["or"] == "R-FIT-02 may be broken instead"
    assert Page(html(RESULT)).text["dt"].count("why") == 0


def test_the_table_has_every_rule_and_its_filter_every_verdict(page: Page) -> None:
    rows = [element.attributes for element in page.named("tr")][1:]
    assert [(row["data-verdict"], row["data-level"]) for row in rows] == [
        ("fail", "promised"),
        ("fail", "promised"),
        ("not claimed", "promised"),
        ("pass", "observed"),
    ]
    offered = [text for text in page.text["option"] if text != "any"]
    assert offered == ["pass", "fail", "not exercised", "not claimed", "promised", "observed"]


def test_a_page_without_failures_has_no_heading_for_them() -> None:
    fine = result([evolve(OUTCOMES[0], failures=(), target="")], known=("R-FIT-01",))
    page = Page(html(evolve(with_statistics(fine, choices=0), not_judged=NotJudged(), stale=("R-FIT-01",))))
    assert page.text["h2"] == ["Rule by rule"]
    assert any("Stale in the baseline (they pass): R-FIT-01." in text for text in page.text["p"])


def test_a_failure_counts_at_the_level_of_the_place_where_it_shows() -> None:
    at = {level: evolve(failure("R-FIT-01"), level=level) for level in ("promised", "observed")}
    for shown, expected in ((("observed",), "observed"), (("observed", "promised"), "promised")):
        outcomes = [Outcome(f"test_{level}", ("R-FIT-01",), failures=(at[level],)) for level in shown]
        for broken in (outcomes, outcomes[::-1]):
            (verdict,) = rule_verdicts(RULES, broken, Level.ALL, ())
            assert (verdict.rule.id, verdict.rule.level, verdict.verdict) == ("R-FIT-01", expected, "fail")
    of_words = evolve(failure("R-WORDS-01"), level="promised")
    outcomes = [Outcome("test_a", ("R-WORDS-01",), failures=(of_words,))]
    assert rule_verdicts(RULES, outcomes, Level.PROMISED, ())
    assert not rule_verdicts(RULES, outcomes, Level.OBSERVED, ())


# --- A judge that dies ----------------------------------------------------------------------------


def test_rules_whose_breaking_was_not_tried_are_told_with_the_reason() -> None:
    untried = (Untried("it <died>", ("R-TAINT-01",)), Untried("a worker has ended"))
    result = evolve(RESULT, not_judged=NotJudged(untried=untried))
    told = [line for paragraph in paragraphs(result) for line in paragraph.lines]
    assert "not judged: it <died>; so what was applied of these cannot be called kept: R-TAINT-01" in told
    assert "not judged: a worker has ended" in told
    assert '<p class="faint">Not judged: it &lt;died&gt;; so what was applied' in html(result)
    assert as_json(result)["untried"] == [
        {"why": "it <died>", "rules": ["R-TAINT-01"]},
        {"why": "a worker has ended", "rules": []},
    ]


def test_a_plugin_that_is_nearly_called_as_one_of_kube_scheduler_is_noted() -> None:
    plugins = ("NodeGroup", "NodePort", "NodePorts", "TaintToleration")
    about = JudgedImplementation("mine", "1", "1.37", ("filter",), plugins=plugins)
    first = next(paragraphs(evolve(result([]), about=about)))
    assert [line for line in first.lines if line.startswith("note: ")] == [
        "note: NodePort is no plugin of kube-scheduler, and counts as your own; did you mean NodePorts?"
    ]
