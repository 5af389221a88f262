# SPDX-License-Identifier: Apache-2.0
"""The cache of v1.19: where it differs from today's."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.cache.cache import CacheError
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.releases.v1_19.cache import Cache


def node(name: str, *images: str) -> Node:
    status: dict[str, Any] = {"images": [{"names": [image], "sizeBytes": 1} for image in images]}
    return read_as(Node, {"metadata": {"name": name}, "status": status})


def pod(name: str, on: str = "", **labels: str) -> Pod:
    metadata = {"name": name, "namespace": "ns", "uid": name, "labels": labels}
    return read_as(Pod, {"metadata": metadata, "spec": {"nodeName": on}})


@pytest.fixture
def cache() -> Cache:
    cache = Cache(expiration=30.0)
    cache.set_node(node("n"))
    return cache


def names_on(cache: Cache, name: str) -> list[str]:
    return [info.pod.name for info in cache.usage()[name].pods]


def test_an_assumed_pod_that_was_bound_expires_after_thirty_seconds(cache: Cache) -> None:
    cache.assume(pod("p"), "n")
    cache.clean_up_assumed_pods(100)
    assert names_on(cache, "n") == ["p"]
    cache.finish_binding(pod("p"), 100)
    cache.clean_up_assumed_pods(130)
    assert cache.is_assumed(pod("p"))
    cache.clean_up_assumed_pods(130.5)
    assert not cache.is_assumed(pod("p"))
    assert names_on(cache, "n") == []


def test_an_assumed_pod_that_the_api_server_shows_bound_does_not_expire(cache: Cache) -> None:
    cache.assume(pod("p"), "n")
    cache.finish_binding(pod("p"), 0)
    cache.add_pod(pod("p", "n", a="b"))
    cache.clean_up_assumed_pods(100)
    cache.finish_binding(pod("p"), 0)
    cache.clean_up_assumed_pods(100)
    assert names_on(cache, "n") == ["p"]


def test_an_assumed_pod_counts_as_it_was_assumed_until_it_is_updated(cache: Cache) -> None:
    cache.assume(pod("p"), "n")
    cache.add_pod(pod("p", "n", a="b"))
    assert cache.usage()["n"].pods[0].pod.labels == {}
    cache.update_pod(pod("p", "n", a="b"))
    assert cache.usage()["n"].pods[0].pod.labels == {"a": "b"}
    with pytest.raises(CacheError, match="already in added state"):
        cache.add_pod(pod("p", "n"))


def test_a_pod_that_is_still_assumed_is_not_removed(cache: Cache) -> None:
    cache.assume(pod("p"), "n")
    with pytest.raises(CacheError, match="is not found in scheduler cache"):
        cache.remove_pod(pod("p", "n"))
    assert names_on(cache, "n") == ["p"]
    cache.add_pod(pod("p", "n"))
    cache.remove_pod(pod("p", "n"))
    assert names_on(cache, "n") == []


def test_a_pod_is_not_assumed_twice(cache: Cache) -> None:
    cache.assume(pod("p"), "n")
    with pytest.raises(CacheError, match=r"^pod p is in the cache, so can't be assumed$"):
        cache.assume(pod("p"), "n")
