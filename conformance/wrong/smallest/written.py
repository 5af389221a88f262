# SPDX-License-Identifier: Apache-2.0
"""Written: histories of rules that no test of the suite applies, from which their examples are made.

They are given to schedulers that break the rule, and made small, as the histories of the suite are. For some it
takes more such schedulers than are tried by default, as in
``python -m conformance.wrong.smallest R-DEFAULTS-04 --breakers 25``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.wrong.smallest.shrinking import as_history
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_V1BETA1: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1beta1",
    "kind": "KubeSchedulerConfiguration",
}
_NO_SCORES = [{"plugins": {"score": {"disabled": [{"name": "*"}]}}}]
_BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def _object(kind: str, name: str, api: str = "v1", **members: Any) -> Json:
    metadata = {"name": name, **members.pop("metadata", {})}
    return {"create": {"apiVersion": api, "kind": kind, "metadata": metadata, **members}}


def _node(name: str, **status: Any) -> Json:
    return _object("Node", name, status=status or {"allocatable": {"cpu": "2", "pods": "110"}})


def _pod(name: str, container: Json | None = None, annotations: Json | None = None, **spec: Any) -> Json:
    spec["containers"] = [{"name": "app", "image": "pause", **(container or {})}]
    metadata = {"annotations": annotations} if annotations else {}
    return _object("Pod", name, metadata=metadata, spec=spec)


def _volume_of(claim: str) -> list[Json]:
    return [{"name": "v0", "persistentVolumeClaim": {"claimName": claim}}]


_ONCE: Json = {"schedule": 1}
_FAILS_TO_FILTER = {"refsched.dev/extender": '{"a": {"filter": "Error"}}'}
_EXTENDERS = [{"urlPrefix": "http://extenders.test/a", "filterVerb": "filter"}]
_PORT = {"ports": [{"containerPort": 80}]}

_WRITTEN: Mapping[str, Sequence[tuple[Json, Sequence[Json]]]] = {
    "1.34": (
        # R-EXTENDER-11
        (
            {**DEFAULT_CONFIG, "extenders": _EXTENDERS},
            (_node("node-a"), _pod("web", annotations=_FAILS_TO_FILTER), _ONCE),
        ),
        # R-DEFAULTS-02
        (DEFAULT_CONFIG, (_node("node-a", capacity={"cpu": "1", "pods": "110"}), _pod("web"), _ONCE)),
        # R-DEFAULTS-04
        (
            DEFAULT_CONFIG,
            (
                _node("node-a"),
                *(_pod("web", _PORT, hostNetwork=True), _ONCE),
                *(_pod("db", _PORT, hostNetwork=True), _ONCE),
            ),
        ),
    ),
    "1.19": (
        # R-SEARCH-52
        ({**_V1BETA1, "profiles": _NO_SCORES}, (_node("node-a"), _node("node-b"), _pod("web"), _ONCE)),
        # R-VOLLIMIT-53
        (
            _V1BETA1,
            (
                _node("node-a"),
                _object(
                    "CSINode",
                    "node-a",
                    "storage.k8s.io/v1",
                    spec={"drivers": [{"name": "csi.example.com", "allocatable": {"count": 1}}]},
                ),
                _object(
                    "PersistentVolume",
                    "volume",
                    spec={"csi": {"driver": "csi.example.com", "volumeHandle": "v"}},
                ),
                _object(
                    "PersistentVolumeClaim",
                    "data",
                    metadata={"annotations": _BOUND},
                    spec={"volumeName": "volume", "resources": {"requests": {"storage": "1Gi"}}},
                ),
                _pod("old", volumes=_volume_of("missing"), nodeName="node-a"),
                _pod("web", volumes=_volume_of("data")),
                _ONCE,
            ),
        ),
    ),
}


def histories(kubernetes: str) -> list[History]:
    """Returns those of this release."""
    return [
        as_history({"config": dict(config), "gates": {}, "steps": list(steps)})
        for config, steps in _WRITTEN.get(kubernetes, ())
    ]
