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
