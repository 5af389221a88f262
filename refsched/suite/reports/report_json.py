# SPDX-License-Identifier: Apache-2.0
"""The report as JSON, for machines and for publishing.

``report`` names the shape, and changes with it; members may be added. There is no time in it: what has not changed
compares equal.

docs/schemas/report.json describes each member.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import attrs

from refsched.suite.reports.report_terminal import for_refsched
from refsched.suite.results.outcome import Failure
from refsched.suite.results.result import FaultSeen, Result
from refsched.suite.results.verdicts import VERDICTS, RuleVerdict

SHAPE = "refsched.conformance/v1"

Json = dict[str, Any]


def json_text(result: Result, more: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Returns the report as JSON, with the members of ``more`` beside its own."""
    return json.dumps({**as_json(result), **more}, indent=2, ensure_ascii=False) + "\n"


def as_json(result: Result) -> Json:
    """Returns the members of the report, as docs/schemas/report.json describes them."""
    about = result.about
    return {
        "report": SHAPE,
        "verdict": result.word,
        "headline": result.headline,
        "exitCode": result.exit_code,
        "implementation": {
            "what": result.invocation.implementation,
            "name": about.name,
            "version": about.version,
            "kubernetes": about.kubernetes,
            "capabilities": list(about.capabilities),
            "plugins": list(about.plugins),
            "fieldsNotTaken": list(about.fields_not_taken),
        },
        "suite": {"name": "refsched", "version": version("refsched")},
        "run": {
            "level": result.invocation.level,
            "seed": result.invocation.seed,
            "tests": result.statistics.tests,
            "examples": result.statistics.examples,
            "command": result.invocation.command,
            "arguments": list(result.invocation.arguments),
        },
        "counts": {verdict: len(result.having(verdict)) for verdict in VERDICTS},
        "tightness": {"checked": result.statistics.choices, "single": result.statistics.single},
        "endedEarly": dict(result.statistics.ended),
        "late": dict(result.statistics.late),
        "without": dict(result.statistics.without),
        "power": None if result.power is None else attrs.asdict(result.power),
        "rules": [_rule(each, result) for each in result.rules],
        "untestedRules": result.not_judged.untested,
        "untried": [{"why": each.why, "rules": list(each.rules)} for each in result.not_judged.untried],
        "untestable": [{"rule": rule.id, "why": rule.untestable} for rule in result.not_judged.untestable],
        "unshown": list(result.unshown),
        "faults": [_fault(seen) for seen in result.faults],
        "staleBaseline": list(result.stale),
        "forRefsched": _for_refsched(result) if result.is_for_refsched else None,
    }


def _for_refsched(result: Result) -> Json:
    return {"why": for_refsched(result), "command": result.to_report}


def _rule(each: RuleVerdict, result: Result) -> Json:
    entry: Json = {
        "id": each.rule.id,
        "area": each.rule.area,
        "sentence": each.rule.sentence,
        "level": each.rule.level,
        "source": each.rule.source,
        "verdict": each.verdict,
        "known": each.known,
        "later": each.later,
        "decisive": each.decisive,
        "tests": list(each.tests),
        "needs": list(each.needs),
    }
    if each.failure is not None:
        entry["failure"] = _failure(each.failure, result)
    return entry


def _failure(failure: Failure, result: Result) -> Json:
    return {
        "test": failure.test,
        "history": list(failure.lines),
        "member": failure.member,
        "also": list(failure.also),
        "under": failure.under,
        "pod": failure.pod,
        "expected": failure.expected,
        "got": failure.got,
        "steps": failure.steps,
        "stepsAtFirst": failure.steps_at_first,
        "shrunk": failure.shrunk,
        "repeats": failure.repeats,
        "trace": result.invocation.path_of(failure.rule, "jsonl"),
        "scenario": result.invocation.path_of(failure.rule, "yaml"),
        "again": result.invocation.again(failure.rule),
        "explain": result.invocation.explain(failure),
    }


def _fault(seen: FaultSeen) -> Json:
    return {"whose": seen.fault.whose, "problem": seen.fault.problem, "tests": list(seen.tests)}
