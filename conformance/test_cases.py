# SPDX-License-Identifier: Apache-2.0
"""Cases: situations that drawn histories rarely reach, each by its name. ``-k NAME`` selects one."""

from __future__ import annotations

from conformance.cases import cel, resource_slices
from refsched.suite import Case, Check, conforms
from refsched.suite.catalogue.rules import rules_of


@conforms(area="devices", cases=resource_slices.CASES, rules=rules_of("DRA"), needs=("devices",))
def test_resource_slices(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="devices", cases=cel.CASES, rules=rules_of("DRA"), needs=("devices",))
def test_cel_selectors(check: Check, case: Case) -> None:
    check(case.history)
