# SPDX-License-Identifier: Apache-2.0
"""``refsched report``: one report of the parts of a run (merge), and what changed between two (compare)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from refsched.errors import InputError, printable
from refsched.suite.reports.comparing import as_value, compared, lines, read_report
from refsched.suite.reports.report_html import html
from refsched.suite.reports.report_json import json_text
from refsched.suite.reports.report_terminal import paragraphs
from refsched.suite.reports.verdicts import FAILED, Result
from refsched.suite.session.options import REPORT_SUFFIXES
from refsched.suite.session.shards import merged, read_evidence, result_of
from refsched.suite.session.writing import write_whole
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.printing import TABLE, show_value


def merge(parts: Sequence[str], outputs: Sequence[str]) -> int:
    """Prints the report of the whole run, writes it, and returns how the run would have ended."""
    for output in outputs:
        if not output.endswith(REPORT_SUFFIXES):
            raise InputError(f"expected a file that ends with {' or '.join(REPORT_SUFFIXES)}", where=output)
    evidence = merged({path: read_evidence(Path(path)) for path in parts})
    result = result_of(evidence)
    for output in outputs:
        write_whole(Path(output), json_text(result) if output.endswith(".json") else html(result))
    _write_failures(result)
    for paragraph in paragraphs(result):
        click.echo("\n".join((*(printable(line) for line in paragraph.lines), "")))
    return FAILED if evidence.others_failed and not evidence.interrupted else result.exit_code


def _write_failures(result: Result) -> None:
    """Writes what repeats each failure to the place that the report names."""
    for each in result.rules:
        if each.failure is not None:
            for suffix, text in (("jsonl", each.failure.trace), ("yaml", each.failure.scenario)):
                path = Path(result.path_of(each.rule.id, suffix))
                path.parent.mkdir(exist_ok=True)
                write_whole(path, text)


def compare(before: str, after: str, output: str) -> int:
    """Prints what has changed from one JSON report to another, and returns whether anything has."""
    found = compared(read_report(Path(before)), read_report(Path(after)))
    if output == TABLE:
        for line in lines(found):
            click.echo(printable(line))
    else:
        show_value(as_value(found), output)
    return AGREED if found.is_none else DISAGREED
