# SPDX-License-Identifier: Apache-2.0
"""A scheduler that decides as the specification does, but takes the orders that the rules leave open as they come,
where v1.34 takes the order of Go's sort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from refsched.machine.state import START
from refsched.oddities.fixed_orders import FIXED_ORDERS
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reference import ReferenceScheduler
from refsched.releases.v1_34 import V1_34

FREE = evolve(V1_34, oddities=V1_34.oddities - set(FIXED_ORDERS))


def create(
    config: Mapping[str, Any], *, feature_gates: Mapping[str, bool] | None = None, start: Any = START
) -> ReferenceScheduler:
    return ReferenceScheduler(config, with_feature_gates(feature_gates, FREE), start, 0)
