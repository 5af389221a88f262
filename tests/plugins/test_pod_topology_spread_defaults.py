# SPDX-License-Identifier: Apache-2.0
"""Which pods belong together by their Services and their owner."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.selectors import EVERYTHING, NOTHING
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import ReplicaSet, ReplicationController, Service, StatefulSet
from refsched.plugins.default_selector import default_selector, with_labels

LABELS = {"app": "web", "tier": "front", "version": "2"}
SAME_APP = {"app": "web", "tier": "back"}
SAME_TIER = {"app": "db", "tier": "front"}
SAME_BOTH = {"app": "web", "tier": "front"}


def owner(api_version: str, kind: str, *, controller: bool = True, name: str = "web") -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": "u", "controller": controller}


def pod(*owners: dict[str, Any]) -> Pod:
    meta = {"name": "p", "namespace": "default", "labels": LABELS, "ownerReferences": list(owners)}
    return read_as(Pod, {"metadata": meta})


def store(*stored: tuple[type[Any], Any], namespace: str = "default") -> ObjectStore:
    """Objects named web, web-1, … of these kinds with these selectors."""
    objects = ObjectStore()
    for number, (kind, selector) in enumerate(stored):
        meta = {"name": f"web-{number}" if number else "web", "namespace": namespace}
        objects.put(read_as(kind, {"metadata": meta, "spec": {"selector": selector}}))
    return objects


def test_services_that_serve_the_pod_select_together() -> None:
    together = default_selector(pod(), store((Service, {"app": "web"}), (Service, {"tier": "front"})))
    assert together.matches(SAME_BOTH)
    assert not together.matches(SAME_APP)
    assert not together.matches(SAME_TIER)


@pytest.mark.parametrize(
    "objects",
    [
        store(),
        store((Service, None)),
        store((Service, {"app": "db"})),
        store((Service, {"app": "web"}), namespace="elsewhere"),
        store((Service, {"missing": ""})),
    ],
)
def test_services_that_do_not_serve_the_pod_select_nobody_with_it(objects: ObjectStore) -> None:
    assert default_selector(pod(), objects) == EVERYTHING


RC = owner("v1", "ReplicationController")
RS = owner("apps/v1", "ReplicaSet")
SS = owner("apps/v1", "StatefulSet")
BY_TIER = {"matchLabels": {"tier": "front"}}


@pytest.mark.parametrize(
    ("by", "owning"),
    [
        (RC, (ReplicationController, {"tier": "front"})),
        (RS, (ReplicaSet, BY_TIER)),
        (SS, (StatefulSet, BY_TIER)),
    ],
)
def test_the_pods_controller_selects_too_together_with_services(by: Any, owning: Any) -> None:
    alone = default_selector(pod(by), store(owning))
    assert (alone.matches(SAME_TIER), alone.matches(SAME_APP)) == (True, False)
    both = default_selector(pod(by), store(owning, (Service, {"app": "web"})))
    assert (both.matches(SAME_TIER), both.matches(SAME_BOTH)) == (False, True)


@pytest.mark.parametrize("by", [RC, RS, SS, owner("apps/v1beta1", "ReplicaSet"), owner("batch/v1", "Job")])
def test_a_controller_that_does_not_exist_or_is_of_another_kind_adds_nothing(by: Any) -> None:
    assert default_selector(pod(by), store()) == EVERYTHING


@pytest.mark.parametrize(("by", "kind"), [(RS, ReplicaSet), (SS, StatefulSet)])
def test_a_controller_without_a_selector_adds_nothing(by: Any, kind: type) -> None:
    assert default_selector(pod(by), store((kind, None))) == EVERYTHING


def test_labels_of_a_replication_controller_replace_those_of_services() -> None:
    selector = default_selector(
        pod(RC), store((ReplicationController, {"app": "other"}), (Service, {"app": "web"}))
    )
    assert selector.matches({"app": "other"})
    assert not selector.matches({"app": "web"})


def test_only_an_owner_that_controls_is_a_controller() -> None:
    assert pod(owner("v1", "Node", controller=False)).metadata.controller is None
    found = pod(owner("v1", "Node", controller=False), RS).metadata.controller
    assert found is not None
    assert found.kind == "ReplicaSet"


def test_what_matches_nothing_goes_on_matching_nothing() -> None:
    assert with_labels(NOTHING, {"app": "web"}) == NOTHING
