# SPDX-License-Identifier: Apache-2.0
"""Cases of the way back: what a pod took is given back, however often it comes to nothing."""

from __future__ import annotations

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node, pod
from conformance.vocabulary.scripted import SCRIPTED
from refsched.suite import Case
from refsched.suite.histories.history import History

TIMES = 12


def _again_and_again(plugin: str, point: str) -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}, script={plugin: {point: "Error"}}))
    for _ in range(TIMES):
        cluster.schedule()
        cluster.wait()
    return cluster.history(SCRIPTED)


CASES = (
    Case(
        "binding_fails_again_and_again",
        "A pod whose binding fails is accepted on the same node each time that it is tried again.",
        _again_and_again("ScriptedBinder", "bind"),
        ("R-ROLLBACK-03", "R-ASSUME-01"),
    ),
    Case(
        "permit_fails_again_and_again",
        "A pod for which Permit fails is accepted on the same node each time that it is tried again.",
        _again_and_again("ScriptedA", "permit"),
        ("R-ROLLBACK-02", "R-ASSUME-01"),
    ),
)
