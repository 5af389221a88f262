# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.35, as v1.35.4 has it: release 1.36, except for what is named here."""

from __future__ import annotations

from attrs import evolve

from refsched.releases.v1_35.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.releases.v1_36 import V1_36

V1_35 = evolve(V1_36, name="1.35", tag="v1.35.4").with_plugins(NodeResourcesBalancedAllocation)
