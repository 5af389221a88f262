# SPDX-License-Identifier: Apache-2.0
"""Device taints: which devices are not allocated to requests that do not tolerate their taints.

Promised: taints of devices and DeviceTaintRules are documented with the ResourceSlice API, KEP-5055.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go,
taintPreventsAllocation; dynamic-resource-allocation/resourceclaim/devicetoleration.go, ToleratesTaint;
dynamic-resource-allocation/resourceslice/tracker/tracker.go, applyPatches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from refsched.objects.dra import (
    NO_EXECUTE,
    NO_SCHEDULE,
    Device,
    DeviceTaint,
    DeviceTaintRule,
    DeviceToleration,
    ResourceSlice,
)
from refsched.rules import applies


def is_kept_away(device: Device, tolerations: Sequence[DeviceToleration]) -> bool:
    """R-DRA-33: A device with a taint of effect NoSchedule or NoExecute that the request does not tolerate is
    not allocated."""
    return applies(
        "R-DRA-33",
        when=any(
            taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not _is_tolerated(taint, tolerations)
            for taint in device.taints
        ),
    )


def _is_tolerated(taint: DeviceTaint, tolerations: Sequence[DeviceToleration]) -> bool:
    return any(tolerates(toleration, taint) for toleration in tolerations)


def tolerates(toleration: DeviceToleration, taint: DeviceTaint) -> bool:
    """R-DRA-34: A toleration tolerates the taints of devices with its key and effect, or with any if it has
    none, and with its value unless its operator is Exists."""
    applies("R-DRA-34")
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def with_rules(slices: Iterable[ResourceSlice], rules: Sequence[DeviceTaintRule]) -> Sequence[ResourceSlice]:
    """R-DRA-35: A DeviceTaintRule adds its taint to the devices that have the driver, the pool and the name
    that its deviceSelector sets; without a deviceSelector it concerns no device."""
    return [_with_taints(piece, rules) for piece in slices] if rules else list(slices)


def _with_taints(piece: ResourceSlice, rules: Sequence[DeviceTaintRule]) -> ResourceSlice:
    devices = tuple(
        evolve(device, taints=(*device.taints, *_taints_of(rules, piece, device)))
        for device in piece.spec.devices
    )
    applies("R-DRA-35", when=devices != piece.spec.devices)
    return evolve(piece, spec=evolve(piece.spec, devices=devices))


def _taints_of(
    rules: Iterable[DeviceTaintRule], piece: ResourceSlice, device: Device
) -> Iterable[DeviceTaint]:
    for rule in rules:
        selector = rule.spec.device_selector
        if (
            selector is not None
            and selector.driver in (None, piece.spec.driver)
            and selector.pool in (None, piece.spec.pool.name)
            and selector.device in (None, device.name)
        ):
            yield rule.spec.taint
