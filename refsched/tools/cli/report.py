# SPDX-License-Identifier: Apache-2.0
"""``refsched report``: one report of the parts of a run (merge), what changed between two (compare), whether a run
comes to the same again (verify), and what of it can be published (page)."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from refsched.errors import InputError, printable
from refsched.suite.reports.comparing import ReportDifference, as_value, compared, lines
from refsched.suite.reports.published import markdown, page_html, published
from refsched.suite.reports.reading import ReadReport, read_report
from refsched.suite.reports.report_html import html
from refsched.suite.reports.report_json import json_text
from refsched.suite.reports.report_terminal import paragraphs
from refsched.suite.results.result import FAILED, Result
from refsched.suite.session.options import REPORT_SUFFIXES
from refsched.suite.session.run_data import merged, read_data, result_of
from refsched.suite.session.writing import write_whole
from refsched.tools.cli.conformance import COMMAND, STDERR, pytest_command
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.printing import TABLE, show_value


def merge(parts: Sequence[str], outputs: Sequence[str]) -> int:
    """Prints the report of the whole run, writes it, and returns how the run would have ended."""
    for output in outputs:
        _check_output(output, REPORT_SUFFIXES)
    data = merged({path: read_data(Path(path)) for path in parts})
    result = result_of(data)
    for output in outputs:
        write_whole(Path(output), json_text(result) if output.endswith(".json") else html(result))
    _write_failures(result)
    for paragraph in paragraphs(result):
        click.echo("\n".join((*(printable(line) for line in paragraph.lines), "")))
    return FAILED if data.others_failed and not data.interrupted else result.exit_code


def _check_output(output: str, suffixes: tuple[str, ...]) -> None:
    if not output.endswith(suffixes):
        raise InputError(f"expected a file that ends with {' or '.join(suffixes)}", where=output)
    if not Path(output).parent.is_dir():
        raise InputError("there is no such folder to write to", where=output)


def _write_failures(result: Result) -> None:
    """Writes what repeats each failure to the place that the report names."""
    for each in result.rules:
        if each.failure is not None:
            for suffix, text in (("jsonl", each.failure.trace), ("yaml", each.failure.scenario)):
                path = Path(result.invocation.path_of(each.rule.id, suffix))
                path.parent.mkdir(exist_ok=True)
                write_whole(path, text)


def compare(before: str, after: str, output: str) -> int:
    """Prints what has changed from one JSON report to another, and returns whether anything has."""
    found = compared(read_report(Path(before)), read_report(Path(after)))
    _show(found, output)
    return AGREED if found.is_none else DISAGREED


def _show(found: ReportDifference, output: str) -> None:
    if output == TABLE:
        for line in lines(found):
            click.echo(printable(line))
    else:
        show_value(as_value(found), output)


def verify(path: str, output: str) -> int:
    """Runs again what a report says was run, prints what is different, and returns whether a verdict is. Raises
    InputError if it cannot be run again or was not judged."""
    before = read_report(Path(path))
    if not before.run.arguments:
        raise InputError("does not say how it is run again (a replay cannot be)", where=path)
    found = compared(before, _run_again(before))
    _show(found, output)
    return AGREED if found.has_verdicts_of_before else DISAGREED


def _run_again(before: ReadReport) -> ReadReport:
    click.echo(f"{COMMAND} {printable(shlex.join(before.run.arguments))}", err=True)
    with TemporaryDirectory() as folder:
        report, baseline = Path(folder) / "report.json", Path(folder) / "baseline.txt"
        arguments = [*before.run.arguments, f"--report={report}"]
        if known := [rule.id for rule in before.rules if rule.known]:
            baseline.write_text("\n".join(known), "utf-8")
            arguments.append(f"--baseline={baseline}")
        subprocess.run(pytest_command(arguments), stdout=STDERR, check=False)
        after = read_report(report) if report.exists() else None
    if after is None or after.verdict == "not judged":
        raise InputError("the scheduler could not be judged again")
    return after


def page(reports: Sequence[str], output: str) -> None:
    """Writes the page that can be published. Raises InputError if the reports do not belong together."""
    _check_output(output, (".md", ".html"))
    made = published({path: read_report(Path(path)) for path in reports})
    write_whole(Path(output), markdown(made) if output.endswith(".md") else page_html(made))
    click.echo(printable(made.title))
