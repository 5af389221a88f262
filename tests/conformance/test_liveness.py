# SPDX-License-Identifier: Apache-2.0
"""R-INV-09: who can be scheduled is, once nothing else happens; and nobody is blamed who had a reason to wait."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.vocabulary.objects import REQUIRED, cpu, node, pod, profile_config, with_spec
from refsched.records import Advance, Attempt, Bind, Create, Record
from refsched.suite.invariants import Invariants

NODE = node("n1", {"cpu": "2", "pods": "3"})
PLAIN = pod("p1", cpu("1"))
REFUSED = Attempt("default/p1", "unschedulable")


def unserved(*records: Record, config: dict[str, Any] | None = None) -> list[str]:
    """Whom the invariant finds waiting in vain when there is no pod to be tried."""
    invariants = Invariants(profile_config() if config is None else config, {})
    for record in records:
        invariants.take(record)
    return [finding.pod for finding in invariants.idle() if finding.rule == "R-INV-09"]


def test_a_pod_that_fits_and_is_not_tried_waits_in_vain() -> None:
    assert unserved(Create(NODE), Create(PLAIN), REFUSED, Advance(341)) == ["default/p1"]


def test_a_pod_may_wait_for_as_long_as_a_refused_one_may() -> None:
    assert unserved(Create(NODE), Create(PLAIN), REFUSED, Advance(340)) == []


def test_whatever_happens_begins_a_new_time() -> None:
    assert unserved(Create(NODE), Create(PLAIN), Advance(200), Create(node("n2")), Advance(200)) == []


@pytest.mark.parametrize(
    "shape",
    [
        {"requests": cpu("3")},
        {"nodeSelector": {"disk": "ssd"}},
        {"labels": {"app": "a"}},
        {"schedulingGates": [{"name": "g"}]},
        {"script": {"ScriptedA": {"reserve": "Unschedulable"}}},
        {"schedulerName": "another"},
        {"status": {"phase": "Failed"}},
        {"nodeName": "n1"},
        {"containers": [{"name": "c", "restartPolicyRules": [{"action": "RestartAllContainers"}]}]},
    ],
)
def test_a_pod_with_a_reason_to_wait_may_wait(shape: dict[str, Any]) -> None:
    assert unserved(Create(NODE), Create(pod("p1", **shape)), Advance(400)) == []


@pytest.mark.parametrize(
    "closed", [with_spec(NODE, unschedulable=True), node("n1", {"cpu": "2", "pods": "0"})]
)
def test_a_node_that_takes_nobody_is_not_counted(closed: dict[str, Any]) -> None:
    assert unserved(Create(closed), Create(PLAIN), Advance(400)) == []


def test_a_node_that_is_overcommitted_is_not_counted() -> None:
    others = [Create(pod(name, cpu("2"), nodeName="n1")) for name in ("p2", "p3")]
    assert unserved(Create(NODE), *others, Create(pod("p1", {"memory": "0"})), Advance(400)) == []


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, []),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, []),
        ({"matchLabels": {"app": "a"}}, ["default/p1"]),
    ],
)
def test_a_pod_may_keep_others_away_that_have_no_labels(
    selector: dict[str, Any], expected: list[str]
) -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}
    keeps_away = pod("p2", nodeName="n1", affinity={"podAntiAffinity": {REQUIRED: [term]}})
    assert unserved(Create(NODE), Create(keeps_away), Create(PLAIN), Advance(400)) == expected


def test_room_is_kept_for_a_pod_that_is_nominated() -> None:
    nominated = Attempt("default/p2", "unschedulable", nominated_node="n1")
    rival = Create(pod("p2", cpu("2"), priority=5))

    assert unserved(Create(NODE), Create(PLAIN), rival, nominated, Advance(400)) == []
    assert "default/p1" in unserved(
        Create(NODE),
        Create(PLAIN),
        rival,
        nominated,
        Attempt("default/p2", "error", nominated_node=""),
        Advance(400),
    )


def test_a_pod_that_is_bound_is_not_waited_for() -> None:
    scheduled = Attempt("default/p1", "scheduled", node="n1")

    assert (
        unserved(Create(NODE), Create(PLAIN), scheduled, Bind("default/p1", "n1", "bound"), Advance(400))
        == []
    )
    assert unserved(Create(NODE), Create(PLAIN), scheduled, Advance(400)) == []
    assert unserved(
        Create(NODE), Create(PLAIN), scheduled, Bind("default/p1", "n1", "error"), Advance(400)
    ) == ["default/p1"]


@pytest.mark.parametrize(
    "config",
    [
        profile_config(podMaxBackoffSeconds=600),
        profile_config({"pluginConfig": [{"name": "NodeAffinity", "args": {}}]}),
        profile_config({"plugins": {"preFilter": {"disabled": [{"name": "NodeResourcesFit"}]}}}),
        profile_config(
            {
                "plugins": {
                    "multiPoint": {"disabled": [{"name": "ImageLocality"}]},
                    "score": {"enabled": [{"name": "ImageLocality"}]},
                }
            }
        ),
        profile_config(extenders=[{"urlPrefix": "http://127.0.0.1:1", "filterVerb": "filter"}]),
    ],
)
def test_a_configuration_may_say_otherwise(config: dict[str, Any]) -> None:
    assert unserved(Create(NODE), Create(PLAIN), Advance(400), config=config) == []


def test_room_is_kept_for_a_nominated_pod_until_it_is_gone() -> None:
    leaving = pod("p2", cpu("2"), status={"nominatedNodeName": "n1"})
    leaving["metadata"]["deletionTimestamp"] = "2025-12-31T23:00:00Z"
    assert unserved(Create(NODE), Create(leaving), Create(PLAIN), REFUSED, Advance(341)) == []
