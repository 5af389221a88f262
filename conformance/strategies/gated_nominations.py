# SPDX-License-Identifier: Apache-2.0
"""Gated nominations: gated pods that their status nominates to a node, and pods for which they count there.
Nothing else is needed to see how a nominated pod counts, since a gated pod is never attempted."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.early_nominations import AWAY_FROM_A, BESIDE_A, GATED, SPREAD_FROM_A
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import cpu, node, pod, with_metadata, with_spec, with_status
from refsched.suite.histories.history import History

Json = dict[str, Any]

_NEAR = st.sampled_from([*[Json()] * 3, BESIDE_A, AWAY_FROM_A, SPREAD_FROM_A])
_NODE = st.sampled_from(["n1", "n1", "n2"])
_APP = st.sampled_from("aaab")
_HAPPENINGS = st.sampled_from(["deleted", "lost", "labelled", "moved", "ungated"])


@st.composite
def _gated(draw: DrawFn) -> History:
    """Pods of lower, the same and higher priority are attempted before and after a nominated pod changes."""
    cluster = HistoryBuilder(hosts=True)
    for _ in range(draw(st.integers(1, 3))):
        cluster.add_node(node("", {"cpu": draw(st.sampled_from(["2", "4", "4"])), "pods": "9"}))
    for _ in range(draw(st.integers(1, 2))):
        nominated = pod(
            "",
            cpu(draw(st.sampled_from(["1", "2", "4"]))),
            labels={"app": draw(_APP)},
            status={"nominatedNodeName": draw(_NODE)},
            priority=draw(st.sampled_from([0, 5, 10])),
            schedulingGates=GATED,
        )
        cluster.add_pod(nominated)
    _add_others(draw, cluster)
    for happening in draw(st.lists(_HAPPENINGS, min_size=1, max_size=3)):
        match happening:
            case "deleted":
                cluster.remove_pod(0)
            case "lost":
                cluster.change_pod(0, lambda value: {**value, "status": {}})
            case "labelled":
                cluster.change_pod(0, partial(with_metadata, labels={"app": draw(_APP)}))
            case "moved":
                cluster.change_pod(0, partial(with_status, nominatedNodeName=draw(_NODE)))
            case _:
                cluster.change_pod(0, lambda value: {**with_spec(value, schedulingGates=[]), "status": {}})
        cluster.wait()
        _add_others(draw, cluster)
    return cluster.history()


def _add_others(draw: DrawFn, cluster: HistoryBuilder) -> None:
    for _ in range(draw(st.integers(1, 2))):
        other = pod(
            "",
            cpu(draw(st.sampled_from(["1", "2"]))),
            labels={"app": draw(_APP)},
            priority=draw(st.sampled_from([0, 5, 20])),
            preemptionPolicy=draw(st.sampled_from(["Never", "Never", "PreemptLowerPriority"])),
            **draw(_NEAR),
        )
        cluster.add_pod(other)
    cluster.schedule()


def histories() -> SearchStrategy[History]:
    return _gated()
