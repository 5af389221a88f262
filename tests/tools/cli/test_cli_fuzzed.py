# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in a file, a command answers it: with a result, or with one InputError that can be printed.

What is drawn is a real object, trace, configuration or answer of which a part or two were replaced by something
else. ``REFSCHED_FUZZ`` is how many are drawn of each (200 by default).
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from commands import CONFIG, node, pod
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from refsched.checking.replay import judge_file
from refsched.errors import InputError
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import read_config
from refsched.reading.manifests import read_manifests
from refsched.suite.adapters.answers import read_answer, read_hello

FUZZED = settings(
    max_examples=int(os.environ.get("REFSCHED_FUZZ", "200")),
    derandomize="REFSCHED_FUZZ" not in os.environ,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.sampled_from(
        ["", "-1", "1e400", "9" * 60, "1Ei", "\x1b[2J", "\u0085", "9999-12-31T23:59:59Z", "a/b", "{}"]
    ),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)
POD = pod(
    "a",
    cpu="1",
    priority=5,
    tolerations=[{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}],
    nodeSelector={"zone": "z"},
    topologySpreadConstraints=[
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"a": "b"}},
        }
    ],
)
RECORDS = [
    {"at": 0, "create": node("n")},
    {"at": 0, "create": POD},
    {
        "at": 1,
        "attempt": {
            "pod": "default/a",
            "result": "unschedulable",
            "filter": {
                "n": {"code": "UnschedulableAndUnresolvable", "plugin": "NodeAffinity", "reasons": ["x"]}
            },
            "message": "0/1",
        },
    },
    {"at": 2, "observe": True, "queues": {"active": [], "backoff": [], "unschedulable": ["default/a"]}},
    {"at": 3, "advance": 10},
    {
        "at": 20,
        "write": {"verb": "update", "object": {"kind": "PersistentVolume", "metadata": {"name": "v"}}},
    },
]
HEADER = {
    "trace": "refsched.trace/v1",
    "scheduler": {"name": "kube-scheduler", "version": "v1.34.2"},
    "config": CONFIG,
    "start": "2026-01-01T00:00:00Z",
    "featureGates": {},
}


@st.composite
def bent(draw: Callable[..., Any], value: Any) -> Any:
    """The value, of which one to three parts are something else."""
    whole = copy.deepcopy({"": value})
    for _ in range(draw(st.integers(1, 3))):
        holder: Any = whole
        key: Any = ""
        while isinstance(holder[key], dict | list) and holder[key] and draw(st.integers(0, 5)):
            holder = holder[key]
            key = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        holder[key] = draw(ODD)
    return whole[""]


def refused_or_read(ask: Callable[[], object]) -> None:
    """It is answered, or refused: nothing but an InputError may be raised."""
    with suppress(InputError):
        ask()


@FUZZED
@given(st.lists(bent(POD) | bent(node("n")), min_size=1, max_size=2))
def test_any_object_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, objects: list[Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    refused_or_read(lambda: read_manifests([path]))


@FUZZED
@given(bent([HEADER, *RECORDS]))
def test_any_trace_is_judged_or_refused(tmp_path_factory: pytest.TempPathFactory, lines: Any) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / "fuzzed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) if isinstance(lines, list) else "")
    report = judge_file(path)
    assert "refsched itself fails" not in (report.error or "")


@FUZZED
@given(
    bent(
        {
            **CONFIG,
            "percentageOfNodesToScore": 50,
            "profiles": [
                {
                    "schedulerName": "s",
                    "plugins": {
                        "score": {
                            "enabled": [{"name": "NodeAffinity", "weight": 3}],
                            "disabled": [{"name": "*"}],
                        }
                    },
                    "pluginConfig": [
                        {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "LeastAllocated"}}}
                    ],
                }
            ],
            "extenders": [{"urlPrefix": "http://x", "filterVerb": "f", "weight": 1, "httpTimeout": "5s"}],
        }
    )
)
def test_any_configuration_is_read_or_refused(config: Any) -> None:
    refused_or_read(lambda: read_config(config))


@FUZZED
@given(
    bent(
        {"records": [{key: value for key, value in record.items() if key != "at"} for record in RECORDS[2:]]}
    )
)
def test_any_answer_of_an_adapter_is_read_or_refused(answer: Any) -> None:
    refused_or_read(lambda: read_answer({"schedule": {}}, answer, frozenset({"filter", "queue"})))


@FUZZED
@given(bent({"name": "n", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}))
def test_any_hello_is_read_or_refused(hello: Any) -> None:
    refused_or_read(lambda: read_hello(hello))


@FUZZED
@given(bent({"PodLevelResources": True}))
def test_any_feature_gates_are_read_or_refused(gates: Any) -> None:
    refused_or_read(lambda: with_feature_gates(gates))
