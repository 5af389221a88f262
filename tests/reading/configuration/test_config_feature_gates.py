# SPDX-License-Identifier: Apache-2.0
"""Feature gates: which may be set, and what they are by default."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from refsched.errors import InputError
from refsched.plugins.dynamic_resources_args import DynamicResourcesArgsWithoutTimeout
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release
from refsched.releases.v1_35.plugins import dynamic_resources_args


def test_without_settings_the_release_is_the_one_named() -> None:
    assert with_feature_gates(None) is with_feature_gates({}) is DEFAULT


def test_any_known_gate_may_be_set_to_its_default() -> None:
    assert with_feature_gates({name: gate.default for name, gate in DEFAULT.gates.items()}) is DEFAULT


def test_a_gate_that_is_off_makes_another_release() -> None:
    old = RELEASES["1.34"]
    off = {"DynamicResourceAllocation": False, "SchedulerPopFromBackoffQ": False}
    changed = with_feature_gates(off, old)

    assert old.plugins.keys() - changed.plugins.keys() == {"DynamicResources"}
    assert changed.queue != old.queue
    assert with_feature_gates({"SchedulerPopFromBackoffQ": False}).queue != DEFAULT.queue


@pytest.mark.parametrize(
    ("release", "args"),
    [
        (DEFAULT, DynamicResourcesArgsWithoutTimeout),
        (RELEASES["1.34"], dynamic_resources_args.DynamicResourcesArgsWithoutTimeout),
    ],
)
def test_without_the_gate_of_the_filter_timeout_its_argument_is_another_one(
    release: Release, args: type
) -> None:
    without_timeout = with_feature_gates({"DRASchedulerFilterTimeout": False}, release)
    assert without_timeout.plugins.keys() == release.plugins.keys()
    assert without_timeout.args["DynamicResources"] is args


@pytest.mark.parametrize(
    ("gates", "problem"),
    [
        ([], r"^expected an object, found \[\]$"),
        ({"Nope": True}, "^Nope: is not a feature gate that changes scheduling in v1.37.2$"),
        (
            {"AllAlpha": True},
            "^AllAlpha: sets many feature gates, which is not followed here: name the gates instead$",
        ),
        ({"DRAAdminAccess": "no"}, "^DRAAdminAccess: expected true or false, found 'no'$"),
        ({"DRAAdminAccess": False}, r"^DRAAdminAccess: is locked to its default \(on\)$"),
        ({"DRADeviceTaints": False}, r"^DRADeviceTaints: is followed only as it is by default \(on\)"),
        ({"GenericWorkload": True}, r"^GenericWorkload: is followed only as it is by default \(off\)"),
    ],
)
def test_a_gate_that_cannot_be_followed_is_refused_by_name(gates: Mapping[str, bool], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        with_feature_gates(gates)


def test_a_gate_that_needs_another_one_goes_with_it_since_1_35() -> None:
    name, needing = "MatchLabelKeysInPodTopologySpread", "MatchLabelKeysInPodTopologySpreadSelectorMerge"
    for version in ("1.35", "1.36", "1.37"):
        with pytest.raises(InputError, match=f"is off, and {needing}, which needs it, is on"):
            with_feature_gates({name: False}, RELEASES[version])
        assert with_feature_gates({name: False, needing: False}, RELEASES[version]) != RELEASES[version]
        with pytest.raises(InputError, match="followed only as it is by default"):
            with_feature_gates({needing: False}, RELEASES[version])
    assert with_feature_gates({name: False}, RELEASES["1.34"]) != RELEASES["1.34"]
