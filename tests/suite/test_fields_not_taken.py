# SPDX-License-Identifier: Apache-2.0
"""Fields that an implementation does not take: it says which, or the suite learns it from its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from toy_bench import Toy, ToyBench

from refsched.errors import InputError
from refsched.reading.optional_fields import check_optional
from refsched.suite.adapters.answers import read_hello
from refsched.suite.histories.history import Create, History, Schedule, creating
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.part import Part, part_of
from refsched.suite.histories.sent_to_part import step_for
from refsched.suite.level import Level
from refsched.suite.session.drawing import load_profile
from refsched.suite.session.runner import Runner
from refsched.suite.session.unsupported_fields import drawn_from, fields_not_taken, without

Json = dict[str, Any]
HELLO = {"name": "x", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}
NODE: Json = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "spec": {"unschedulable": True},
    "status": {"allocatable": {"cpu": "1"}},
}


def pod(**spec: Any) -> Json:
    container = {"name": "c", "ports": [{"hostPort": 80}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p1"},
        "spec": {"containers": [container], **spec},
    }


NEAR: Json = {"podAffinity": {}, "podAntiAffinity": {}}
HISTORY = History((*creating(NODE, pod(affinity=NEAR, overhead={"cpu": "1"})), Schedule()))


def refusing(refuses: Callable[[Json], bool]) -> Callable[[History], Judgement]:
    """Returns the judge of an implementation that does not support objects of which ``refuses`` is true."""

    def judge(history: History, level: Level = Level.ALL) -> Judgement:
        created = [step.object for step in history.steps if isinstance(step, Create)]
        is_unsupported = any(map(refuses, created))
        return Judgement(history, ended="too hard" if is_unsupported else "", is_unsupported=is_unsupported)

    return judge


def test_hello_names_fields_and_objects_come_without_them() -> None:
    hello = read_hello(HELLO | {"fieldsNotTaken": ["Pod.spec.overhead", "Pod.spec.containers[].ports"]})
    part = part_of(hello)
    sent = step_for(part, HISTORY.steps[1])
    assert isinstance(sent, Create)
    assert sent.object["spec"] == {"containers": [{"name": "c"}], "affinity": NEAR}
    whole = evolve(hello, plugins=frozenset({"NodePorts"}))
    assert part_of(whole).fields_not_taken == hello.fields_not_taken


def test_a_rule_of_a_plugin_none_of_whose_fields_are_taken_is_not_claimed() -> None:
    ports = frozenset({"Pod.spec.containers[].ports", "Pod.spec.initContainers"})
    claims = frozenset({"filter"})
    assert Part(claims, fields_not_taken=ports).lacks("R-PORTS-03") == "the field Pod.spec.containers[].ports"
    assert Part(claims, fields_not_taken=frozenset({"Pod.spec.initContainers"})).lacks("R-PORTS-03") == ""
    assert Part(claims, fields_not_taken=ports).lacks("R-TAINT-01") == ""


def test_a_pod_may_require_features_by_other_fields_than_those_of_its_host() -> None:
    of_the_host = {"Pod.spec.hostNetwork", "Pod.spec.hostUsers"}
    of_containers = {
        f"Pod.spec.{kind}[].{field}"
        for kind in ("containers", "initContainers")
        for field in ("restartPolicyRules", "volumeMounts")
    }
    claims = frozenset({"filter"})
    assert Part(claims, fields_not_taken=frozenset(of_the_host)).lacks("R-DECLARED-02") == ""
    every = frozenset(of_the_host | of_containers)
    assert Part(claims, fields_not_taken=every).lacks("R-DECLARED-02") == "the field Pod.spec.hostNetwork"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("Pod", "expected the path of a field as Pod.spec.overhead, found 'Pod'"),
        ("Thing.spec.x", "expected the path of a field as Pod.spec.overhead, found 'Thing.spec.x'"),
        ("Pod.spec.overhaed", "'Pod.spec.overhaed' is no field: 'overhaed'; did you mean overhead?"),
        ("Pod.spec.containers.ports", "'Pod.spec.containers.ports': containers is a list"),
        ("Pod.spec.affinity[].podAffinity", "'Pod.spec.affinity[].podAffinity': affinity is no list"),
        ("Pod.spec.tolerations[]", "'Pod.spec.tolerations[]' ends with []: name the whole list"),
        ("Pod.spec.containers", "no object can be without Pod.spec.containers"),
        ("Pod.metadata.name", "no object can be without Pod.metadata.name"),
        (
            "Pod.spec.topologySpreadConstraints[].topologyKey",
            "no object can be without Pod.spec.topologySpreadConstraints[].topologyKey",
        ),
    ],
)
def test_what_no_object_can_be_without_is_refused(path: str, problem: str) -> None:
    with pytest.raises(InputError, match=r".") as refused:
        check_optional(path)
    assert refused.value.problem == problem
    with pytest.raises(InputError, match=r"^fieldsNotTaken\[0\]: "):
        read_hello(HELLO | {"fieldsNotTaken": [path]})


def test_fields_that_are_not_taken_are_learned_one_by_one() -> None:
    judge = refusing(lambda value: "overhead" in str(value) or "podAntiAffinity" in str(value))
    assert fields_not_taken(judge, [HISTORY]) == ("Pod.spec.affinity.podAntiAffinity", "Pod.spec.overhead")


def test_a_field_all_of_whose_members_are_not_taken_is_not_taken_as_a_whole() -> None:
    judge = refusing(lambda value: "affinity" in str(value) or "ports" in str(value))
    assert fields_not_taken(judge, [HISTORY]) == ("Pod.spec.affinity", "Pod.spec.containers[].ports")


def test_fields_of_nodes_are_learned_too() -> None:
    judge = refusing(lambda value: "unschedulable" in value.get("spec", {}))
    assert fields_not_taken(judge, [HISTORY]) == ("Node.spec.unschedulable",)


def test_nothing_is_learned_of_who_does_not_support_a_plain_cluster() -> None:
    assert fields_not_taken(refusing(lambda value: True), [HISTORY]) == ()


def test_a_history_without_fields_says_which_it_had() -> None:
    shorter, had = without(HISTORY, ["Pod.spec.overhead", "Pod.spec.tolerations"])
    assert had == ("Pod.spec.overhead",)
    assert "overhead" not in str(shorter.steps)
    assert "overhead" in str(HISTORY.steps)


class Refusing(ToyBench):
    areas: Mapping[str, Callable[[], SearchStrategy[History]]] = {"toys": lambda: st.just(HISTORY)}

    def judge(self, connection: Toy, history: History, level: Level = Level.ALL) -> Judgement:
        return refusing(lambda value: "overhead" in value.get("spec", {}))(history)


def test_a_history_that_ended_is_run_again_without_these_fields() -> None:
    load_profile()
    runner = Runner(Refusing(), "right", 1.0)
    judgement = runner.judge(HISTORY)
    assert (judgement.ended, judgement.without) == ("", ("Pod.spec.overhead",))
    assert runner.judge(judgement.history).without == ()


def test_the_histories_in_which_fields_are_looked_for_depend_on_the_seed_alone() -> None:
    load_profile()
    first, again = (list(drawn_from(ToyBench(), "7")) for _ in range(2))
    assert [history.steps for history in first] == [history.steps for history in again]
    assert len(first) > 1
