# SPDX-License-Identifier: Apache-2.0
"""Cases in which an object that a pod depends on is deleted, or becomes another, before the pod is tried.

Of some kinds no pod waits for a deletion: that it was not heard of shows by what the next pod gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]


@frozen
class Replaced:
    """``objects`` are those on which ``pod`` depends, the last of which is deleted, or becomes ``later``. Pods
    that are ``running`` do so from the start."""

    name: str
    objects: Sequence[Json]
    pod: Json
    running: Sequence[Json] = ()
    later: Json | None = None

    def history(self, *, is_tried_before: bool) -> History:
        cluster = HistoryBuilder(hosts=True)
        cluster.add(*self.objects)
        cluster.add_node(node(""))
        for value in self.running:
            cluster.add_pod(value, 0)
        if is_tried_before:
            cluster.add_pod(self.pod)
            cluster.schedule()
        cluster.steps.append(deleting(self.objects[-1]) if self.later is None else Update(self.later))
        cluster.add_pod(self.pod)
        cluster.wait()
        cluster.schedule()
        return cluster.history()


def before_and_after(replaced: Replaced) -> Iterator[Case]:
    """Two cases: a pod like it was tried before, or none was."""
    says = replaced.name.replace("_", " ")
    for is_tried_before, name, when in (
        (False, "before_any_attempt", "before any attempt"),
        (True, "between_attempts", "between the attempts of two pods that are alike"),
    ):
        yield Case(
            f"{replaced.name}_{name}",
            f"What is there at the attempt decides, and not what was there before ({says} {when}).",
            replaced.history(is_tried_before=is_tried_before),
        )
