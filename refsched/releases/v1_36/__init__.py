# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.36, as v1.36.3 has it: release 1.37, except for what is named here."""

from __future__ import annotations

from attrs import evolve

from refsched.releases.release import FeatureGate
from refsched.releases.v1_36.plugins.dynamic_resources import DynamicResources
from refsched.releases.v1_37 import V1_37

WITHOUT_GATES = (
    "DRADerivedAttributes",
    "DRADeviceCompatibilityGroups",
    "DRAFractionalCapacityRange",
    "DRAOptionalNodeOperations",
)

GATES = (
    FeatureGate("DRADeviceTaintRules", False, "DeviceTaintRules add taints to devices"),
    FeatureGate("DRAExtendedResource", True, "devices stand in for extended resources"),
    FeatureGate("DRAPrioritizedList", True, "a request lists alternatives"),
    FeatureGate("DRAResourceClaimDeviceStatus", True, "drivers report a device's state in claims"),
)

LACKS = {"R-DRA-35", "R-DRA-88", "R-DRA-89"}
"""DeviceTaintRules do not count; the deletion of a claim is no event."""

V1_36 = evolve(
    V1_37.with_plugins(DynamicResources).without_gates(*WITHOUT_GATES).with_gates(*GATES),
    name="1.36",
    tag="v1.36.3",
    lacks=V1_37.lacks | LACKS,
)
