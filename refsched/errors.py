# SPDX-License-Identifier: Apache-2.0
"""The one error that bad input gives: where it stands, which field, and what is wrong with it."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen


@frozen
class InputError(Exception):
    """A manifest, a configuration, a trace or an answer that cannot be used (exit code 2).

    ``where`` names the file and line or the object (``cluster.yaml: Pod default/web``), ``field`` the
    path inside it (``spec.containers[0].resources.requests.cpu``), either may be empty.
    """

    problem: str
    field: str = ""
    where: str = ""

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.field, self.problem) if part)

    def at(self, where: str) -> Self:
        """The same error, told where it stands (outermost place first)."""
        return evolve(self, where=f"{where}: {self.where}" if self.where else where)

    def under(self, field: str) -> Self:
        """The same error, with its field path below ``field``."""
        joiner = "" if not self.field or self.field.startswith("[") else "."
        return evolve(self, field=f"{field}{joiner}{self.field}")
