# SPDX-License-Identifier: Apache-2.0
"""Equivalent: mutants of which nobody outside can tell, each with the argument."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.wrong.mutating.equivalent.cycle import CYCLE
from conformance.wrong.mutating.equivalent.plugins import PLUGINS
from conformance.wrong.mutating.equivalent.preemption import PREEMPTION

EQUIVALENT: Mapping[str, str] = {**CYCLE, **PLUGINS, **PREEMPTION}
