# SPDX-License-Identifier: Apache-2.0
"""Written histories of rules that only v1.19 has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.wrong.smallest.writing import EXTENDERS, ONCE, Json, answered, created, node, pod

_V1BETA1: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1beta1",
    "kind": "KubeSchedulerConfiguration",
}
_NO_SCORES = [{"plugins": {"score": {"disabled": [{"name": "*"}]}}}]
_BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
_FAILS = {"refsched.dev/extender": '{"a": {"filter": "Fail"}}'}
_SHOP = {"app": "shop"}
_COMPANIONS = {
    **_V1BETA1,
    "profiles": [
        {
            "plugins": {
                point: {"enabled": [{"name": "ServiceAffinity"}]} for point in ("preFilter", "filter")
            },
            "pluginConfig": [
                {"name": "ServiceAffinity", "args": {"affinityLabels": ["topology.kubernetes.io/zone"]}}
            ],
        }
    ],
}
_BY_ZONE = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]


def _volume_of(claim: str) -> list[Json]:
    return [{"name": "v0", "persistentVolumeClaim": {"claimName": claim}}]


WRITTEN: Sequence[tuple[Json, Sequence[Json]]] = (
    # R-SEARCH-52
    ({**_V1BETA1, "profiles": _NO_SCORES}, (node("node-a"), node("node-b"), pod("web"), ONCE)),
    # R-EXTENDER-52
    ({**_V1BETA1, "extenders": EXTENDERS}, (node("node-a"), pod("web", annotations=_FAILS), ONCE)),
    # R-SPREAD-58: the extender sends back node-a as if it were in the zone of node-b
    (
        {**_V1BETA1, "extenders": EXTENDERS},
        (
            node("node-a", {"zone": "a"}),
            node("node-b", {"zone": "b"}),
            answered(
                {"topologySpreadConstraints": _BY_ZONE},
                Nodes={"items": [node(name, {"zone": "b"})["create"] for name in ("node-a", "node-b")]},
            ),
            ONCE,
        ),
    ),
    # R-SVCAFF-03
    (
        _COMPANIONS,
        (
            created("Service", "shop", spec={"selector": _SHOP}),
            node("node-a"),
            pod("db", labels=_SHOP, nominatedNodeName="node-a"),
            pod("web", labels=_SHOP),
            {"schedule": 2},
        ),
    ),
    # R-SVCAFF-04
    (
        _COMPANIONS,
        (
            created("Service", "shop", spec={"selector": _SHOP}),
            node("node-a"),
            pod("db", labels=_SHOP, nodeName="node-a"),
            pod("cache", labels=_SHOP, nominatedNodeName="node-a"),
            pod("web", labels=_SHOP),
            {"schedule": 2},
        ),
    ),
    # R-VOLLIMIT-53
    (
        _V1BETA1,
        (
            node("node-a"),
            created(
                "CSINode",
                "node-a",
                "storage.k8s.io/v1",
                spec={"drivers": [{"name": "csi.example.com", "allocatable": {"count": 1}}]},
            ),
            created(
                "PersistentVolume",
                "volume",
                spec={"csi": {"driver": "csi.example.com", "volumeHandle": "v"}},
            ),
            created(
                "PersistentVolumeClaim",
                "data",
                metadata={"annotations": _BOUND},
                spec={"volumeName": "volume", "resources": {"requests": {"storage": "1Gi"}}},
            ),
            pod("old", volumes=_volume_of("missing"), nodeName="node-a"),
            pod("web", volumes=_volume_of("data")),
            ONCE,
        ),
    ),
)

AS_THEY_STAND: Mapping[str, tuple[Json, Sequence[Json]]] = {
    "R-CONFIG-51": (
        {**_V1BETA1, "profiles": [{"plugins": {"filter": {"enabled": [{"name": "NodeLabel"}]}}}]},
        (node("node-a"), pod("web"), ONCE),
    ),
    "R-CONFIG-52": (
        {
            **_V1BETA1,
            "profiles": [
                {
                    "plugins": {"filter": {"enabled": [{"name": "NodeLabel"}]}},
                    "pluginConfig": [
                        {
                            "name": "NodeLabel",
                            "args": {"presentLabels": ["zone"], "absentLabels": ["zone"]},
                        }
                    ],
                }
            ],
        },
        (),
    ),
}
"""Histories of rules that decide before there is a scheduler to ask."""
