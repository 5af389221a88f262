# SPDX-License-Identifier: Apache-2.0
"""Amounts of resources, as people write them."""

from __future__ import annotations

from refsched.objects.resources import CPU, EPHEMERAL_STORAGE, HUGE_PAGES_PREFIX, MEMORY

_UNITS = (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))


def amounts(resource: str, *values: int) -> tuple[str, ...]:
    """Returns the values as people write them, or exactly to the byte if they would otherwise look the same."""
    written = tuple(_amount(resource, value) for value in values)
    return written if len(set(written)) == len(set(values)) else tuple(map(str, values))


def at_most(resource: str, value: int) -> tuple[int, str]:
    """Returns the largest amount up to this value that is written in a few digits, and how it is written in a
    manifest."""
    if resource == CPU:
        return value, f"{value / 1000:g}" if value % 100 == 0 else f"{value}m"
    if not _is_in_bytes(resource):
        return value, str(value)
    for unit, shift in _UNITS:
        if value >= 100 << shift or (value and value % (1 << shift) == 0):
            return value >> shift << shift, f"{value >> shift}{unit}"
    return value, str(value)


def _amount(resource: str, value: int) -> str:
    if resource == CPU:
        return f"{value / 1000:g}"
    if not _is_in_bytes(resource):
        return f"{value:,}"
    for unit, shift in _UNITS:
        if abs(value) >= 1 << shift:
            return f"{round(value / (1 << shift), 2):g}{unit}"
    return str(value)


def _is_in_bytes(resource: str) -> bool:
    return resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith(HUGE_PAGES_PREFIX)
