# SPDX-License-Identifier: Apache-2.0
"""Cases of rules that hold in v1.19 alone."""

from __future__ import annotations

from conformance.strategies.earlier_plugins import of_plugin
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node, pod
from refsched.suite import Case
from refsched.suite.histories.history import History


def _requested_beyond_capacity() -> History:
    """Pods that request nothing count 100m of cpu each; one node has no more than 100m, and runs two of them."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": "100m", "memory": "4Gi", "pods": "9"}))
    cluster.add_node(node(""))
    for home in (0, 0, 1):
        cluster.add_pod(pod(""), home)
    cluster.add_pod(pod(""))
    cluster.schedule()
    return cluster.history(of_plugin("NodeResourcesMostAllocated", "score", alone=True))


# --- Nominations ----------------------------------------------------------------------------------

_FOUR = {"cpu": "4", "memory": "4Gi", "pods": "9"}


def _no_node_can_be_helped() -> History:
    """A nominated pod is tried while its node is cordoned; then the node is free for a pod of lower priority."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", _FOUR))
    cluster.add_pod(pod("", {"cpu": "4"}), 0)
    cluster.add_pod(pod("", {"cpu": "4"}, priority=5))
    cluster.schedule(1)
    cluster.change_node(0, node("", _FOUR, unschedulable=True))
    cluster.wait()
    cluster.schedule(1)
    cluster.change_node(0, node("", _FOUR))
    cluster.add_pod(pod("", {"cpu": "4"}, priority=1))
    cluster.schedule(1)
    return cluster.history()


def _outranked() -> History:
    """A pod is nominated to the node on which another one of higher priority preempts after it."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", _FOUR))
    for _ in range(2):
        cluster.add_pod(pod("", {"cpu": "2"}), 0)
    for cpu, priority in (("2", 5), ("4", 9)):
        cluster.add_pod(pod("", {"cpu": cpu}, priority=priority))
        cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = (
    Case(
        "nomination_to_a_node_that_was_cordoned",
        "The nomination of a pod is cleared if preemption could help on no node, so that others may use its node.",
        _no_node_can_be_helped(),
        ("R-PREEMPT-58",),
        ("preemption",),
    ),
    Case(
        "nomination_of_a_pod_that_is_outranked",
        "A pod of lower priority loses its nomination to the node on which another one preempts.",
        _outranked(),
        ("R-PREEMPT-59",),
        ("preemption", "queue"),
    ),
    Case(
        "most_allocated_beyond_capacity",
        "For NodeResourcesMostAllocated a resource scores at most 100 if pods count more of it than there is.",
        _requested_beyond_capacity(),
        ("R-MOST-01",),
    ),
)
