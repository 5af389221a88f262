# SPDX-License-Identifier: Apache-2.0
"""Feature gates that change how pods are scheduled, as v1.34.2 has them.

What a gate that is modelled changes is found in the queue (SchedulerPopFromBackoffQ), in PostFilter
(SchedulerAsyncPreemption), in the objects as they are read (refsched/config/gated_fields.py), or in the default
plugins (DynamicResourceAllocation). SchedulerAsyncAPICalls changes nothing here: what the scheduler wrote has come
back before the next input, sooner or later.

Rules: R-FEATURE-01 … R-FEATURE-04.   Source: pkg/features/kube_features.go;
pkg/scheduler/framework/plugins/feature/feature.go, NewSchedulerFeaturesFromGates (v1.34.2);
component-base/featuregate/feature_gate.go, SetFromMap (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from refsched.errors import InputError


@frozen
class FeatureGate:
    """``modelled`` gates may be set either way; a ``locked`` one cannot be set in kube-scheduler either."""

    name: str
    default: bool
    stage: str
    changes: str
    locked: bool = False
    modelled: bool = False


GATES: Mapping[str, FeatureGate] = {
    gate.name: gate
    for gate in (
        FeatureGate(
            "CSIMigrationPortworx", True, "GA", "in-tree Portworx volumes count as CSI volumes", True
        ),
        FeatureGate("DRAAdminAccess", True, "beta", "claims with admin access take devices that are in use"),
        FeatureGate("DRAConsumableCapacity", False, "alpha", "a device is shared by its capacity"),
        FeatureGate("DRADeviceBindingConditions", False, "alpha", "PreBind waits for devices to be ready"),
        FeatureGate("DRADeviceTaints", False, "alpha", "devices have taints, claims tolerations"),
        FeatureGate("DRAExtendedResource", False, "alpha", "devices stand in for extended resources"),
        FeatureGate("DRAPartitionableDevices", False, "alpha", "devices share counters"),
        FeatureGate("DRAPrioritizedList", True, "beta", "a request lists alternatives"),
        FeatureGate("DRAResourceClaimDeviceStatus", True, "beta", "drivers tell a device's state in claims"),
        FeatureGate(
            "DRASchedulerFilterTimeout", True, "beta", "a search for devices is timed", modelled=True
        ),
        FeatureGate(
            "DynamicResourceAllocation", True, "GA", "DynamicResources is a default plugin", modelled=True
        ),
        FeatureGate(
            "InPlacePodVerticalScaling", True, "beta", "a pod's status counts for its requests", modelled=True
        ),
        FeatureGate(
            "MatchLabelKeysInPodTopologySpread",
            True,
            "beta",
            "matchLabelKeys of spread constraints",
            modelled=True,
        ),
        FeatureGate(
            "NodeInclusionPolicyInPodTopologySpread", True, "GA", "which nodes spreading counts", True
        ),
        FeatureGate(
            "NominatedNodeNameForExpectation", False, "alpha", "nominations stay, and precede binding"
        ),
        FeatureGate("PodLevelResources", True, "beta", "requests of the pod as a whole", modelled=True),
        FeatureGate(
            "SchedulerAsyncAPICalls", False, "beta", "writes to the API server are queued", modelled=True
        ),
        FeatureGate(
            "SchedulerAsyncPreemption", True, "beta", "victims are deleted beside the cycle", modelled=True
        ),
        FeatureGate(
            "SchedulerPopFromBackoffQ", True, "beta", "an idle scheduler pops from backoff", modelled=True
        ),
        FeatureGate("SchedulerQueueingHints", True, "GA", "plugins tell which events cure a refusal", True),
        FeatureGate("SidecarContainers", True, "GA", "init containers that go on running", True),
        FeatureGate(
            "StorageCapacityScoring", False, "alpha", "VolumeBinding scores nodes by storage capacity"
        ),
        FeatureGate("VolumeAttributesClass", True, "GA", "a claim names the attributes of its volume"),
    )
}


@frozen
class FeatureGates:
    """The gates that are set otherwise than by default."""

    changed: Mapping[str, bool] = field(factory=dict)

    def enabled(self, name: str) -> bool:
        return self.changed.get(name, GATES[name].default)


DEFAULT_GATES = FeatureGates()


def read_feature_gates(value: object) -> FeatureGates:
    """R-FEATURE-01: a gate that is not known, or locked and set otherwise, is refused.
    R-FEATURE-02: a gate is refused, too, whose other setting this specification does not follow.
    R-FEATURE-03: whether API calls are asynchronous changes no decision, once they have come back.
    """
    if value is None:
        return DEFAULT_GATES
    if not isinstance(value, Mapping):
        raise InputError(f"expected an object, found {value!r:.60}")
    wanted = {str(name): _checked(str(name), setting) for name, setting in value.items()}
    return FeatureGates({name: on for name, on in wanted.items() if on != GATES[name].default})


def _checked(name: str, setting: object) -> bool:
    if name not in GATES:
        raise InputError("is not a feature gate that changes scheduling in v1.34.2", name)
    if not isinstance(setting, bool):
        raise InputError(f"expected true or false, found {setting!r:.60}", name)
    gate = GATES[name]
    if setting != gate.default:
        state = "on" if gate.default else "off"
        if gate.locked:
            raise InputError(f"is locked to its default ({state})", name)
        if not gate.modelled:
            raise InputError(f"is followed only as it is by default ({state}): {gate.changes}", name)
    return setting
