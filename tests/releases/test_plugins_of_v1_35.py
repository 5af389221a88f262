# SPDX-License-Identifier: Apache-2.0
"""Plugins that decide otherwise in v1.35 and before than in v1.36."""

from __future__ import annotations

from typing import Any

import pytest
from volume_objects import csi_node, read, store
from world import node_object, pod_object

from refsched.errors import InputError
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.resources import Resource
from refsched.objects.store import ObjectStore
from refsched.plugins.node_resources_balanced_allocation import Asked
from refsched.plugins.node_volume_limits import Drivers
from refsched.reading.configuration.read import read_args
from refsched.releases import RELEASES
from refsched.releases.v1_35.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.releases.v1_35.plugins.node_volume_limits import NodeVolumeLimits
from refsched.rules import listening


def test_a_node_scores_by_the_balance_that_the_pod_leaves() -> None:
    plugin = NodeResourcesBalancedAllocation()
    asking = PodInfo(read(pod_object("p", "1")))
    node = NodeInfo(None, allocatable=Resource(milli_cpu=4000, memory=8 << 30))
    applied: list[str] = []
    with listening(applied.append):
        assert plugin.score(Asked((1000, 0)), asking, node) == 87
    assert applied == ["R-BALANCED-03", "R-BALANCED-06"]


@pytest.mark.parametrize(("listed", "fits"), [((), True), (("kubernetes.io/portworx-volume",), False)])
def test_portworx_volumes_count_if_the_csi_node_lists_the_plugin(listed: tuple[str, ...], fits: bool) -> None:
    inline = {"name": "v", "portworxVolume": {"volumeID": "p"}}
    asking = PodInfo(read(pod_object("p", volumes=[inline])))
    driver = {"name": "pxd.portworx.com", "nodeID": "n1", "allocatable": {"count": 0}}
    objects = store(csi_node("n1", *listed) | {"spec": {"drivers": [driver]}})
    status = NodeVolumeLimits().filter(Drivers(objects), asking, NodeInfo(read(node_object("n1"))))
    assert status.is_success is fits


def test_a_shape_is_allowed_and_checked_with_any_strategy() -> None:
    given = {
        "type": "LeastAllocated",
        "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}]},
    }
    wrong = {**given, "requestedToCapacityRatio": {"shape": []}}
    older, newer = RELEASES["1.35"], RELEASES["1.36"]
    read_args("NodeResourcesFit", {"scoringStrategy": given}, older).validate()
    with pytest.raises(InputError, match="needs at least one point"):
        read_args("NodeResourcesFit", {"scoringStrategy": wrong}, older).validate()
    with pytest.raises(InputError, match="is only for type RequestedToCapacityRatio"):
        read_args("NodeResourcesFit", {"scoringStrategy": given}, newer).validate()


def changes(labels: dict[str, str], **status: Any) -> tuple[Pod, Pod]:
    """Returns an unscheduled pod before and after it gets these labels."""
    named = pod_object("other")
    before = {**named, "status": status, "metadata": named["metadata"] | {"uid": "other"}}
    after = before | {"metadata": before["metadata"] | {"labels": labels}}
    return read_as(Pod, before), read_as(Pod, after)


WANTS = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "a"}}}
WANTING = read_as(
    Pod,
    pod_object(
        "p",
        affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [WANTS]}},
        topologySpreadConstraints=[{**WANTS, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
    ),
)


@pytest.mark.parametrize("plugin", ["InterPodAffinity", "PodTopologySpread"])
@pytest.mark.parametrize("nominated", [True, False])
def test_nominated_pods_requeue_no_pod(plugin: str, nominated: bool) -> None:
    change = changes({"app": "a"}, nominatedNodeName="n1" if nominated else "")
    assert requeues("1.36", plugin, WANTING, *change) is nominated
    assert not requeues("1.35", plugin, WANTING, *change)


def test_the_labels_of_the_pod_itself_requeue_no_pod_that_affinity_rejected() -> None:
    before, after = changes({"other": "label"})
    assert requeues("1.36", "InterPodAffinity", before, before, after)
    assert not requeues("1.35", "InterPodAffinity", before, before, after)


def requeues(release: str, name: str, pod: Pod, before: Pod, after: Pod) -> bool:
    kubernetes = RELEASES[release]
    plugin: Any = kubernetes.plugins[name].make(read_args(name, None, kubernetes))
    [row] = [row for row in plugin.EVENTS if row.resource == "Pod"]
    return bool(row.hint(plugin, pod, before, after, ObjectStore()))
