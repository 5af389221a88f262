# SPDX-License-Identifier: Apache-2.0
"""Feature gates: which may be set, and what they are by default."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from refsched.config.feature_gates import DEFAULT_GATES, GATES, read_feature_gates
from refsched.errors import InputError


def test_gates_have_the_defaults_of_the_version() -> None:
    assert read_feature_gates(None) == read_feature_gates({}) == DEFAULT_GATES
    assert DEFAULT_GATES.enabled("SchedulerQueueingHints")
    assert not DEFAULT_GATES.enabled("StorageCapacityScoring")


def test_any_known_gate_may_be_set_to_its_default() -> None:
    assert read_feature_gates({name: gate.default for name, gate in GATES.items()}) == DEFAULT_GATES


def test_a_modelled_gate_may_be_changed() -> None:
    gates = read_feature_gates({"DynamicResourceAllocation": False})
    assert not gates.enabled("DynamicResourceAllocation")
    assert gates.enabled("DRASchedulerFilterTimeout")


@pytest.mark.parametrize(
    ("gates", "problem"),
    [
        ([], r"^expected an object, found \[\]$"),
        ({"Nope": True}, "^Nope: is not a feature gate that changes scheduling in v1.34.2$"),
        ({"SidecarContainers": "no"}, "^SidecarContainers: expected true or false, found 'no'$"),
        ({"SidecarContainers": False}, r"^SidecarContainers: is locked to its default \(on\)$"),
        ({"DRADeviceTaints": True}, r"^DRADeviceTaints: is followed only as it is by default \(off\)"),
    ],
)
def test_a_gate_that_cannot_be_followed_is_refused_by_name(gates: Mapping[str, bool], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_feature_gates(gates)
