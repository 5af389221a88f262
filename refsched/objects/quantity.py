# SPDX-License-Identifier: Apache-2.0
"""Quantity: an exact amount of a resource.

Kubernetes writes amounts as decimals with a suffix (``1e3``, ``0.5Gi``, ``100n``) and stores nothing finer than
a nano: a finer amount is rounded away from zero. Reading an amount in a coarser unit rounds up.

Source: apimachinery/pkg/api/resource/quantity.go, ParseQuantity, Value, MilliValue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_UP, Context, Decimal
from functools import lru_cache

from attrs import frozen

from refsched.errors import InputError

NANO = 10**9
MAX_VALUE = 2**63 - 1

_SHAPE = re.compile(
    r"(?P<sign>[+-]?)(?P<number>\d+\.?\d*|\.\d+)(?P<suffix>[eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i|)\Z", re.ASCII
)
_DECIMAL_SUFFIX = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIX = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXACT = Context(prec=400, rounding=ROUND_UP)
_LONGEST = 128
_LARGEST_EXPONENT = 128


@frozen(order=True)
class Quantity:
    """A Quantity is an amount in billionths of its unit (``nano``), so that every legal spelling is exact."""

    nano: int = 0

    @property
    def value(self) -> int:
        """Returns whole units, rounded up (bytes for memory, cores for cpu)."""
        return -(-self.nano // NANO)

    @property
    def milli_value(self) -> int:
        """Returns thousandths, rounded up (milli-CPU for cpu)."""
        return -(-self.nano // (NANO // 1000))

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.nano + other.nano)

    @staticmethod
    def of(units: int) -> Quantity:
        """Returns a whole number of units."""
        return Quantity(units * NANO)

    @staticmethod
    def milli(thousandths: int) -> Quantity:
        """Returns a number of thousandths of a unit."""
        return Quantity(thousandths * (NANO // 1000))


def parse_quantity(text: object) -> Quantity:
    """Reads what the API server would accept. A JSON number is read like its text.

    Raises InputError if Kubernetes refuses it. Amounts beyond 2^63-1 units are cut to that.
    """
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise InputError(f"a quantity is a string or a number, not {type(text).__name__}")
    if isinstance(text, int) and abs(text) >= 10**_LONGEST:
        raise InputError(f"a quantity of more than {_LONGEST} digits is out of range")
    return _parsed(str(text))


@lru_cache(maxsize=4096)
def _parsed(spelled: str) -> Quantity:
    shape = _SHAPE.match(spelled) if len(spelled) <= _LONGEST else None
    if shape is None:
        raise InputError(f"{spelled[:40]!r} is not a quantity (such as 500m, 1.5, 2Gi or 1e3)")
    suffix = shape["suffix"]
    number = Decimal(shape["number"])
    if suffix in _BINARY_SUFFIX:
        units = _EXACT.multiply(number, Decimal(2 ** _BINARY_SUFFIX[suffix]))
    else:
        exponent = _DECIMAL_SUFFIX[suffix] if suffix in _DECIMAL_SUFFIX else int(suffix[1:])
        if abs(exponent) > _LARGEST_EXPONENT:
            raise InputError(f"{spelled!r} is not a quantity: its exponent is out of range")
        units = _EXACT.scaleb(number, exponent)
    units = min(units, Decimal(MAX_VALUE))
    nano = int(_EXACT.multiply(units, Decimal(NANO)).to_integral_value(rounding=ROUND_UP))
    return Quantity(-nano if shape["sign"] == "-" else nano)


ResourceList = Mapping[str, Quantity]


def largest(first: ResourceList, *others: ResourceList) -> dict[str, Quantity]:
    """Returns of each resource the largest of these amounts."""
    found = dict(first)
    for amounts in others:
        for name, quantity in amounts.items():
            found[name] = max(found[name], quantity) if name in found else quantity
    return found
