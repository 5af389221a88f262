# SPDX-License-Identifier: Apache-2.0
"""Which pods another release places differently, and why."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from plan_world import Json, node, pod

from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.releases import release_of
from refsched.tools.configuration.read import default_config
from refsched.tools.planner.upgrade import Change, Compared, compare
from refsched.tools.reading.manifests import read_manifests


def compared(*values: Json) -> Compared:
    """By v1.19 and then by v1.34."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values)})
    sides = []
    for release in map(release_of, ("1.19", "1.34")):
        objects = read_manifests(["-"], BytesIO(text.encode()), release=release).objects
        sides.append((scheduler_of(default_config(release), SeededChoices(0), release=release), objects))
    return compare(*sides)


def change(*values: Json) -> Change:
    [found] = compared(*values).changes
    return found


def spread(**more: Any) -> Json:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **more}
    return {"topologySpreadConstraints": [constraint | {"labelSelector": {"matchLabels": {"app": "web"}}}]}


ZONES = (node("a1", labels={"zone": "a"}), node("b1", labels={"zone": "b"}))
WEB = {"labels": {"app": "web"}}


def test_a_pod_that_may_go_to_the_same_nodes_is_not_listed() -> None:
    assert compared(node("n1"), node("n2"), pod("p"), pod("r", on="n1")) == Compared(2, ())


def test_a_node_is_rejected_by_the_release_alone_that_reads_a_field() -> None:
    others = [pod(f"on-{name}", on=name, meta=WEB) for name in ("a1", "b1")]
    found = change(*ZONES, *others, pod("p", meta=WEB, **spread(minDomains=3)))
    assert (found.pod, found.before.nodes, found.after.nodes) == ("default/p", ("a1", "b1"), ())
    assert found.before.rejections == {}
    assert found.after.rejections["a1"].startswith("PodTopologySpread: node(s) didn't match pod topology")
    assert found.gains == {}


def test_a_pod_that_runs_is_decided_as_if_it_did_not() -> None:
    runs = pod("p", on="a1", meta=WEB, **spread(minDomains=3))
    others = [pod(f"on-{name}", on=name, meta=WEB) for name in ("a1", "b1")]
    assert [each.pod for each in compared(*ZONES, runs, *others).changes] == ["default/p"]


def test_a_gated_pod_says_why_it_goes_nowhere() -> None:
    found = change(node("n1"), pod("p", schedulingGates=[{"name": "quota"}]))
    assert (found.before.nodes, found.after.nodes) == (("n1",), ())
    assert found.after.message == "waiting for scheduling gates: [quota]"


def test_where_scores_decide_the_plugins_that_favour_the_new_node_are_named() -> None:
    tainted = node("n1", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    found = change(tainted, node("n2"), pod("busy", cpu="3", on="n2"), pod("p", tolerations=[]))
    assert (found.before.nodes, found.after.nodes) == (("n1",), ("n2",))
    assert next(iter(found.gains.items())) == ("TaintToleration", 200)


def test_a_finished_pod_is_not_compared() -> None:
    assert compared(node("n1"), pod("p", status={"phase": "Succeeded"})).pods == 0


def test_without_nodes_both_place_a_pod_nowhere() -> None:
    assert compared(pod("p")) == Compared(1, ())
