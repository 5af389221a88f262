# SPDX-License-Identifier: Apache-2.0
"""Scalars: the numbers, durations and names of a configuration.

Source: apimachinery/pkg/util/validation/validation.go, IsQualifiedName, IsValidLabelValue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NewType

from refsched.errors import InputError

Int32 = NewType("Int32", int)
Seconds = NewType("Seconds", float)
Base64 = NewType("Base64", str)

_NAME_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def is_qualified_name(name: str) -> bool:
    """Returns whether the name is ``name`` or ``dns.prefix/name``."""
    prefix, slash, part = name.rpartition("/")
    if slash and not (len(prefix) <= 253 and _SUBDOMAIN.fullmatch(prefix)):
        return False
    return len(part) <= 63 and _NAME_PART.fullmatch(part) is not None


@contextmanager
def within(field: str) -> Iterator[None]:
    """Reports an error that is raised inside with its path below ``field``."""
    try:
        yield
    except InputError as problem:
        raise problem.under(field) from None


def go_duration(seconds: float) -> str:
    """Returns the duration as Go prints a time.Duration of less than an hour, which no timeout exceeds:
    ``15m0s``, ``1.5s``, ``20ms``."""
    nanoseconds = round(seconds * 1_000_000_000)
    if nanoseconds == 0:
        return "0s"
    for size, unit in ((1_000, "ns"), (1_000_000, "µs"), (1_000_000_000, "ms")):
        if nanoseconds < size:
            return f"{_trimmed(nanoseconds, size // 1_000)}{unit}"
    minutes, rest = divmod(nanoseconds, 60_000_000_000)
    text = f"{_trimmed(rest, 1_000_000_000)}s"
    return f"{minutes}m{text}" if minutes else text


def _trimmed(amount: int, unit: int) -> str:
    whole, fraction = divmod(amount, unit)
    digits = f"{fraction:0{len(str(unit)) - 1}d}".rstrip("0") if unit > 1 else ""
    return f"{whole}.{digits}" if digits else str(whole)
