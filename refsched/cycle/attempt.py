# SPDX-License-Identifier: Apache-2.0
"""Attempt: how a decision is reported in a record.

Observed: the wording of reasons and messages is not part of the API.
Source: pkg/scheduler/framework/types.go, Diagnosis; the reasons are in each plugin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain

from refsched.cycle.decide import Decision
from refsched.framework.cycle_state import PreFilterResult, Scores
from refsched.framework.lazy_mapping import LazyMapping
from refsched.framework.status import Status
from refsched.records import SCHEDULED, Attempt, NodeStatus, PreFilter
from refsched.rules import applies

_SUCCESS = NodeStatus("Success")


def describe(pod: str, decision: Decision) -> Attempt:
    """R-WORDS-02 (decides reasons): Each reason is reported in the words of the plugin that gave it.

    Returns the record of what PreFilter, Filter and Score decided."""
    is_filtered = decision.errors or decision.diagnosis.statuses or decision.passed or decision.surplus
    scores = decision.scores
    statuses = LazyMapping(partial(_statuses, decision)) if is_filtered else None
    rejected = chain(decision.errors.values(), decision.diagnosis.statuses.values())
    applies("R-WORDS-02", when=any(status.reasons for status in rejected))
    return Attempt(
        pod,
        SCHEDULED,
        pre_filter=_pre_filter(decision.pre_filter),
        filter=statuses,
        scores=LazyMapping(partial(_by_node, scores, decision.totals)) if scores is not None else None,
        totals=decision.totals if scores is not None else None,
    )


def _statuses(decision: Decision) -> Mapping[str, NodeStatus]:
    """Returns the status of each node. A node that was filtered twice has its last status, and one that an
    extender rejected has that of Filter."""
    rejected = {**decision.errors, **decision.diagnosis.statuses}
    passed = dict.fromkeys((node.name for node in (*decision.passed, *decision.surplus)), _SUCCESS)
    return {node: node_status(status) for node, status in rejected.items()} | passed


def node_status(status: Status) -> NodeStatus:
    return NodeStatus(status.code.value, status.plugin, status.reasons)


def _pre_filter(result: PreFilterResult) -> PreFilter | None:
    if not result.status.is_success:
        status = result.status
        return PreFilter(status.code.value, status.plugin, status.reasons)
    if result.nodes is None:
        return None
    return PreFilter("Success", nodes=tuple(sorted(result.nodes)))


def _by_node(scores: Scores, nodes: Iterable[str]) -> Mapping[str, Mapping[str, int]]:
    """Returns the scores by node. An extender is listed by its URL beside the plugins."""
    given = {**scores.weighted, **scores.extenders}
    return {
        node: {name: by_node[node] for name, by_node in given.items() if node in by_node}
        for node in sorted(nodes)
    }
