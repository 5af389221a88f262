# SPDX-License-Identifier: Apache-2.0
"""CEL limits: how deep an expression may be, and what its evaluation may cost.

The numbers are the API server's. The cost that is counted is a lower bound, one unit for each element that a
macro visits and one for ten characters that are joined: an evaluation that is stopped here is stopped by
kube-scheduler too, which counts more.

Source: k8s.io/api/resource/v1/types.go, CELSelectorExpressionMaxCost;
github.com/google/cel-go interpreter/runtimecost.go (v0.26.0).
"""

from __future__ import annotations

from typing import Any

from attrs import define

from refsched.cel.values import hashed, runtime_error
from refsched.errors import InputError

MAX_COST = 1_000_000

METER = "#meter"
"""The meter has this name in a scope; no name of CEL begins so."""

MAX_ELEMENTS = 10_000_000
"""A list made by joining two may have this many elements: joining them costs almost nothing in cel-go."""

_CHARACTERS_PER_UNIT = 10


@define
class Meter:
    """A Meter counts what one evaluation has cost so far."""

    cost: int = 0

    def spend(self, units: int = 1) -> None:
        """Adds to the cost. Raises CelError if that is too much, which no operator of the expression can
        resolve."""
        self.cost += units
        if self.cost > MAX_COST:
            raise runtime_error("operation cancelled: actual cost limit exceeded")

    def joined(self, value: Any) -> Any:
        """Returns the value, which was made by joining two, and adds its cost."""
        if isinstance(value, str | bytes):
            self.spend(len(value) // _CHARACTERS_PER_UNIT)
        elif isinstance(value, list) and len(value) > MAX_ELEMENTS:
            raise InputError(f"a CEL list of more than {MAX_ELEMENTS:,} elements is not specified here")
        return value


def checked_key(key: Any) -> Any:
    """Returns the key of a map in an expression. Raises InputError if it is a list or a map."""
    if isinstance(key, list | dict):
        raise InputError("a CEL map whose key is a list or a map is not specified here")
    return hashed(key)


def too_deep() -> InputError:
    """Returns the error for what cel-go does not parse: it parses no expression that is nested deeper than 250
    levels."""
    return InputError("a CEL expression is nested too deeply")
