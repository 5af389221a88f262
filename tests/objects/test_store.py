# SPDX-License-Identifier: Apache-2.0
"""ObjectStore: what the API server shows, and what the scheduler assumes."""

from __future__ import annotations

from typing import Any, ClassVar

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


class Changes:
    kind: ClassVar[str] = "Pod"

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def changed(self, before: Any | None, after: Any | None) -> None:
        self.heard.append((before.uid if before else "", after.uid if after else ""))


def test_a_ledger_is_informed_of_every_change_of_the_latest() -> None:
    store = ObjectStore()
    store.put(pod("a", uid="1"))
    ledger = store.ledger(Changes)
    store.put(Node(ObjectMeta(name="n")))
    store.assume(pod("a", uid="2"))
    store.restore(Pod, "a", "default")
    store.restore(Pod, "a", "default")
    store.assume(pod("a", uid="3"))
    store.put(pod("a", uid="4"))
    store.remove(Pod, "a", "default")

    assert store.ledger(Changes) is ledger
    assert ledger.heard == [("", "1"), ("1", "2"), ("2", "1"), ("1", "3"), ("3", "4"), ("4", "")]
