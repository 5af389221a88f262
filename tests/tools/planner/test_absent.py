# SPDX-License-Identifier: Apache-2.0
"""Absent kinds: which kinds could matter to a pod."""

from __future__ import annotations

from typing import Any

import pytest
from plan_world import node, objects_of, pod, thing

from refsched.objects.pod import Pod
from refsched.tools.planner.absent_kinds import absent_kinds


def absent(*values: Any) -> list[str]:
    """The kinds that could matter to the first pod."""
    objects = objects_of(*values)
    [asked] = [shown for shown in objects if isinstance(shown, Pod) and shown.name == "a"]
    return list(absent_kinds(objects, [asked]))


def term(**selector: Any) -> dict[str, Any]:
    chosen = {"topologyKey": "zone", "namespaceSelector": selector}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [chosen]}}


def claimed(**source: Any) -> dict[str, Any]:
    return {"volumes": [{"name": "v", **source}]}


def owned(kind: str) -> dict[str, Any]:
    return {
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": "u", "controller": True}
        ]
    }


SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
CLAIM = {"persistentVolumeClaim": {"claimName": "c"}}


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        (pod("a"), []),
        (pod("a", meta={"labels": {"app": "a"}}), ["services"]),
        (pod("a", meta={"labels": {"app": "a"}}, topologySpreadConstraints=[SPREAD]), []),
        (pod("a", meta=owned("StatefulSet")), ["statefulsets"]),
        (pod("a", meta=owned("DaemonSet")), []),
        (pod("a", affinity=term(matchLabels={"team": "x"})), ["namespaces"]),
        (pod("a", affinity=term()), []),
        (pod("a", affinity={"podAffinity": {}}), []),
        (pod("a", **claimed(csi={"driver": "d"})), ["csinodes", "volumeattachments"]),
        (pod("a", **claimed(emptyDir={})), []),
        (
            pod("a", resourceClaims=[{"name": "g", "resourceClaimName": "c"}]),
            ["resourceclaims", "resourceslices", "deviceclasses"],
        ),
        (
            pod("a", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}]),
            ["resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses"],
        ),
    ],
)
def test_what_a_pod_uses_decides_which_kinds_could_matter(given: Any, kinds: list[str]) -> None:
    assert absent(node("n"), given) == kinds


def test_without_nodes_nodes_are_absent() -> None:
    assert absent(pod("a")) == ["nodes"]


def test_a_running_pod_that_selects_namespaces_keeps_others_away() -> None:
    running = pod("b", on="n", affinity=term(matchExpressions=[{"key": "x", "operator": "Exists"}]))
    assert absent(node("n"), running, pod("a")) == ["namespaces"]


def test_budgets_matter_where_there_is_something_to_preempt() -> None:
    running = pod("b", on="n", meta={"labels": {"app": "b"}})
    assert absent(node("n"), running, pod("a", priority=1)) == ["poddisruptionbudgets"]
    assert absent(node("n"), running, pod("a", priority=1, preemptionPolicy="Never")) == []
    assert absent(node("n"), running, pod("a")) == []


def test_capacity_matters_where_a_driver_reports_it() -> None:
    def with_driver(**spec: Any) -> list[str]:
        driver = thing("CSIDriver", "d", "storage.k8s.io/v1", spec=spec)
        return absent(node("n"), driver, pod("a", **claimed(**CLAIM)))

    assert "csistoragecapacities" not in with_driver()
    assert "csistoragecapacities" in with_driver(storageCapacity=True)
