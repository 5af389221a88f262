# SPDX-License-Identifier: Apache-2.0
"""The page that a scheduler can publish: the rules to which it conforms, the exceptions, and how to see that
again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from attrs import frozen

from refsched.errors import InputError, counted
from refsched.suite.catalogue.rule_metadata import LEVELS
from refsched.suite.reports.reading import ReadReport, ReportedRule
from refsched.suite.reports.report_html import framed
from refsched.suite.results.verdicts import FAIL, NOT_CLAIMED, NOT_EXERCISED, PASS

_STRONGEST_FIRST = (FAIL, PASS, NOT_EXERCISED, NOT_CLAIMED)
"""Of the verdicts that runs have on a rule, the first of these counts."""

Row = tuple[str, ...]


@frozen
class Section:
    """A Section has a table, whose first row is its head, or lines of a console."""

    title: str
    table: tuple[Row, ...] = ()
    console: tuple[str, ...] = ()


@frozen
class PublishedPage:
    """A PublishedPage has a title, and its sections in their order."""

    title: str
    sections: tuple[Section, ...]


def published(reports: Mapping[str, ReadReport]) -> PublishedPage:
    """Makes the page of runs that differ in their seeds or tests alone. Raises InputError for the file of another
    scheduler or version, and for one of a run that was not judged."""
    first = next(iter(reports.values()))
    for where, each in reports.items():
        if each.verdict == "not judged" or not each.run.arguments:
            raise InputError("was not judged, or is of a replay", where=where)
        if _judged(each) != _judged(first):
            raise InputError(f"is of {_judged(each)}, and the first of {_judged(first)}", where=where)
    runs = tuple(reports.values())
    rules = _rules(runs)
    if not any(each.verdict == PASS and each.level == first.run.level.of_headline for each in rules):
        raise InputError(f"no {first.run.level.of_headline} rule was kept", where=next(iter(reports)))
    return PublishedPage(_title(first, rules), tuple(_sections(runs, rules)))


def _judged(report: ReadReport) -> str:
    return f"{report.scheduler} by refsched {report.suite.version}, rules: {report.run.level}"


def _rules(runs: Sequence[ReadReport]) -> list[ReportedRule]:
    """Returns each rule once, with the verdict that counts."""
    seen: dict[str, ReportedRule] = {}
    for rule in (rule for run in runs for rule in run.rules):
        before = seen.get(rule.id)
        if before is None or _STRONGEST_FIRST.index(rule.verdict) < _STRONGEST_FIRST.index(before.verdict):
            seen[rule.id] = rule
    return list(seen.values())


def _title(report: ReadReport, rules: Sequence[ReportedRule]) -> str:
    about, level = report.implementation, report.run.level.of_headline
    broken = [each.id for each in rules if each.verdict == FAIL and each.level == level]
    listed = ", ".join(broken) if len(broken) <= 3 else counted(len(broken), "rule")
    but = f", but for {listed}" if broken else ""
    conforms = f"conforms to the {level} rules of v{about.kubernetes}{but}"
    return f"{about.name} {about.version} {conforms}, as far as was checked"


def _sections(runs: Sequence[ReadReport], rules: Sequence[ReportedRule]) -> Iterator[Section]:
    about = runs[0].implementation
    seeds = list(dict.fromkeys(run.run.seed for run in runs))
    histories = counted(sum(run.run.examples for run in runs), "history", "histories")
    facts = (
        ("scheduler", f"{about.name} {about.version} ({about.what})"),
        ("decides like", f"Kubernetes {about.kubernetes}"),
        ("claims", ", ".join(about.capabilities)),
        *([("has the plugins", ", ".join(about.plugins))] if about.plugins else []),
        ("judged by", f"refsched {runs[0].suite.version}, rules: {runs[0].run.level}"),
        ("seeds", f"{', '.join(seeds)} ({histories})"),
        ("rules without a test in these runs", str(min(run.untested for run in runs))),
    )
    yield Section("What was judged", facts)
    head = ("rules", "kept", "broken", "not exercised", "not claimed")
    by_level = [(level, [rule.verdict for rule in rules if rule.level == level]) for level in LEVELS]
    verdicts = (PASS, FAIL, NOT_EXERCISED, NOT_CLAIMED)
    counts = [(level, *(str(its.count(verdict)) for verdict in verdicts)) for level, its in by_level if its]
    yield Section("How many rules", (head, *counts))
    if broken := [rule for rule in rules if rule.verdict == FAIL]:
        rows = [(rule.id, f"{rule.level}{', known' if rule.known else ''}", rule.sentence) for rule in broken]
        yield Section("Broken", (("rule", "level", "what it says"), *rows))
    for title, verdict in (("Kept", PASS), ("Not exercised", NOT_EXERCISED)):
        if having := [(rule.id, rule.level, rule.sentence) for rule in rules if rule.verdict == verdict]:
            yield Section(title, (("rule", "level", "what it says"), *having))
    if unclaimed := [(rule.id, " or ".join(rule.needs)) for rule in rules if rule.verdict == NOT_CLAIMED]:
        yield Section("Not claimed", (("rule", "needs"), *unclaimed))
    install = f"python -m pip install refsched=={runs[0].suite.version}"
    yield Section("To see it again", console=(install, *map(_again, runs)))


def _again(run: ReadReport) -> str:
    return f"refsched conformance {shlex.join(run.run.arguments)}"


# --- Markdown -------------------------------------------------------------------------------------


def markdown(page: PublishedPage) -> str:
    """Returns the page in Markdown."""
    return "\n".join(_markdown(page))


def _markdown(page: PublishedPage) -> Iterator[str]:
    yield f"# {_plain(page.title)}\n"
    for section in page.sections:
        yield f"## {section.title}\n"
        for number, row in enumerate(section.table):
            yield f"| {' | '.join(map(_plain, row))} |"
            if not number:
                yield f"|{'---|' * len(row)}"
        if section.console:
            yield "\n".join(("```console", *section.console, "```"))
        yield ""


def _plain(text: str) -> str:
    """Returns the text so that nothing in it is a mark of Markdown or of HTML."""
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


# --- HTML -----------------------------------------------------------------------------------------


def page_html(page: PublishedPage) -> str:
    """Returns the page in HTML."""
    return "\n".join(framed(page.title, _html(page))) + "\n"


def _html(page: PublishedPage) -> Iterator[str]:
    yield f"<main>\n<h1>{escape(page.title)}</h1>"
    for section in page.sections:
        yield f"<section><h2>{escape(section.title)}</h2>"
        if section.table:
            yield "<table>"
            for number, row in enumerate(section.table):
                cell = "th" if not number else "td"
                cells = "".join(f"<{cell}>{escape(text)}</{cell}>" for text in row)
                yield f"<tr>{cells}</tr>"
            yield "</table>"
        if section.console:
            yield f'<pre tabindex="0">{escape(chr(10).join(section.console))}</pre>'
        yield "</section>"
    yield "</main>"
