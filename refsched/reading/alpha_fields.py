# SPDX-License-Identifier: Apache-2.0
"""Alpha fields: the fields behind feature gates that are off in some release, and cannot be set here.

The API server drops such a field from an object that is created, so that no scheduler sees it. If an object
here has one nevertheless, its owner believes that it counts.

Observed: which fields are followed is the limit of this specification.
Source: pkg/registry/resource/resourceclaim/strategy.go, resourceslice/strategy.go, deviceclass/strategy.go
and pkg/api/pod/util.go, dropDisabledFields and what they call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from refsched.errors import InputError
from refsched.releases.release import Release
from refsched.rules import applies

_DEVICES = "spec.devices[]"
_ASKED = ("exactly", "firstAvailable[]")
_GIVEN = "status.allocation.devices.results[]"


def _of_requests(*fields: str, of: str = "spec") -> tuple[str, ...]:
    """Returns the paths of these fields in the requests of claims."""
    return tuple(f"{of}.devices.requests[].{asked}.{field}" for asked in _ASKED for field in fields)


def _of_templates(*fields: str) -> tuple[str, ...]:
    return _of_requests(*fields, of="spec.spec")


_FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "DRAConsumableCapacity": {
        "ResourceClaim": (
            *_of_requests("capacity"),
            "spec.devices.constraints[].distinctAttribute",
            f"{_GIVEN}.shareID",
            f"{_GIVEN}.consumedCapacity",
        ),
        "ResourceClaimTemplate": (
            *_of_templates("capacity"),
            "spec.spec.devices.constraints[].distinctAttribute",
        ),
        "ResourceSlice": (f"{_DEVICES}.allowMultipleAllocations", f"{_DEVICES}.capacity[].requestPolicy"),
    },
    "DRADeviceBindingConditions": {
        "ResourceClaim": (f"{_GIVEN}.bindingConditions", f"{_GIVEN}.bindingFailureConditions"),
        "ResourceSlice": (
            f"{_DEVICES}.bindsToNode",
            f"{_DEVICES}.bindingConditions",
            f"{_DEVICES}.bindingFailureConditions",
        ),
    },
    "DRADeviceTaints": {
        "ResourceClaim": (*_of_requests("tolerations"), f"{_GIVEN}.tolerations"),
        "ResourceClaimTemplate": _of_templates("tolerations"),
        "ResourceSlice": (f"{_DEVICES}.taints",),
    },
    "DRAExtendedResource": {
        "DeviceClass": ("spec.extendedResourceName",),
        "Pod": ("status.extendedResourceClaimStatus",),
    },
    "DRADerivedAttributes": {
        "ResourceClaim": _of_requests("derivedAttributes"),
        "ResourceClaimTemplate": _of_templates("derivedAttributes"),
    },
    "DRADeviceCompatibilityGroups": {
        "ResourceSlice": (f"{_DEVICES}.consumesCounters[].compatibilityGroups",)
    },
    "DRADeviceTaintRules": {"DeviceTaintRule": ("spec",)},
    "DRAListTypeAttributes": {
        "ResourceSlice": tuple(
            f"{_DEVICES}.attributes[].{values}" for values in ("bools", "ints", "strings", "versions")
        ),
    },
    "DRANodeAllocatableResources": {
        "Pod": ("status.nodeAllocatableResourceClaimStatuses",),
        "ResourceSlice": (
            f"{_DEVICES}.nodeAllocatableResources",
            f"{_DEVICES}.nodeAllocatableResourceMappings",  # Its name in 1.36
        ),
    },
    "DRAOptionalNodeOperations": {
        "ResourceClaim": (f"{_GIVEN}.skipNodeOperations",),
        "ResourceSlice": ("spec.skipNodeOperations",),
    },
    "DRAPartitionableDevices": {
        "ResourceSlice": (
            "spec.sharedCounters",
            "spec.perDeviceNodeSelection",
            f"{_DEVICES}.consumesCounters",
            f"{_DEVICES}.nodeName",
            f"{_DEVICES}.nodeSelector",
            f"{_DEVICES}.allNodes",
        ),
    },
}
"""These are the paths of the fields, by gate and kind; ``[]`` stands for every entry of a list or a map."""


def refuse_gated_fields(kind: str, value: Mapping[str, Any], release: Release) -> None:
    """R-FEATURE-05 (shows in config): An object with a field that is behind a feature gate is refused with the
    name of the gate, if the gate is off in the release and cannot be set here."""
    for gate, kinds in _FIELDS.items():
        if gate in release.gates and release.gates[gate].default:
            continue
        for path in kinds.get(kind, ()):
            for where in _used(value, path.split(".")):
                applies("R-FEATURE-05")
                raise InputError(f"is behind the feature gate {gate}, which is off in {release.name}", where)


def _used(value: Any, path: list[str]) -> Iterator[str]:
    """Returns the places at which the path leads to a value that is not empty."""
    if not isinstance(value, Mapping):
        return
    name = path[0].removesuffix("[]")
    found = value.get(name)
    if path[0] == name:
        entries = {"": found}
    elif isinstance(found, Mapping):
        entries = {f"[{key}]": entry for key, entry in found.items()}
    else:
        entries = {
            f"[{index}]": entry for index, entry in enumerate(found if isinstance(found, list) else ())
        }
    for position, entry in entries.items():
        if len(path) == 1 and entry:
            yield f"{name}{position}"
        elif len(path) > 1:
            for inner in _used(entry, path[1:]):
                yield f"{name}{position}.{inner}"
