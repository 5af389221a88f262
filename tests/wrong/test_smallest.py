# SPDX-License-Identifier: Apache-2.0
"""The examples of rules are computed: a scheduler that breaks the rule decides otherwise, and they are small."""

from __future__ import annotations

import json
from statistics import median

from conformance.wrong.kinds import connect_wrong
from conformance.wrong.smallest.breakers import breakers_of, sentence_of, sites_of
from conformance.wrong.smallest.names import with_names
from conformance.wrong.smallest.shrinking import Shrinking, size_of
from refsched.mistakes.mutation import mutants_of
from refsched.mistakes.wrong import all_wrong
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.history import Advance, Create, History, Schedule, Update
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.histories.trial import try_history
from refsched.tools.rulebook.examples import Example, example_of

SAMPLE = 40
"""Every so many examples with a planted scheduler one is done by that scheduler."""


def planted() -> list[Example]:
    found = (example_of(rule) for rule in all_rules())
    return [
        one for one in found if one is not None and one.broken is not None and one.broken.by in all_wrong()
    ]


def test_a_planted_scheduler_decides_its_example_otherwise() -> None:
    for example in planted()[::SAMPLE]:
        assert example.broken is not None
        with connect_wrong(example.broken.by) as adapter:
            found = try_history(adapter, example.history).findings
        assert example.broken.member in [one.member for one in found], example.rule


def test_a_scheduler_that_an_example_names_is_there_and_does_what_the_example_says() -> None:
    for rule in all_rules().values():
        example = example_of(rule.id)
        if example is not None and example.broken is not None:
            says = {breaker.name: breaker.says for breaker in breakers_of(rule)}
            assert says.get(example.broken.by) == example.broken.says, rule.id


def test_examples_are_small() -> None:
    sizes = [size_of(one.history)[0] for rule in all_rules() if (one := example_of(rule)) is not None]
    assert median(sizes) <= 4


def test_a_history_is_shrunk_to_what_still_shows_something() -> None:
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "labels": {"a": "b"}},
        "status": {"allocatable": {"cpu": "4", "memory": "1", "pods": "9"}},
    }
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"containers": [{"name": "c"}]},
        }
        for name in ("p1", "p2")
    ]
    history = History((Create(node), *map(Create, pods), Schedule(3)))

    def shows(other: History) -> bool:
        created = [step.object for step in other.steps if isinstance(step, Create)]
        cpu = [one for one in created if one["kind"] == "Node" and "cpu" in one["status"]["allocatable"]]
        return bool(cpu) and any(isinstance(step, Schedule) for step in other.steps)

    smallest = with_names(Shrinking(history, shows).smallest())
    assert smallest.steps == (
        Create(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": "node-a"},
                "status": {"allocatable": {"cpu": "4", "pods": "110"}},
            }
        ),
        Schedule(1),
    )


def test_the_schedulers_that_may_break_a_rule_change_what_applies_it() -> None:
    rule = all_rules()["R-PORTS-01"]
    assert [name for name in sites_of(rule).functions if name == rule.place]
    first = breakers_of(rule)[0]
    assert "pre_filter" in first.name or first.is_planted


def test_a_row_of_a_table_is_taken_out_or_leads_elsewhere() -> None:
    [without] = breakers_of(all_rules()["R-CURE-NodePorts-Pod-Delete"])
    assert without.says == "It does not ask NodePorts whether this event requeues the pod."
    elsewhere = breakers_of(all_rules()["R-QUEUE-07"])
    assert [one.name for one in elsewhere] == ["R-QUEUE-07-active", "R-QUEUE-07-backoff"]


def test_a_mutant_is_described_in_a_sentence() -> None:
    source = "def f(a, b):\n    if a > b:\n        return 1\n    for c in b:\n        g(c)\n"
    said = {
        mutant.operator: sentence_of(mutant) for mutant in reversed([*mutants_of("refsched.rules", source)])
    }
    assert said["comparison"] == "It takes this the wrong way round: `a > b`."
    assert said["omission"] == "It leaves out what is done in the case `a > b`."
    assert said["once"] == "Of `b` it looks at the first one only."
    assert said["boundary"] == "Where the specification says `a > b`, it says `a >= b`."


def _created(kind: str, name: str, **members: object) -> Create:
    return Create({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **members})


def test_an_object_is_left_out_with_all_that_happens_to_it() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}
    steps = (_created("Node", "n"), Create(pod), Update(pod), Schedule(1))
    smallest = Shrinking(History(steps), lambda other: Schedule(1) in other.steps).smallest()
    assert smallest.steps == (Schedule(1),)


def test_what_is_updated_is_created_as_it_is_afterwards_and_the_clock_advances_once() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}
    updated = {**pod, "spec": {"containers": [], "priority": 5}}

    def shows(other: History) -> bool:
        waited = sum(step.seconds for step in other.steps if isinstance(step, Advance))
        has_priority = '"priority": 5' in json.dumps(steps_as_json(other))
        return waited == 3 and has_priority and any(isinstance(step, Create) for step in other.steps)

    smallest = Shrinking(History((Create(pod), Update(updated), Advance(1), Advance(2))), shows).smallest()
    assert smallest.steps == (Create(updated), Advance(3))


def test_a_node_stays_while_a_pod_is_on_it() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [], "nodeName": "n"},
    }

    def shows(other: History) -> bool:
        return Create(pod) in other.steps

    smallest = Shrinking(History((_created("Node", "n"), Create(pod), Schedule(1))), shows).smallest()
    assert [step.object["kind"] for step in smallest.steps if isinstance(step, Create)] == ["Node", "Pod"]
