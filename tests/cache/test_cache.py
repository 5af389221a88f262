# SPDX-License-Identifier: Apache-2.0
"""The cache: what counts on a node, and what a cycle sees of it."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.cache.cache import Cache, CacheError
from refsched.cache.node_tree import NodeTree
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.releases.v1_34 import cache as before


def node(name: str, zone: str = "", images: tuple[tuple[str, int], ...] = (), **labels: str) -> Node:
    all_labels = {"topology.kubernetes.io/zone": zone, **labels} if zone else labels
    status: dict[str, Any] = {
        "allocatable": {"cpu": "4", "pods": "10"},
        "images": [{"names": [image], "sizeBytes": size} for image, size in images],
    }
    return read_as(Node, {"metadata": {"name": name, "labels": all_labels}, "status": status})


def pod(name: str, node_name: str = "", cpu: str = "1") -> Pod:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return read_as(
        Pod,
        {
            "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
            "spec": {"nodeName": node_name, "containers": [container]},
        },
    )


def cache_with(*nodes: Node) -> Cache:
    cache = Cache()
    for each in nodes:
        cache.set_node(each)
    return cache


def used(cache: Cache, name: str) -> int:
    return cache.usage()[name].requested.milli_cpu


def test_what_is_counted_cannot_be_assumed_again() -> None:
    cache = cache_with(node("n1"))
    cache.assume(pod("a"), "n1")
    with pytest.raises(CacheError, match="can't be assumed"):
        cache.assume(pod("a"), "n1")


def test_to_forget_what_does_not_count_any_more_is_an_error_before_v1_35_only() -> None:
    Cache().forget(pod("a", "n1"))
    with pytest.raises(CacheError, match="wasn't assumed"):
        before.Cache().forget(pod("a", "n1"))


def test_a_pod_confirmed_on_another_node_than_assumed_counts_where_it_is() -> None:
    cache = cache_with(node("n1"), node("n2"))
    cache.assume(pod("a"), "n1")
    cache.add_pod(pod("a", "n2"))
    assert (used(cache, "n1"), used(cache, "n2")) == (0, 1000)
    with pytest.raises(CacheError, match="already in added state"):
        cache.add_pod(pod("a", "n2"))


def test_an_update_counts_anew_but_not_before_the_pod_is_confirmed() -> None:
    cache = cache_with(node("n1"))
    with pytest.raises(CacheError, match="not added"):
        cache.update_pod(pod("a", "n1"))
    cache.assume(pod("a"), "n1")
    with pytest.raises(CacheError, match="should not be updated"):
        cache.update_pod(pod("a", "n1"))
    cache.add_pod(pod("a", "n1"))
    cache.update_pod(pod("a", "n1", cpu="3"))
    assert used(cache, "n1") == 3000


def test_a_removed_pod_no_longer_counts() -> None:
    cache = cache_with(node("n1"))
    cache.add_pod(pod("a", "n1"))
    cache.remove_pod(pod("a", "n1"))
    assert used(cache, "n1") == 0
    with pytest.raises(CacheError, match="not found"):
        cache.remove_pod(pod("a", "n1"))


def test_a_node_that_comes_back_under_its_name_still_holds_its_pods() -> None:
    cache = cache_with(node("n1"))
    cache.add_pod(pod("a", "n1"))
    cache.remove_node("n1")
    assert cache.snapshot().nodes == ()
    with pytest.raises(KeyError):
        cache.remove_node("n1")
    cache.set_node(node("n1"))
    assert cache.snapshot().nodes[0].requested.milli_cpu == 1000


def test_a_legacy_zone_label_counts_before_the_new_one() -> None:
    tree = NodeTree()
    old = node("n1", "new", **{"failure-domain.beta.kubernetes.io/zone": "old"})
    for each in (old, node("n2", "old"), node("n3", "new"), old):
        tree.add(each)
    assert tree.names() == ["n1", "n3", "n2"]
    with pytest.raises(KeyError):
        tree.remove(node("n1", "new"))
