# SPDX-License-Identifier: Apache-2.0
"""NodeDeclaredFeatures."""

from __future__ import annotations

from typing import Any

import pytest
from world import node_object, pod_object

from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, unresolvable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.plugins.node_declared_features import NodeDeclaredFeatures
from refsched.releases import RELEASES
from refsched.releases.v1_36.plugins.node_declared_features import (
    NodeDeclaredFeatures as NodeDeclaredFeaturesOfV136,
)
from refsched.tools.configuration.feature_gates import with_feature_gates
from tests.snapshots import snapshot_of

PLUGIN, NOTHING = NodeDeclaredFeatures(), ObjectStore()
RESTART, USERS = "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"
MOUNTS = "VolumeBindMountOptions"


def pod(**spec: Any) -> Pod:
    value = pod_object("p", **spec)
    value["metadata"]["uid"] = "uid"
    return read_as(Pod, value)


def containing(kind: str = "containers", **container: Any) -> Pod:
    return pod(**{"containers": [{"name": "c"}], kind: [{"name": "d", **container}]})


def node(*features: str) -> Node:
    return read_as(Node, node_object("n") | {"status": {"declaredFeatures": list(features)}})


RESTARTING = {"restartPolicyRules": [{"action": "RestartAllContainers"}]}
MOUNTING = {"volumeMounts": [{"name": "v", "bindMountOptions": ["noexec"]}]}


@pytest.mark.parametrize(
    ("asking", "required"),
    [
        (pod(), set()),
        (containing(**RESTARTING), {RESTART}),
        (containing("initContainers", **RESTARTING), {RESTART}),
        (containing(restartPolicyRules=[{"action": "Restart"}]), set()),
        (pod(hostNetwork=True, hostUsers=False), {USERS}),
        (pod(hostNetwork=True, hostUsers=True), set()),
        (pod(hostNetwork=True), set()),
        (pod(hostUsers=False), set()),
        (containing(**MOUNTING), {MOUNTS}),
        (containing("initContainers", **MOUNTING), {MOUNTS}),
        (containing(volumeMounts=[{"name": "v"}]), set()),
    ],
)
def test_what_a_pod_requires_is_inferred_from_its_spec(asking: Pod, required: set[str]) -> None:
    answer = PLUGIN.pre_filter(PodInfo(asking), snapshot_of())
    assert answer == (Continue(frozenset(required)) if required else Skip())


@pytest.mark.parametrize(("declared", "fits"), [((), False), ((USERS,), False), ((USERS, RESTART), True)])
def test_a_node_must_declare_every_feature(declared: tuple[str, ...], fits: bool) -> None:
    required = frozenset({RESTART, USERS} if fits else {RESTART})
    status = PLUGIN.filter(required, PodInfo(pod()), NodeInfo(node(*declared)))
    assert status == (SUCCESS if fits else unresolvable("node(s) didn't match Pod's required features"))


def test_a_node_requeues_that_is_new_or_declares_other_features() -> None:
    assert PLUGIN.after_node_change(pod(), None, node(), NOTHING)
    assert PLUGIN.after_node_change(pod(), node(), node(USERS), NOTHING)
    assert not PLUGIN.after_node_change(pod(), node(USERS), node(USERS), NOTHING)


def test_a_pod_requeues_itself_that_requires_other_features() -> None:
    before = containing(**MOUNTING)
    assert PLUGIN.after_own_change(before, before, pod(), NOTHING)
    assert not PLUGIN.after_own_change(before, before, before, NOTHING)
    assert not PLUGIN.after_own_change(before, None, before, NOTHING)


def test_in_v1_36_options_of_mounts_require_nothing() -> None:
    plugin = NodeDeclaredFeaturesOfV136()
    assert plugin.required_by(containing(**MOUNTING)) == frozenset()
    assert plugin.required_by(containing(**RESTARTING)) == {RESTART}


def test_before_v1_36_what_a_node_declares_is_not_seen() -> None:
    for name, release in RELEASES.items():
        knows = name in ("1.36", "1.37")
        assert ("NodeDeclaredFeatures" in release.plugins) is knows
        shown = release.as_read(node(USERS))
        assert isinstance(shown, Node)
        assert bool(shown.status.declared_features) is knows
    off = with_feature_gates({"NodeDeclaredFeatures": False}, RELEASES["1.36"])
    assert "NodeDeclaredFeatures" not in off.plugins
