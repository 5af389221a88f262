# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page, for publishing: nothing is loaded from elsewhere, and it reads without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib.metadata import version
from pathlib import Path

from refsched.errors import counted
from refsched.suite.catalogue.rule_metadata import LEVELS
from refsched.suite.reports.report_terminal import (
    ended,
    failure_lines,
    for_refsched,
    not_tried,
    power,
    tightness,
    untried,
    whose,
    without,
)
from refsched.suite.results.outcome import Failure
from refsched.suite.results.result import Result
from refsched.suite.results.verdicts import FAIL, VERDICTS, RuleVerdict

HERE = Path(__file__).parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def html(result: Result) -> str:
    """Returns the whole page."""
    return "\n".join(_page(result)) + "\n"


def _page(result: Result) -> Iterator[str]:
    return framed(f"{result.about.name} {result.about.version}: conformance", _body(result))


def framed(title: str, body: Iterable[str]) -> Iterator[str]:
    """Yields a page with this body."""
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title>"
    yield f"<style>\n{_part('report.css')}</style>"
    yield "</head>"
    yield "<body>"
    yield from body
    yield "</body>"
    yield "</html>"


def _body(result: Result) -> Iterator[str]:
    yield from _head(result)
    yield "<main>"
    yield from _failures(result)
    yield from _faults(result)
    yield from _rules(result)
    yield "</main>"
    yield f"<script>\n{_part('report.js')}</script>"


def _part(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def _tag(name: str, text: str, kind: str = "") -> str:
    attributes = f' class="{escape(kind)}"' if kind else ""
    return f"<{name}{attributes}>{escape(text)}</{name}>"


def _block(text: str) -> str:
    """Returns the lines as they are; a block that is wider than the screen can be scrolled with the keyboard."""
    return f'<pre tabindex="0">{escape(text)}</pre>'


def _list(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yields a list of names and values; values are HTML already."""
    yield "<dl>"
    for name, value in pairs:
        yield f"{_tag('dt', name)}<dd>{value}</dd>"
    yield "</dl>"


# --- Who was judged, and how ----------------------------------------------------------------------


def _head(result: Result) -> Iterator[str]:
    about, asked, tried = result.about, result.invocation, result.statistics
    yield "<header>"
    yield _tag("h1", f"{about.name} {about.version} {result.headline}", result.word.replace(" ", "-"))
    facts = {
        "implementation": f"{asked.implementation}, for Kubernetes {about.kubernetes}",
        "claims": ", ".join(about.capabilities),
        "judged by": f"refsched {version('refsched')}, rules: {asked.level}, seed {asked.seed}",
        "asked": f"{counted(tried.tests, 'test')}, {counted(tried.examples, 'history', 'histories')}",
        "tightness": tightness(result),
    }
    if result.statistics.late:
        facts["time"] = not_tried(result)
    if result.statistics.ended:
        facts["not completed"] = ended(result)
    if about.plugins:
        facts["has the plugins"] = ", ".join(about.plugins)
    if about.fields_not_taken:
        facts["does not take"] = ", ".join(about.fields_not_taken)
    if result.statistics.without:
        facts["left out"] = without(result)
    if result.power is not None and not result.failures:
        facts["power"] = power(result.power)
    repeat = f"<code>{escape(result.invocation.once_more)}</code>"
    yield from _list([*((name, escape(text)) for name, text in facts.items()), ("repeat with", repeat)])
    yield '<ul class="counts">'
    for verdict in VERDICTS:
        yield f'<li class="{_kind(verdict)}"><strong>{len(result.having(verdict)):,}</strong> {verdict}</li>'
    yield "</ul>"
    if result.stale:
        yield _tag("p", f"Stale in the baseline (they pass): {', '.join(result.stale)}.", "fail")
    if result.is_for_refsched:
        yield f"<p>{escape(for_refsched(result))}</p>"
        yield _block(result.to_report)
    yield "</header>"


def _kind(verdict: str) -> str:
    return verdict.replace(" ", "-")


# --- What was wrong -------------------------------------------------------------------------------


def _failures(result: Result) -> Iterator[str]:
    failed = [each for each in (*result.roots, *result.having(FAIL)) if each.failure is not None]
    if not failed:
        return
    yield '<section aria-labelledby="failures">'
    yield '<h2 id="failures">Rules that were broken</h2>'
    for each in dict.fromkeys(failed):
        if each.failure is not None:
            yield from _failure(result, each, each.failure)
    yield "</section>"


def _failure(result: Result, each: RuleVerdict, failure: Failure) -> Iterator[str]:
    rule = each.rule
    yield f'<article id="{escape(rule.id)}">'
    yield f"<h3>{escape(rule.id)} {escape(rule.sentence)}</h3>"
    known = ", known to the baseline" if each.known else ""
    yield _tag("p", f"{rule.level}{known}. {rule.source}", "faint")
    yield _block("\n".join(failure_lines(rule, failure, titled=False)))
    yield from _list(_how_to_go_on(result, each, failure))
    yield "<details><summary>The scenario, for kubectl apply -f</summary>"
    yield _block(failure.scenario)
    yield "</details>"
    yield "</article>"


def _how_to_go_on(result: Result, each: RuleVerdict, failure: Failure) -> Iterator[tuple[str, str]]:
    yield "found by", f"{escape(failure.test)}{_circumstances(failure)}"
    if filed := [other.rule.id for other in result.filed_under(each)]:
        yield "only behind it", ", ".join(map(escape, filed))
    if failure.also:
        yield "or", f"{escape(', '.join(failure.also))} may be broken instead"
    yield "again", f"<code>{escape(result.invocation.again(failure.rule))}</code>"
    if explain := result.invocation.explain(failure):
        yield "why", f"<code>{escape(explain)}</code>"


def _circumstances(failure: Failure) -> str:
    shrunk = f", shrunk from {failure.steps_at_first} steps" if failure.steps_at_first > failure.steps else ""
    once = "" if failure.repeats else "; the same inputs did not show it every time"
    return shrunk + once


def _faults(result: Result) -> Iterator[str]:
    if not result.faults:
        return
    yield '<section aria-labelledby="faults">'
    yield '<h2 id="faults">What could not be judged</h2>'
    for seen in result.faults:
        yield '<article class="fault">'
        yield f"<h3>{counted(len(seen.tests), 'test')}: {escape(whose(seen, result))}</h3>"
        yield _block(seen.fault.problem)
        yield "</article>"
    yield "</section>"


# --- Rule by rule ---------------------------------------------------------------------------------

_FILTER = """<form id="filter" hidden>
<label>Words <input type="search" name="words"></label>
<label>Verdict <select name="verdict"><option value="">any</option>{verdicts}</select></label>
<label>Level <select name="level"><option value="">any</option>{levels}</select></label>
<output id="shown"></output>
</form>"""

_COLUMNS = ("Rule", "Verdict", "What it says", "Level", "Decisive")


def _rules(result: Result) -> Iterator[str]:
    yield '<section aria-labelledby="table">'
    yield '<h2 id="table">Rule by rule</h2>'
    verdicts, levels = ("".join(_tag("option", each) for each in words) for words in (VERDICTS, LEVELS))
    yield _FILTER.format(verdicts=verdicts, levels=levels)
    yield '<div class="scrolls" tabindex="0">'
    yield '<table id="rules">'
    yield "<caption>Decisive: how often the rule decided a value that was checked.</caption>"
    yield "<thead><tr>" + "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS) + "</tr></thead>"
    yield "<tbody>"
    for each in sorted(result.rules, key=lambda each: (each.verdict != FAIL, each.rule.id)):
        yield from _row(each)
    yield "</tbody>"
    yield "</table>"
    yield "</div>"
    for one in result.not_judged.untried:
        yield _tag("p", f"Not judged: {untried(one)}.", "faint")
    for rule in result.not_judged.untestable:
        yield _tag("p", f"{rule.id} cannot be shown by any history: {rule.untestable}.", "faint")
    if result.unshown:
        yield _tag("p", f"Claimed, and nothing of it was shown: {', '.join(result.unshown)}.", "faint")
    if untested := result.not_judged.untested:
        yield _tag("p", f"{counted(untested, 'rule')} of the catalogue had no test in this run.", "faint")
    yield "</section>"


def _row(each: RuleVerdict) -> Iterator[str]:
    rule = each.rule
    name = escape(rule.id) if each.failure is None else f'<a href="#{escape(rule.id)}">{escape(rule.id)}</a>'
    needs = f" (needs {', '.join(each.needs)})" if each.needs else ""
    yield f'<tr data-verdict="{each.verdict}" data-level="{escape(rule.level)}">'
    yield f"<td>{name}</td>"
    yield f'<td class="verdict {_kind(each.verdict)}">{escape(each.verdict + needs)}</td>'
    yield f'<td>{escape(rule.sentence)} <span class="faint">{escape(rule.source)}</span></td>'
    yield f"<td>{escape(rule.level)}</td>"
    yield f'<td class="number">{each.decisive:,}</td>'
    yield "</tr>"
