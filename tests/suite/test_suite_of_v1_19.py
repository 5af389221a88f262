# SPDX-License-Identifier: Apache-2.0
"""The suite asks a scheduler of v1.19 what v1.19 decides, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked_pytest import run_pytest

from refsched.records import Reference
from refsched.releases import RELEASES
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.history import Create, Delete, History
from refsched.suite.histories.part import Part
from refsched.suite.histories.sent_to_part import config_for, history_for, step_for

SUITE = (
    *(str(Path(__file__).parents[2] / "conformance"), "--kubernetes", "1.19"),
    *("-q", "-n", "0", "-p", "no:cacheprovider"),
)
OLD = Part(frozenset({"filter", "score", "queue", "preemption", "volumes"}), kubernetes="1.19")
METADATA = {"name": "p"}


def test_a_field_that_the_release_does_not_have_is_not_sent() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": METADATA}
    shown = step_for(OLD, Create({**pod, "spec": {"schedulingGates": [{"name": "a"}], "priority": 1}}))
    assert shown == Create({**pod, "spec": {"priority": 1}})


def test_a_kind_that_the_release_does_not_have_is_not_sent() -> None:
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": METADATA}
    assert step_for(OLD, Create(claim)) is None
    assert step_for(OLD, Delete(Reference("ResourceClaim", "p", "resource.k8s.io/v1"))) is None


def test_a_budget_is_sent_in_the_version_that_the_release_serves() -> None:
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": METADATA}
    assert step_for(OLD, Create(budget)) == Create({**budget, "apiVersion": "policy/v1beta1"})


def test_a_gate_that_the_release_does_not_have_is_not_set() -> None:
    gates = {"SchedulerQueueingHints": False, "PodOverhead": False}
    assert history_for(OLD, History((), feature_gates=gates)).feature_gates == {"PodOverhead": False}


def test_a_part_is_configured_without_the_plugins_that_it_does_not_have_point_by_point() -> None:
    part = Part(frozenset({"filter", "config"}), frozenset({"TaintToleration"}), kubernetes="1.19")
    [profile] = config_for(part, {})["profiles"]
    disabled = {each["name"] for each in profile["plugins"]["filter"]["disabled"]}
    assert {"NodeName", "InterPodAffinity", "NodeLabel"} <= disabled
    assert "TaintToleration" not in disabled
    assert "multiPoint" not in profile["plugins"]


@pytest.mark.parametrize("selected", ["taints or nominated_pods"])
def test_the_specification_of_v1_19_is_green(selected: str, tmp_path: Path) -> None:
    done = run_pytest(tmp_path, *SUITE, "--examples", "15", "-k", selected)
    assert done.ret == 0, done.stdout.str()
    assert "for Kubernetes 1.19" in done.stdout.str()
    newer = [rule.id for rule in all_rules().values() if "1.19" not in rule.releases]
    assert not [rule for rule in newer if f"FAILED  {rule}" in done.stdout.str()]
    assert RELEASES["1.19"].tag not in done.stderr.str()


SAYS_OTHERWISE = """
from refsched import reference

def create(config, **given):
    return Wrong(reference.create(config, **given))

class Wrong:
    def __init__(self, right):
        self._right = right

    def __getattr__(self, name):
        return getattr(self._right, name)

    def schedule(self, pod=None):
        answer = self._right.schedule(pod)
        for record in answer.get("records", ()):
            if "message" in record.get("attempt", {}):
                record["attempt"]["message"] = "it fits nowhere"
        return answer
"""


def test_a_scheduler_of_v1_19_that_breaks_a_rule_of_its_release_fails(tmp_path: Path) -> None:
    (tmp_path / "says_otherwise.py").write_text(SAYS_OTHERWISE, "utf-8")
    done = run_pytest(tmp_path, *SUITE, "--examples", "20", "--impl=says_otherwise", "-k", "host_ports")
    assert done.ret == 1, done.stdout.str() + done.stderr.str()
    assert "FAILED  R-WORDS-" in done.stdout.str()
