# SPDX-License-Identifier: Apache-2.0
"""Similar fields: fields of the specification's objects that may be taken for each other, since they have the same
type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

import attrs

from refsched.suite.catalogue.reasons import specification_modules

_ALIKE = ("int", "float", "bool", "Time | None", "Mapping[str, str]", "Mapping[str, Quantity]")
"""Fields of these types may be taken for each other. Texts are too many, and say too little."""

MOST = 4
"""This many others are tried instead of a field."""


def fields_like(name: str) -> tuple[str, ...]:
    """Returns the names of fields that have the type of one of this name in the same class."""
    return _fields().get(name, ())[:MOST]


@cache
def _fields() -> Mapping[str, tuple[str, ...]]:
    """Returns these by name, the same whatever else is imported."""
    found: dict[str, dict[str, None]] = {}
    for kind in _classes():
        by_type: dict[str, list[str]] = {}
        for field in attrs.fields(kind):
            if str(field.type) in _ALIKE:
                by_type.setdefault(str(field.type), []).append(field.name)
        for names in by_type.values():
            for name in names:
                found.setdefault(name, {}).update(dict.fromkeys(other for other in names if other != name))
    return {name: tuple(others) for name, others in found.items()}


def _classes() -> Iterator[type]:
    for module in specification_modules():
        for value in vars(import_module(module)).values():
            if isinstance(value, type) and value.__module__ == module and attrs.has(value):
                yield value
