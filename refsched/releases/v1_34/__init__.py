# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.34, as v1.34.2 has it: release 1.35, except for what is named here."""

from __future__ import annotations

from attrs import evolve

from refsched.oddities.dynamic_resources import SLICES_OUT_OF_REACH
from refsched.releases.v1_34.plugins.dynamic_resources import DynamicResources
from refsched.releases.v1_35 import V1_35

LACKS = {"R-DRA-18", "R-DRA-19", "R-DRA-123"}
"""DynamicResources does not score."""

V1_34 = evolve(
    V1_35.with_plugins(DynamicResources)
    .with_weight("DynamicResources", 0)
    .without_gates("DRADeviceTaintRules"),
    name="1.34",
    tag="v1.34.2",
    oddities=V1_35.oddities | {SLICES_OUT_OF_REACH},
    lacks=V1_35.lacks | LACKS,
)
