# SPDX-License-Identifier: Apache-2.0
"""The cluster of a trace, as it was when a pod was last tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from world import node_object, pod_object

from refsched.errors import InputError
from refsched.tools.cluster_of_trace import cluster_of_trace

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
NODES = ({"create": node_object("n1", "2")}, {"create": node_object("n2", "2")})


def tried(pod: str, **members: Any) -> dict[str, Any]:
    return {"attempt": {"pod": f"default/{pod}", "result": "unschedulable", **members}}


def placed(pod: str, node: str) -> dict[str, Any]:
    return {"attempt": {"pod": f"default/{pod}", "result": "scheduled", "node": node}}


def bound(pod: str, node: str, result: str = "bound") -> dict[str, Any]:
    return {"bind": {"pod": f"default/{pod}", "node": node, "result": result}}


def nodes_of(folder: Path, *records: dict[str, Any], config: dict[str, Any] = CONFIG) -> dict[str, str]:
    """Node → verdict on p, which is tried last."""
    path = folder / "t.jsonl"
    header = {"trace": "refsched.trace/v1", "scheduler": {"name": "mine", "version": "1"}, "config": config}
    pod = {"create": pod_object("p", "1500m")}
    lines = (header, *({"at": 0.0, **record} for record in (*NODES, *records, pod, tried("p"))))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = cluster_of_trace(str(path), "default/p").explain("default/p")
    return {node.node: node.verdict for node in found.nodes}


def test_what_a_scheduler_was_shown_is_not_refused(tmp_path: Path) -> None:
    assert set(nodes_of(tmp_path, {"create": pod_object("q", "-1")})) == {"n1", "n2"}


def first(pod: dict[str, Any], *records: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return {"create": pod}, *records


def test_pods_are_where_the_scheduler_bound_or_assumed_them(tmp_path: Path) -> None:
    q = pod_object("q", "1")
    assert nodes_of(tmp_path, *first(q, placed("q", "n2"), bound("q", "n2")))["n2"] == "refused"
    assert nodes_of(tmp_path, *first(q, placed("q", "n1")))["n1"] == "refused"
    assert nodes_of(tmp_path, *first(q, placed("q", "n1"), bound("q", "n1", "error")))["n1"] != "refused"
    assert nodes_of(tmp_path, *first(q))["n1"] != "refused"


def test_an_update_leaves_a_pod_where_it_is_bound(tmp_path: Path) -> None:
    q = pod_object("q", "1")
    after = (placed("q", "n1"), bound("q", "n1"), {"update": pod_object("q", "1", labels={"a": "b"})})
    assert nodes_of(tmp_path, *first(q, *after))["n1"] == "refused"


def test_who_was_deleted_does_not_count(tmp_path: Path) -> None:
    q = pod_object("q", "1", on="n1")
    reference = {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "q"}
    assert nodes_of(tmp_path, *first(q))["n1"] == "refused"
    assert nodes_of(tmp_path, *first(q, {"delete": reference}))["n1"] != "refused"
    named = {**q, "metadata": {**q["metadata"], "namespace": "default"}}
    for verb, verdict in (("delete", "surplus"), ("update", "refused")):
        nodes = nodes_of(tmp_path, *first(q, {"write": {"verb": verb, "object": named}}))
        assert (nodes["n1"] == "refused") == (verdict == "refused")


def test_nominations_count(tmp_path: Path) -> None:
    q = pod_object("q", "1", priority=9)
    there, nowhere = tried("q", nominatedNode="n1"), tried("q", nominatedNode="")
    assert nodes_of(tmp_path, *first(q, there))["n1"] == "refused"
    assert nodes_of(tmp_path, *first(q, there, nowhere))["n1"] != "refused"


def test_the_configuration_is_that_of_the_trace(tmp_path: Path) -> None:
    off = {"plugins": {"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]}}}
    full = first(pod_object("q", "2", on="n1"))
    assert nodes_of(tmp_path, *full)["n1"] == "refused"
    assert nodes_of(tmp_path, *full, config={**CONFIG, "profiles": [off]})["n1"] != "refused"


def test_a_pod_that_was_not_tried_is_refused(tmp_path: Path) -> None:
    nodes_of(tmp_path)
    with pytest.raises(InputError, match="has no attempt of this pod, only of: default/p"):
        cluster_of_trace(str(tmp_path / "t.jsonl"), "default/q")


def test_extenders_that_do_not_answer_any_more_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has extenders, which do not answer any more"):
        nodes_of(tmp_path, config={**CONFIG, "extenders": [{"urlPrefix": "http://127.0.0.1:1"}]})


def test_a_configuration_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"t\.jsonl.*parallelism"):
        nodes_of(tmp_path, config={**CONFIG, "parallelism": "many"})
