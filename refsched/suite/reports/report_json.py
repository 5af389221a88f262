# SPDX-License-Identifier: Apache-2.0
"""The report as JSON, for machines and for publishing.

``report`` names the shape, and changes with it; members may be added. There is no time in it: what has not changed
compares equal.

| member | what it holds |
|---|---|
| `report` | `refsched.conformance/v1` |
| `verdict`, `headline`, `exitCode` | `passed`, `failed` or `not judged`; the same in a sentence; as pytest ended |
| `implementation` | `what` was given as `--impl`, and what it said: `name`, `version`, `kubernetes` and others |
| `suite` | `name` and `version` of this package |
| `run` | `level`, `seed`, `command`, how many `tests` and `examples` there were; `arguments` that do it again |
| `counts` | verdict → how many rules |
| `tightness` | `checked` outcomes, and how many of them were the `single` one allowed |
| `endedEarly` | why histories were not done to their end, though nothing was wrong → how many |
| `late` | tests for which the time of a budget did not suffice → how many histories were tried |
| `without` | fields answered with `unsupported` → how many histories were run again without them |
| `power` | how many of the `planted` wrong schedulers such runs `killed`, as `profile` if not empty, with seed 0 |
| `rules` | below, in the order in which rules depend on each other |
| `untestedRules` | how many rules of this level no test of the run was about |
| `untried` | `rules` that are not exercised because their judge has ended: nobody broke them to see, and `why` |
| `untestable` | rules of claimed plugins that no history can show: `rule`, and `why` |
| `unshown` | plugins that are claimed by name of which the run has shown no rule, neither kept nor broken |
| `faults` | `whose` (adapter or suite), `problem`, and the `tests` that could not judge |
| `staleBaseline` | listed rules that passed |
| `forRefsched` | null unless the real kube-scheduler failed: `why` refsched is at fault, the `command` to send |
| `evidence` | of a part of a run (`--shard`): what `refsched report merge` reads |

A rule has `id`, `area`, `sentence`, `level` (of a broken one, that of the place where this shows), `source`,
`verdict` (`pass`, `fail`, `not exercised`, `not claimed`), `known` (the baseline lists it), `later` (the release
asked for has no such rule), `decisive` (how often it was applied where a value was checked), `tests`, and `needs`
(capabilities that would have to be claimed). A rule that failed has `failure`: `test`, `history` (lines of
text), `member`, `also` (rules that may be broken instead), `under` (the rule that was broken first wherever this
one was), `pod`, `expected`, `got`, `steps`, `stepsAtFirst`, `shrunk`, `repeats`, `trace` and `scenario` (paths),
`again` (the command that repeats it), and `explain` (the command that shows how the specification decides
there).
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
