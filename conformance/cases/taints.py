# SPDX-License-Identifier: Apache-2.0
"""Cases of TaintToleration: which change of a node's taints requeues a pod that was rejected by another node's."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node, pod
from refsched.suite import Case
from refsched.suite.histories.history import History

Json = dict[str, Any]

_TAINTS: list[Json] = [{"key": "k", "effect": "NoSchedule"}]
_PREFERENCE: list[Json] = [{"key": "l", "effect": "PreferNoSchedule"}]


def _taints_change(index: int, changed: Json) -> History:
    """The first node rejects the pod by its taint, and the second one is cordoned."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", taints=_TAINTS))
    cluster.add_node(node("", unschedulable=True))
    cluster.add_pod(pod(""))
    cluster.schedule()
    cluster.change_node(index, changed)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = (
    Case(
        "taints_change_on_a_node_that_they_did_not_reject_the_pod_from",
        "A pod rejected by one node's taint is not requeued when another node, whose taints never rejected it,"
        " gets a PreferNoSchedule taint.",
        _taints_change(1, node("", taints=_PREFERENCE, unschedulable=True)),
    ),
    Case(
        "taint_removed_from_the_node_that_rejected_the_pod",
        "A pod rejected by a node's taint is requeued when the taint is removed.",
        _taints_change(0, node("")),
    ),
)
