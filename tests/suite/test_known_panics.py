# SPDX-License-Identifier: Apache-2.0
"""A panic that is a known defect of the release ends the history, and breaks no rule."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.oddities.fixed_orders import ORDER_OF_CLAIMS, ORDER_OF_VICTIMS
from refsched.records import Create
from refsched.releases import release_of
from refsched.releases.v1_19.oddities import PANICS
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.findings import KnownDefectMetError
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import Judge
from refsched.suite.histories.part import Part

V1_19 = Part(frozenset({"filter", "score", "queue", "preemption", "cache"}), kubernetes="1.19")
DIVIDES = "the scheduler panicked: runtime error: integer divide by zero"


def config(**point: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1beta1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "plugins": {"score": point}}],
    }


def test_every_panic_names_a_rule_of_a_plugin_that_the_release_has() -> None:
    release = release_of("1.19")
    for panic in PANICS:
        assert panic.rule in all_rules()
        assert panic.plugin in release.plugins
    assert release.oddities == {*PANICS, ORDER_OF_VICTIMS, ORDER_OF_CLAIMS}


def judge_of(configuration: dict[str, Any]) -> Judge:
    judge = Judge(History((), config=configuration), V1_19)
    for name in ("n1", "n2"):
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        judge.take(Create({**node, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}}))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    judge.take(Create({**pod, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    return judge


def test_where_its_rule_would_be_applied_the_defect_is_met() -> None:
    judge = judge_of(config(enabled=[{"name": "NodeLabel", "weight": 1}]))
    assert judge.panics_as_released(DIVIDES) == "labels-without-a-preference"


@pytest.mark.parametrize(
    "message", [DIVIDES, "the scheduler panicked: runtime error: index out of range [0]"]
)
def test_where_its_rule_is_not_applied_it_is_a_panic_like_any_other(message: str) -> None:
    assert judge_of(config()).panics_as_released(message) == ""


def test_another_panic_there_is_no_known_defect() -> None:
    judge = judge_of(config(enabled=[{"name": "NodeLabel", "weight": 1}]))
    assert judge.panics_as_released("the scheduler panicked: out of memory") == ""
    [finding] = judge.error("schedule", "the scheduler panicked: out of memory")
    assert finding.rule == "R-ANSWER-01"


def test_a_known_defect_is_no_finding() -> None:
    judge = judge_of(config(enabled=[{"name": "NodeLabel", "weight": 1}]))
    with pytest.raises(KnownDefectMetError, match="labels-without-a-preference"):
        judge.error("schedule", DIVIDES)
