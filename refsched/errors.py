# SPDX-License-Identifier: Apache-2.0
"""The one error that bad input gives: where it stands, which field, and what is wrong with it.

Its text comes from whoever wrote the input, and so it is made printable and kept short here, for all who show it.
"""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

LONGEST = 1_000
"""Characters of an error that are shown."""

LONGEST_LINE = 5_000
"""Characters of a line of a report that are shown."""


def printable(text: str) -> str:
    """The text as it may go to a terminal: a character that is not printed is shown by its escape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_line(text: object) -> str:
    """What somebody else wrote, as a line of an error or a report shows it."""
    return shortened(printable(str(text)))


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, or the beginning and the end of one that is too long."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


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
        return shortened(
            ": ".join(printable(part) for part in (self.where, self.field, self.problem) if part)
        )

    def at(self, where: str) -> Self:
        """Returns the same error with the place where it was found (outermost place first)."""
        return evolve(self, where=f"{where}: {self.where}" if self.where else where)

    def under(self, field: str) -> Self:
        """The same error, with its field path below ``field``."""
        joiner = "" if not self.field or self.field.startswith("[") else "."
        return evolve(self, field=f"{field}{joiner}{self.field}")
