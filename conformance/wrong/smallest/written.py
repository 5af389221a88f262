# SPDX-License-Identifier: Apache-2.0
"""Written: histories of rules that no test of the suite applies, from which their examples are made.

They are given to schedulers that break the rule, and made small, as the histories of the suite are. For some it
takes more such schedulers than are tried by default, as in
``python -m conformance.wrong.smallest R-DEFAULTS-04 --breakers 25``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from conformance.wrong.smallest import written_v1_19
from conformance.wrong.smallest.shrinking import as_history
from conformance.wrong.smallest.writing import (
    EXTENDERS,
    ONCE,
    Json,
    answered,
    created,
    node,
    pod,
)
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Written = tuple[Json, Sequence[Json]]

_FAILS_TO_FILTER = {"refsched.dev/extender": '{"a": {"filter": "Error"}}'}
_WITH_EXTENDER = {**DEFAULT_CONFIG, "extenders": EXTENDERS}
_PORT = {"ports": [{"containerPort": 80}]}
_RESOURCE = "resource.k8s.io/v1"
_TWO_MEGABYTES = "hugepages-2Mi"


def _slice(name: str, pool: str, slices: int, **device: Any) -> Json:
    return created(
        "ResourceSlice",
        name,
        _RESOURCE,
        spec={
            "driver": "gpu.example.com",
            "allNodes": True,
            "pool": {"name": pool, "generation": 1, "resourceSliceCount": slices},
            "devices": [{"name": "gpu-0", **device}],
        },
    )


def _claimed(**request: Any) -> tuple[Json, ...]:
    """A class, a claim of one device of it, and a node and a pod that uses the claim."""
    asked = {"name": "gpu", "exactly": {"deviceClassName": "gpu", **request}}
    return (
        created("DeviceClass", "gpu", _RESOURCE, spec={}),
        created("ResourceClaim", "gpu", _RESOURCE, spec={"devices": {"requests": [asked]}}),
        node("node-a"),
        pod("web", resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]),
        ONCE,
    )


_TWICE = tuple(_slice(f"slice-{number}", "a", 2) for number in (1, 2))
"""Each slice names its device once, so that the API server accepts both."""

_WRITTEN: Sequence[Written] = (
    # R-EXTENDER-11
    (_WITH_EXTENDER, (node("node-a"), pod("web", annotations=_FAILS_TO_FILTER), ONCE)),
    # R-EXTENDER-04
    (
        _WITH_EXTENDER,
        (
            node("node-a"),
            answered(
                Nodes={"items": []},
                FailedNodes={"node-a": "busy"},
                FailedAndUnresolvableNodes={"node-a": "broken"},
            ),
            ONCE,
        ),
    ),
    # R-EXTENDER-08
    (_WITH_EXTENDER, (node("node-a"), answered(Nodes="node-a"), ONCE)),
    # R-ASSUME-02
    (
        _WITH_EXTENDER,
        (node("node-a"), answered(Nodes={"items": [node("node-b")["create"]]}), ONCE),
    ),
    # R-DEFAULTS-02
    (DEFAULT_CONFIG, (node("node-a", capacity={"cpu": "1", "pods": "110"}), pod("web"), ONCE)),
    # R-DEFAULTS-04
    (
        DEFAULT_CONFIG,
        (
            node("node-a"),
            *(pod("web", _PORT, hostNetwork=True), ONCE),
            *(pod("db", _PORT, hostNetwork=True), ONCE),
        ),
    ),
    # R-DEFAULTS-05
    (
        DEFAULT_CONFIG,
        (
            node("node-a"),
            pod(
                "web",
                {"resources": {"limits": {_TWO_MEGABYTES: "4Mi"}, "requests": {_TWO_MEGABYTES: "4Mi"}}},
                resources={"limits": {"cpu": "1"}},
            ),
            ONCE,
        ),
    ),
    # R-DRA-22
    (DEFAULT_CONFIG, (*_TWICE, *_claimed())),
    # R-DRA-55
    (DEFAULT_CONFIG, (*_TWICE, _slice("slice-3", "b", 1), *_claimed())),
)

_AS_THEY_STAND: Mapping[str, Written] = {
    "R-SEARCH-02": (
        DEFAULT_CONFIG,
        (*(node(f"node-{number:03}") for number in range(1, 102)), pod("web"), ONCE),
    ),
    "R-REQUEST-10": (
        DEFAULT_CONFIG,
        (
            node("node-a", allocatable={"cpus": "4", "pods": "110"}),
            pod("web", {"resources": {"requests": {"cpu": "1"}}}),
            ONCE,
        ),
    ),
    "R-FEATURE-05": (
        DEFAULT_CONFIG,
        (_slice("slice", "a", 1, taints=[{"key": "broken", "effect": "NoSchedule"}]),),
    ),
    "R-FEATURE-06": (
        DEFAULT_CONFIG,
        (
            _slice("slice", "a", 1),
            *_claimed(selectors=[{"cel": {"expression": "isURL(device.driver)"}}]),
        ),
    ),
}
"""Histories of rules that decide no value which the judge compares, or that would show less if they were
smaller."""


def histories(kubernetes: str) -> list[History]:
    """Returns those of this release."""
    written = {"1.34": _WRITTEN, "1.19": written_v1_19.WRITTEN}
    return [_history(each) for each in written.get(kubernetes, ())]


def as_they_stand(rules: Collection[str]) -> Iterator[tuple[str, History, str]]:
    """Yields the rule, its history and the release, of these rules, or of all without any."""
    for kubernetes, table in (("1.34", _AS_THEY_STAND), ("1.19", written_v1_19.AS_THEY_STAND)):
        for rule, written in table.items():
            if not rules or rule in rules:
                yield rule, _history(written), kubernetes


def _history(written: Written) -> History:
    config, steps = written
    return as_history(json.loads(json.dumps({"config": dict(config), "gates": {}, "steps": list(steps)})))
