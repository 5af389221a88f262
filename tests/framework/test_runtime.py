# SPDX-License-Identifier: Apache-2.0
"""Framework: how the plugins of a point are combined, beyond what a whole decision shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from refsched.framework.interface import Continue, Reject
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unschedulable
from refsched.objects.meta import ObjectMeta
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from tests.snapshots import snapshot_of

POD = PodInfo(Pod(ObjectMeta(name="p")))


@frozen
class Answering:
    """PreFilter, Filter, PreScore and Score that answer what they are told."""

    name: str
    before: Any = Continue(None)
    verdict: Status = SUCCESS
    before_score: Any = Continue(None)

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Any:
        return self.before

    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status:
        return self.verdict

    def pre_score(self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot) -> Any:
        return self.before_score

    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int:
        return int(state or 0)


def nodes(*names: str) -> list[NodeInfo]:
    return [NodeInfo(Node(ObjectMeta(name=name))) for name in names]


def framework(*plugins: Any) -> Framework:
    return Framework(
        "default-scheduler",
        pre_filter_plugins=plugins,
        filter_plugins=plugins,
        pre_score_plugins=plugins,
        score_plugins=plugins,
        score_weights={plugin.name: 2 for plugin in plugins},
    )


def test_a_plain_refusal_is_reported_with_what_others_narrowed_to() -> None:
    refusing = framework(
        Answering("A", Reject(unschedulable("no"))), Answering("B", Continue(None, frozenset({"n1"})))
    )
    result = refusing.run_pre_filter_plugins(POD, snapshot_of(*nodes("n1")))
    assert result.status == unschedulable("no").by("A")
    assert result.narrowed_by == {"B"}


def test_the_last_plain_refusal_counts() -> None:
    both = framework(Answering("A", Reject(unschedulable("a"))), Answering("B", Reject(unschedulable("b"))))
    assert both.run_pre_filter_plugins(POD, snapshot_of(*nodes("n1"))).status == unschedulable("b").by("B")
