# SPDX-License-Identifier: Apache-2.0
"""Varied cases stay what kube-scheduler can decide in time, and are seldom a case as it stands."""

from __future__ import annotations

from functools import cache

import pytest

from conformance.strategies import AREAS
from conformance.strategies.varied_cases import MOST_DEVICES
from conformance.vocabulary.places import key_of, objects_in
from conformance.wrong.profile import suite_tests
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import History
from refsched.suite.histories.trial import try_history
from refsched.suite.session.drawing import collected, load_profile

OF_CASES = [area for area in AREAS if area.startswith("cases_of_")]


@cache
def drawn(area: str) -> list[History]:
    load_profile()
    return collected(AREAS[area](), examples=25, seed="1", name="test")


@pytest.mark.parametrize("area", OF_CASES)
def test_most_are_no_case_as_it_stands(area: str) -> None:
    cases = [test.case.history for test in suite_tests() if test.case is not None]
    assert sum(history in cases for history in drawn(area)) < len(drawn(area)) / 3


@pytest.mark.parametrize("area", OF_CASES)
def test_no_search_for_devices_takes_exponential_time(area: str) -> None:
    for history in drawn(area):
        slices = {key_of(value): value for value in objects_in(history) if value["kind"] == "ResourceSlice"}
        assert sum(len(value["spec"].get("devices", ())) for value in slices.values()) <= 2 * MOST_DEVICES


@pytest.mark.parametrize("area", OF_CASES)
def test_the_specification_decides_them(area: str) -> None:
    with connect("refsched.reference") as adapter:
        for history in drawn(area):
            assert not try_history(adapter, history).findings
