# SPDX-License-Identifier: Apache-2.0
"""InputError: the error that is raised for bad input. It names the place and the field, and says what is wrong.

Its text contains what somebody else wrote, and so it is made printable and short here for everything that shows
it; ``counted`` is for all messages too.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Self

from attrs import evolve, frozen

LONGEST = 1_000
"""This many characters of an error are shown."""

LONGEST_LINE = 5_000
"""This many characters of a line of a report are shown."""


def printable(text: str) -> str:
    """Returns the text as it may be written to a terminal: a character that is not printable is replaced by its
    escape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_line(text: object) -> str:
    """Returns what somebody else wrote as a line for an error or a report."""
    return shortened(printable(str(text)))


def counted(number: int, noun: str, plural: str = "") -> str:
    """Returns ``1 pod``, ``2 pods``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def did_you_mean(name: str, known: Iterable[str], most: int = 1, likeness: float = 0.6) -> str:
    """Returns ``; did you mean NodePorts?``, to be put behind an error, or ``""`` if nothing known is so alike, by
    difflib's measure."""
    by_lower = {each.lower(): each for each in known}
    near = get_close_matches(name[:100].lower(), by_lower, n=most, cutoff=likeness)
    return f"; did you mean {' or '.join(by_lower[each] for each in near)}?" if near else ""


def shortened(text: str, longest: int = LONGEST) -> str:
    """Returns the text, or the beginning and the end of one that is too long."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


@frozen
class InputError(Exception):
    """An InputError says that a manifest, a configuration, a trace or an answer cannot be used (exit code 2).

    ``where`` names the file and line or the object (``cluster.yaml: Pod default/web``), and ``field`` the path
    inside it (``spec.containers[0].resources.requests.cpu``); either may be empty.
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
        """Returns the same error with its field path below ``field``."""
        joiner = "" if not self.field or self.field.startswith("[") else "."
        return evolve(self, field=f"{field}{joiner}{self.field}")
