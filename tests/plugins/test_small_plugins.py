# SPDX-License-Identifier: Apache-2.0
"""NodeName, NodeUnschedulable, TaintToleration and ImageLocality."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from refsched.framework.interface import Continue
from refsched.framework.node_info import ImageState, NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, unresolvable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.plugins.image_locality import ImageLocality, normalized_image_name
from refsched.plugins.node_name import NodeName
from refsched.plugins.node_unschedulable import NodeUnschedulable
from refsched.plugins.normalize import normalize
from refsched.plugins.taint_toleration import TaintToleration
from refsched.releases.v1_35.plugins.image_locality import ImageLocality as ImageLocalityOfV135
from refsched.releases.v1_36.plugins.image_locality import ImageLocality as ImageLocalityOfV136
from tests.snapshots import snapshot_of

MIB = 2**20
CORDONED = "node.kubernetes.io/unschedulable"


def pod(**spec: Any) -> PodInfo:
    return PodInfo(read_as(Pod, {"spec": spec}))


def node(name: str = "n1", **spec: Any) -> NodeInfo:
    return NodeInfo(read_as(Node, {"metadata": {"name": name}, "spec": spec}))


@pytest.mark.parametrize(
    ("asked", "status"),
    [("", SUCCESS), ("n1", SUCCESS), ("n2", unresolvable("node(s) didn't match the requested node name"))],
)
def test_a_pod_that_names_its_node_goes_only_there(asked: str, status: Any) -> None:
    assert NodeName().filter(None, pod(nodeName=asked), node()) == status


def test_the_search_is_restricted_to_the_node_that_the_pod_names() -> None:
    assert NodeName().pre_filter(pod(nodeName="n2"), snapshot_of(node())).nodes == {"n2"}
    assert NodeName().pre_filter(pod(), snapshot_of(node())).nodes is None


@pytest.mark.parametrize("plugin", [NodeUnschedulable(), TaintToleration()])
def test_a_plugin_that_looks_at_nodes_alone_lets_every_pod_pass(plugin: Any) -> None:
    assert plugin.pre_filter(pod(), snapshot_of()) == Continue(None)


@pytest.mark.parametrize(
    ("cordoned", "tolerations", "fits"),
    [
        (False, [], True),
        (True, [], False),
        (True, [{"key": CORDONED, "operator": "Exists"}], True),
        (True, [{"key": CORDONED, "operator": "Exists", "effect": "NoExecute"}], False),
    ],
)
def test_a_cordoned_node_takes_only_pods_that_tolerate_it(
    cordoned: bool, tolerations: list[Any], fits: bool
) -> None:
    status = NodeUnschedulable().filter(None, pod(tolerations=tolerations), node(unschedulable=cordoned))
    assert status == (SUCCESS if fits else unresolvable("node(s) were unschedulable"))


@pytest.mark.parametrize(
    ("effect", "tolerations", "fits"),
    [
        ("NoSchedule", [], False),
        ("NoExecute", [], False),
        ("PreferNoSchedule", [], True),
        ("NoSchedule", [{"key": "k", "value": "v"}], True),
        ("NoExecute", [{"key": "k", "value": "v", "effect": "NoSchedule"}], False),
    ],
)
def test_an_untolerated_taint_refuses_the_node_unless_it_only_prefers(
    effect: str, tolerations: list[Any], fits: bool
) -> None:
    tainted = node(taints=[{"key": "k", "value": "v", "effect": effect}])
    status = TaintToleration().filter(None, pod(tolerations=tolerations), tainted)
    assert status == (SUCCESS if fits else unresolvable("node(s) had untolerated taint(s)"))


def test_the_node_with_the_fewest_untolerated_preferences_is_preferred() -> None:
    taints = [{"key": key, "effect": "PreferNoSchedule"} for key in "ab"]
    nodes = [node("n0"), node("n1", taints=taints[:1]), node("n2", taints=taints)]
    asking = pod(tolerations=[{"key": "a", "operator": "Exists", "effect": "NoSchedule"}])
    plugin = TaintToleration()
    state = plugin.pre_score(asking, nodes, snapshot_of(*nodes)).state
    raw = {info.name: plugin.score(state, asking, info) for info in nodes}
    assert raw == {"n0": 0, "n1": 1, "n2": 2}
    assert plugin.normalize_score(state, asking, raw) == {"n0": 100, "n1": 50, "n2": 0}


def test_normalizing_keeps_proportion_and_zeroes() -> None:
    assert normalize({"a": 3, "b": 1}) == {"a": 100, "b": 33}
    assert normalize({"a": 0}) == {"a": 0}
    assert normalize({"a": 0}, reverse=True) == {"a": 100}
    assert normalize({}) == {}


@pytest.mark.parametrize(
    ("size", "num_nodes", "score"),
    [(23 * MIB, 2, 0), (20 * MIB, 2, 0), (1000 * MIB, 1, 24), (1000 * MIB, 2, 49), (9000 * MIB, 2, 100)],
)
def test_a_present_image_scores_by_its_size_and_spread(size: int, num_nodes: int, score: int) -> None:
    holder = evolve(node(), image_states={"img:latest": ImageState(size, num_nodes)})
    asking = pod(containers=[{"name": "c", "image": "img"}], initContainers=[{"name": "i", "image": "other"}])
    plugin = ImageLocality()
    state = plugin.pre_score(asking, [holder], snapshot_of(holder, node("n2"))).state
    assert plugin.score(state, asking, holder) == score


@pytest.mark.parametrize(
    ("plugin", "score"),
    [(ImageLocality(), 74), (ImageLocalityOfV136(), 100), (ImageLocalityOfV135(), 48)],
)
def test_an_image_volume_counts_as_a_container_does(plugin: ImageLocality, score: int) -> None:
    states = {f"{name}:latest": ImageState(1000 * MIB, 1) for name in ("img", "data")}
    holder = evolve(node(), image_states=states | {"img:latest": ImageState(500 * MIB, 1)})
    asking = pod(
        containers=[{"name": "c", "image": "img"}],
        volumes=[{"name": "d", "image": {"reference": "data"}}, {"name": "e", "emptyDir": {}}],
    )
    state = plugin.pre_score(asking, [holder], snapshot_of(holder)).state
    assert plugin.score(state, asking, holder) == score


@pytest.mark.parametrize(
    ("name", "normalized"),
    [
        ("img", "img:latest"),
        ("img:v1", "img:v1"),
        ("host:5000/img", "host:5000/img:latest"),
        ("host:5000/img:v1", "host:5000/img:v1"),
    ],
)
def test_an_image_without_a_tag_is_the_latest(name: str, normalized: str) -> None:
    assert normalized_image_name(name) == normalized
