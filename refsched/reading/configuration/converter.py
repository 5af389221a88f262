# SPDX-License-Identifier: Apache-2.0
"""Converter: the strict converter that reads the numbers, durations and base64 of a configuration.

Source: apimachinery/pkg/apis/meta/v1/duration.go; Go's time.ParseDuration.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from refsched.config.scalars import Base64, Int32, Seconds
from refsched.errors import InputError
from refsched.objects.reading import make_converter

_NANOSECONDS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9}
_NANOSECONDS |= {"m": 60 * 10**9, "h": 3600 * 10**9}
_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_DURATION = re.compile(rf"[-+]?(0|(?:{_PART.pattern})+)", re.ASCII)


def parse_duration(text: str) -> Seconds:
    """Reads ``1h2m3.5s``. Every number needs a unit, except 0."""
    if not _DURATION.fullmatch(text):
        raise InputError(f"{text!r:.60} is not a duration, like 30s")
    total = sum(
        int(Fraction(number.rstrip(".")) * _NANOSECONDS[unit]) for number, unit in _PART.findall(text)
    )
    if total >= 2**63:
        raise InputError(f"{text!r:.60} is longer than a duration can be")
    return Seconds((-total if text.startswith("-") else total) / 10**9)


def _integer(bits: int) -> Callable[[object, Any], int]:
    def structure(value: object, _: Any) -> int:
        if type(value) is not int:
            raise InputError(f"expected an integer, found {value!r:.60}")
        if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise InputError(f"{value} does not fit into {bits} bits")
        return value

    return structure


def _seconds(value: object, _: Any) -> Seconds:
    if not isinstance(value, str):
        raise InputError(f"expected a duration, like 30s, found {value!r:.60}")
    return parse_duration(value)


def _base64(value: object, _: Any) -> Base64:
    try:
        base64.b64decode(value, validate=True)  # type: ignore[arg-type]
    except (TypeError, binascii.Error) as error:
        raise InputError(f"expected base64, found {value!r:.60}") from error
    return Base64(str(value))


CONVERTER = make_converter(strict=True)
CONVERTER.register_structure_hook(int, _integer(64))
CONVERTER.register_structure_hook(Int32, _integer(32))
CONVERTER.register_structure_hook(Seconds, _seconds)
CONVERTER.register_structure_hook(Base64, _base64)
