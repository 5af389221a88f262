# SPDX-License-Identifier: Apache-2.0
"""Cured: pods that each node refuses for a reason of its own, and what cures them or does not."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies import node_affinity, pod_affinity, resources, spread, taints
from refsched.suite.histories.history import History


def histories() -> SearchStrategy[History]:
    return st.one_of(
        taints.cured(), node_affinity.cured(), resources.cured(), spread.cured(), pod_affinity.cured()
    )
