# SPDX-License-Identifier: Apache-2.0
"""Reading: the members of a JSON report of the suite that other commands need."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cattrs
from attrs import field, frozen

from refsched.errors import InputError
from refsched.reading.documents import read_json, read_text
from refsched.suite.level import Level
from refsched.suite.reports.report_json import SHAPE
from refsched.suite.results.verdicts import FAIL


@frozen
class ReportedFailure:
    """A ReportedFailure says how a broken rule showed."""

    member: str
    expected: str
    got: str


@frozen
class ReportedRule:
    """A ReportedRule is a rule with its verdict; ``known`` that the baseline lists it."""

    id: str
    verdict: str
    level: str = ""
    sentence: str = ""
    known: bool = False
    needs: tuple[str, ...] = ()
    failure: ReportedFailure | None = None


@frozen
class ReportedFault:
    """A ReportedFault is what kept the suite from judging, and whose fault that is."""

    whose: str
    problem: str


@frozen
class ReportedRun:
    """A ReportedRun says how much was tried, and with which ``arguments`` of ``refsched conformance``."""

    tests: int
    examples: int
    level: Level = Level.ALL
    seed: str = ""
    arguments: tuple[str, ...] = ()


@frozen
class ReportedImplementation:
    """A ReportedImplementation is what was judged, as it called itself."""

    what: str = ""
    name: str = ""
    version: str = ""
    kubernetes: str = ""
    capabilities: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()


@frozen
class ReportedSuite:
    """A ReportedSuite is the version of this package that judged."""

    version: str = ""


@frozen
class ReadReport:
    """A ReadReport has the members of a JSON report that are compared or shown again."""

    report: str
    verdict: str
    run: ReportedRun
    rules: tuple[ReportedRule, ...]
    faults: tuple[ReportedFault, ...] = field(factory=tuple)
    implementation: ReportedImplementation = ReportedImplementation()
    suite: ReportedSuite = ReportedSuite()
    untested: int = 0

    @property
    def scheduler(self) -> str:
        about = self.implementation
        return f"{about.name} {about.version}, for Kubernetes {about.kubernetes}" if about.name else ""

    @property
    def verdicts(self) -> Mapping[str, str]:
        return {rule.id: rule.verdict for rule in self.rules}

    @property
    def failures(self) -> Mapping[str, ReportedFailure | None]:
        return {rule.id: rule.failure for rule in self.rules if rule.verdict == FAIL}


def read_report(path: Path) -> ReadReport:
    """Reads a report. Raises InputError if the file is no JSON report of this suite."""
    where, value = str(path), read_value(path)
    if not isinstance(value, Mapping) or value.get("report") != SHAPE:
        raise InputError(
            f"is not a report of the suite ({SHAPE}, as --report FILE.json writes it)", where=where
        )
    try:
        return cattrs.structure({**value, "untested": value.get("untestedRules", 0)}, ReadReport)
    except (ValueError, TypeError, AttributeError, cattrs.BaseValidationError):
        problem = "its members are not those of a report (docs/schemas/report.json)"
        raise InputError(problem, where=where) from None


def read_value(path: Path) -> Any:
    """Returns the JSON value in a file. Raises InputError if there is none."""
    where = str(path)
    try:
        text = read_text(path.read_bytes(), where)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=where) from None
    try:
        return read_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg} (line {error.lineno})", where=where) from None
    except InputError as problem:
        raise problem.at(where) from None
