# SPDX-License-Identifier: Apache-2.0
"""Mutants that no history can distinguish from the specification, each with the argument."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.wrong.mutating.equivalent.cycle import CYCLE
from conformance.wrong.mutating.equivalent.plugins import PLUGINS
from conformance.wrong.mutating.equivalent.preemption import PREEMPTION

EQUIVALENT: Mapping[str, str] = {**CYCLE, **PLUGINS, **PREEMPTION}
