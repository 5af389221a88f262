# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the JSON report (refsched/suite/reports/report_json.py), and of a line of a baseline."""

from __future__ import annotations

from typing import Any

from refsched.suite.catalogue.rule_metadata import LEVELS
from refsched.suite.level import Level
from refsched.suite.reports.report_json import SHAPE
from refsched.suite.results.verdicts import VERDICTS

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_RULE_ID: Schema = {"type": "string", "pattern": r"^R-[A-Za-z0-9+_./-]+$"}


def _all(**properties: Schema) -> Schema:
    """Returns an object that has all of these members; more may be added."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_FAILURE = _all(
    test=_TEXT,
    history={**_TEXTS, "description": "The smallest history that shows it, as lines of text."},
    member={**_TEXT, "description": "The member of a record that differs."},
    also={**_TEXTS, "description": "Rules that may be broken instead of this one."},
    under={
        **_TEXT,
        "description": "The rule that was broken before this one in the same record, wherever this one was.",
    },
    pod=_TEXT,
    expected=_TEXT,
    got=_TEXT,
    steps=_COUNT,
    stepsAtFirst=_COUNT,
    shrunk=_FLAG,
    repeats={**_FLAG, "description": "The same inputs broke the rule again."},
    trace={**_TEXT, "description": "The path of the trace that repeats it."},
    scenario={**_TEXT, "description": "The path of its inputs as YAML."},
    again={**_TEXT, "description": "The command that repeats it."},
    explain={
        **_TEXT,
        "description": "The command that shows how the specification decides there, if one can.",
    },
)

_RULE = _all(
    id=_RULE_ID,
    area=_TEXT,
    sentence=_TEXT,
    level={"enum": list(LEVELS)},
    source=_TEXT,
    verdict={"enum": list(VERDICTS)},
    known={**_FLAG, "description": "The baseline lists it."},
    later={**_FLAG, "description": "The release of the suite that was asked for has no such rule."},
    decisive={**_COUNT, "description": "How often the rule decided a value that was checked."},
    tests=_TEXTS,
    needs={**_TEXTS, "description": "Capabilities that would have to be claimed."},
)
_RULE["properties"]["failure"] = {"$ref": "#/$defs/failure"}

_FAULT = _all(whose={"enum": ["adapter", "suite"]}, problem=_TEXT, tests=_TEXTS)

_BASELINE: Schema = {
    "description": "A baseline is plain text. This is one line of it: empty, or the id of a rule; what follows # "
    "is for people. No id stands twice.",
    "type": "string",
    "pattern": r"^\s*(R-[A-Za-z0-9+_./-]+\s*)?(#.*)?$",
}

REPORT: Schema = {
    "title": "The JSON report of the suite",
    "description": "What --report FILE.json writes. Members may be added; `report` changes with the shape.",
    **_all(
        report={"const": SHAPE},
        verdict={"enum": ["passed", "failed", "not judged"]},
        headline=_TEXT,
        exitCode={"enum": [0, 1, 2]},
        implementation=_all(
            what=_TEXT,
            name=_TEXT,
            version=_TEXT,
            kubernetes=_TEXT,
            capabilities=_TEXTS,
            plugins=_TEXTS,
            fieldsNotTaken=_TEXTS,
        ),
        suite=_all(name=_TEXT, version=_TEXT),
        run=_all(
            level={"enum": list(Level)},
            seed=_TEXT,
            tests=_COUNT,
            examples=_COUNT,
            command=_TEXT,
            arguments={
                **_TEXTS,
                "description": "With these `refsched conformance` runs the whole again; none after --replay.",
            },
        ),
        counts=_all(**dict.fromkeys(VERDICTS, _COUNT)),
        tightness=_all(checked=_COUNT, single=_COUNT),
        endedEarly={
            "type": "object",
            "additionalProperties": _COUNT,
            "description": "Why histories were not done to their end, and how many.",
        },
        late={
            "type": "object",
            "additionalProperties": _COUNT,
            "description": "Tests for which the time of a budget did not suffice, and how many histories of each"
            " were tried.",
        },
        without={
            "type": "object",
            "additionalProperties": _COUNT,
            "description": "Fields that were answered with unsupported, and how many histories were run again"
            " without them.",
        },
        power={
            **_all(
                killed=_COUNT,
                planted=_COUNT,
                profile={"type": "string"},
                beyond={"type": "array", "items": {"type": "string"}},
            ),
            "type": ["object", "null"],
            "description": "How many planted wrong schedulers this many histories kill, tried as the part that"
            " `profile` names if it is not empty; nothing is known of what breaks only the capabilities `beyond`"
            " that. Null where it is unknown.",
        },
        rules={"type": "array", "items": {"$ref": "#/$defs/rule"}},
        untestedRules=_COUNT,
        untried={
            "type": "array",
            "items": _all(why=_TEXT, rules={"type": "array", "items": _RULE_ID}),
            "description": "Rules that were applied and are not exercised, since the process that should have"
            " broken them to see whether that shows ended before it did.",
        },
        untestable={
            "type": "array",
            "items": _all(rule=_RULE_ID, why=_TEXT),
            "description": "Rules of claimed plugins that no history can show.",
        },
        unshown={
            "type": "array",
            "items": _TEXT,
            "description": "Plugins that are claimed by name of which the run has shown no rule, neither kept nor"
            " broken.",
        },
        faults={"type": "array", "items": _FAULT},
        staleBaseline={"type": "array", "items": _RULE_ID},
        forRefsched={
            **_all(why=_TEXT, command=_TEXT),
            "type": ["object", "null"],
            "description": "Why what was found is most likely a mistake of refsched, and the command that shows"
            " it, where the real kube-scheduler failed or could not be judged.",
        },
    ),
    "$defs": {"rule": _RULE, "failure": _FAILURE, "baselineLine": _BASELINE},
}
REPORT["properties"]["evidence"] = {
    "type": "object",
    "description": "Of a part of a run (--shard): what `refsched report merge` reads.",
}
