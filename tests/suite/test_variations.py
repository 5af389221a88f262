# SPDX-License-Identifier: Apache-2.0
"""Variations of a history differ from it in one value, and are histories themselves."""

from __future__ import annotations

from typing import Any

from world import node_object, pod_object

from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import Advance, Create, History, Schedule
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.session.standard import StandardBench
from refsched.suite.session.variations import MOST_VARIATIONS, variations

TAINTS = [{"key": key, "effect": "NoSchedule"} for key in ("a", "b")]
TOLERATION = {"key": "a", "operator": "Exists"}


def history(**spec: Any) -> History:
    return History(
        (
            Create(node_object("n1", taints=TAINTS, labels={"zone": "east"})),
            Create(node_object("n2", labels={"zone": "west"})),
            Create(pod_object("p1", tolerations=[TOLERATION], **spec)),
            Schedule(),
            Advance(10.0),
        )
    )


def differing(one: Any, other: Any) -> int:
    """How many values differ; a value that is there on one side only is one."""
    if isinstance(one, dict) and isinstance(other, dict):
        return sum(differing(one.get(name), other.get(name)) for name in one.keys() | other.keys())
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return sum(map(differing, one, other))
    return int(one != other)


def test_each_differs_in_one_value() -> None:
    first = history(priority=5)
    found = list(variations(first))
    assert 10 < len(found) <= MOST_VARIATIONS
    assert {differing(steps_as_json(first), steps_as_json(one)) for one in found} == {1}
    assert len({str(steps_as_json(one)) for one in found}) == len(found)


def test_effects_labels_quantities_times_and_members_of_lists_change() -> None:
    found = "\n".join(str(steps_as_json(one)) for one in variations(history(priority=5)))
    for changed in (
        "'PreferNoSchedule'",
        "'zone': 'west'}",
        "'tolerations': []",
        "'advance': 11",
        "'priority': 4",
    ):
        assert changed in found, changed


def test_names_stay() -> None:
    for one in variations(history()):
        names = [step.object["metadata"]["name"] for step in one.steps if isinstance(step, Create)]
        assert names == ["n1", "n2", "p1"]


def test_the_specification_agrees_with_itself_in_each() -> None:
    bench = StandardBench()
    with connect("refsched.reference") as adapter:
        for one in variations(history(priority=5)):
            judgement = bench.judge(adapter, one)
            assert not judgement.findings
            assert not judgement.ended


def test_nothing_varies_where_there_is_no_value() -> None:
    assert list(variations(History(()))) == []
