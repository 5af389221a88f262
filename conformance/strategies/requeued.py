# SPDX-License-Identifier: Apache-2.0
"""Pods that one plugin rejects, and events that requeue them or do not."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies import node_affinity, pod_affinity, resources, spread, taints
from refsched.suite.histories.history import History


def histories() -> SearchStrategy[History]:
    return st.one_of(
        taints.requeued(),
        node_affinity.requeued(),
        resources.requeued(),
        spread.requeued(),
        pod_affinity.requeued(),
    )
