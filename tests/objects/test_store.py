# SPDX-License-Identifier: Apache-2.0
"""ObjectStore: what the API server shows, and what the scheduler assumes."""

from __future__ import annotations

from refsched.objects.meta import ObjectMeta
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore


def pod(name: str, namespace: str = "default", uid: str = "") -> Pod:
    return Pod(ObjectMeta(name=name, namespace=namespace, uid=uid))


def test_objects_are_listed_by_namespace_and_name() -> None:
    store = ObjectStore()
    for shown in (pod("b"), pod("a"), pod("c", "a")):
        store.put(shown)
    store.put(Node(ObjectMeta(name="n")))

    assert [found.key for found in store.list(Pod)] == ["a/c", "default/a", "default/b"]
    assert [found.name for found in store.list(Node)] == ["n"]
    assert store.get(Node, "n") == Node(ObjectMeta(name="n"))


def test_put_and_remove_answer_what_was_there() -> None:
    store = ObjectStore()

    assert store.put(pod("a")) is None
    assert store.put(pod("a", uid="2")) == pod("a")
    assert store.remove(Pod, "a", "default") == pod("a", uid="2")
    assert store.remove(Pod, "a", "default") is None


def test_an_assumed_object_is_seen_only_as_the_latest() -> None:
    store = ObjectStore()
    store.put(pod("a"))
    store.assume(pod("a", uid="assumed"))

    assert store.get(Pod, "a", "default") == pod("a")
    assert store.latest(Pod, "a", "default") == pod("a", uid="assumed")
    assert [found.uid for found in store.list_latest(Pod)] == ["assumed"]

    store.restore(Pod, "a", "default")
    assert store.latest(Pod, "a", "default") == pod("a")


def test_a_newer_object_ends_an_assumption() -> None:
    store = ObjectStore()
    store.assume(pod("a", uid="assumed"))
    store.put(pod("a", uid="shown"))
    assert store.latest(Pod, "a", "default") == pod("a", uid="shown")

    store.assume(pod("a", uid="assumed"))
    store.remove(Pod, "a", "default")
    assert store.latest(Pod, "a", "default") is None
