# SPDX-License-Identifier: Apache-2.0
"""PluginArgs: the arguments of a plugin, which the plugin's own module declares, and how they are checked.

Source: k8s.io/kube-scheduler/config/v1/types_pluginargs.go;
pkg/scheduler/apis/config/validation/validation_pluginargs.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from attrs import frozen

from refsched.config.scalars import is_qualified_name
from refsched.errors import InputError, did_you_mean
from refsched.rules import applies


@frozen
class PluginArgs:
    """A field that is left out has the default of its class."""

    def with_defaults(self) -> Self:
        """Returns the same arguments, in which values that stand for a default are replaced by it."""
        return self

    def validate(self) -> None:
        """Raises InputError, which names the field of the first value that is refused."""


@contextmanager
def refused_by(rule: str) -> Iterator[None]:
    """Applies the rule if an InputError is raised inside."""
    try:
        yield
    except InputError:
        applies(rule)
        raise


def check_range(value: int, low: int, high: int, field: str) -> None:
    if not low <= value <= high:
        raise InputError(f"{value} is not in [{low}, {high}]", field)


def check_positive(value: int, field: str) -> None:
    if value < 1:
        raise InputError(f"{value} is less than 1", field)


def check_choice(value: str, allowed: Sequence[str], field: str) -> None:
    if value not in allowed:
        raise InputError(f"{value!r} is not one of {', '.join(allowed)}{did_you_mean(value, allowed)}", field)


def check_qualified(name: str, field: str) -> None:
    if not is_qualified_name(name):
        raise InputError(f"{name!r} is not a qualified name", field)
