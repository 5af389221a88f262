# SPDX-License-Identifier: Apache-2.0
"""Feature gates: the release in which given gates are set otherwise than by default.

Promised: that a gate is known, and may be locked, is documented with the feature gates.
Shows in: config.
Source: component-base/featuregate/feature_gate.go, SetFromMap.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from refsched.errors import InputError, did_you_mean
from refsched.releases import DEFAULT
from refsched.releases.release import Release
from refsched.rules import applies

OF_MANY_GATES = ("AllAlpha", "AllBeta")
"""These are the gates that set many others."""


def with_feature_gates(settings: object, release: Release = DEFAULT) -> Release:
    """Returns the release in which the feature gates are set as ``settings`` says, by name."""
    if settings is None:
        return release
    if not isinstance(settings, Mapping):
        raise InputError(f"expected an object, found {settings!r:.60}")
    off = {str(name) for name, setting in settings.items() if setting is False}
    changed = release
    for name, setting in settings.items():
        changed = _with_gate(str(name), setting, release, changed, off)
    _check_needs(release, off)
    return changed


def _check_needs(release: Release, off: AbstractSet[str]) -> None:
    """R-FEATURE-07: A feature gate that needs another one is refused if it is on and the other one is off."""
    for gate in release.gates.values():
        if gate.needs in off and gate.default and gate.name not in off:
            applies("R-FEATURE-07")
            raise InputError(f"is off, and {gate.name}, which needs it, is on", gate.needs)


def _with_gate(
    name: str, setting: object, release: Release, changed: Release, off: AbstractSet[str]
) -> Release:
    """R-FEATURE-01: A feature gate that is unknown, or locked and set otherwise than by default, is refused.
    R-FEATURE-02 (observed: which gates are followed is the limit of this specification): A feature gate whose
    other setting is not specified here can only be set to its default.
    """
    gate = release.gates.get(name)
    if gate is None:
        applies("R-FEATURE-01")
        if name in OF_MANY_GATES:
            raise InputError(
                "sets many feature gates, which is not followed here: name the gates instead", name
            )
        hint = did_you_mean(name, release.gates)
        raise InputError(f"is not a feature gate that changes scheduling in {release.tag}{hint}", name)
    if not isinstance(setting, bool):
        raise InputError(f"expected true or false, found {setting!r:.60}", name)
    if setting == gate.default:
        return changed
    state = "on" if gate.default else "off"
    if gate.locked:
        applies("R-FEATURE-01")
        raise InputError(f"is locked to its default ({state})", name)
    if gate.otherwise is None and gate.needs in off:
        return changed
    if gate.otherwise is None:
        applies("R-FEATURE-02")
        raise InputError(f"is followed only as it is by default ({state}): {gate.changes}", name)
    return gate.otherwise(changed)
