# SPDX-License-Identifier: Apache-2.0
"""Which pods belong together by their Services and their owner."""

from __future__ import annotations

from typing import Any

from refsched.objects.pod import Pod
from refsched.objects.reading import read_as

LABELS = {"app": "web", "tier": "front", "version": "2"}


def owner(api_version: str, kind: str, *, controller: bool = True, name: str = "web") -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": "u", "controller": controller}


def pod(*owners: dict[str, Any]) -> Pod:
    meta = {"name": "p", "namespace": "default", "labels": LABELS, "ownerReferences": list(owners)}
    return read_as(Pod, {"metadata": meta})


RS = owner("apps/v1", "ReplicaSet")


def test_only_an_owner_that_controls_is_a_controller() -> None:
    assert pod(owner("v1", "Node", controller=False)).metadata.controller is None
    found = pod(owner("v1", "Node", controller=False), RS).metadata.controller
    assert found is not None
    assert found.kind == "ReplicaSet"
