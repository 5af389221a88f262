# SPDX-License-Identifier: Apache-2.0
"""What was done to the real kube-scheduler, done to this one, up to where it makes a choice of its own."""

from __future__ import annotations

import pytest

from refsched.releases import RELEASES
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.recordings import areas, read_recording, recordings
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms

AREAS = areas(*RELEASES)


@conforms(rules=rules_of("WORDS", "R-INV-08"))
@pytest.mark.parametrize("area", AREAS)
def test_recordings_of_kube_scheduler(check: Check, area: str) -> None:
    recorded = list(recordings(area, check.kubernetes))
    for path in recorded:
        check(read_recording(path))
    if not recorded:
        check.has_nothing_for_it()
