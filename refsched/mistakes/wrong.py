# SPDX-License-Identifier: Apache-2.0
"""Planted wrong schedulers, which stand in the texts of ``planted``.

An entry of a text is a name and a sentence about what the scheduler gets wrong, the rules that this breaks and
the module that is edited, and the edit, as a diff shows it::

    counts-the-dying: Terminating pods are counted.
    breaks R-SPREAD-05 in refsched.plugins.pod_topology_spread_constraints
    cites kubernetes #87621
    - return sum(metadata.deletion_timestamp is None for metadata in matching)
    + return len(matching)

What is replaced is quoted with its indentation, and may be a part of one line or many lines; it occurs once in
the module. An entry of an earlier release says ``breaks R-QUEUE-50 of v1.19 in …``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from attrs import frozen

AREAS = (
    *("resources", "scores", "taints", "affinity", "pod_affinity", "spread", "ports", "images"),
    *(
        "queue",
        "backoff",
        "hints",
        "events",
        "cache",
        "cycle",
        "nominated",
        "preemption",
        "binding",
        "permit",
    ),
    *("volumes", "devices", "config", "earlier_queue", "earlier_cycle", "earlier_plugins"),
    *("batches", "before_binding", "declared_features", "shared_devices", "ready_devices"),
    "refused",
)
"""The texts of ``planted``, in the order in which their mistakes are tried and listed."""


@frozen
class WrongScheduler:
    """A WrongScheduler is a wrong scheduler: the specification with ``before`` replaced by ``after``.

    ``before`` occurs once in ``module``. ``says`` is a sentence about what the scheduler does wrong, and
    ``cites`` names the report of a scheduler with this mistake, if any.
    ``breaks`` lists the rules whose sentences are not true of it; a report that names one of them first names
    the right rule. ``kubernetes`` is the release that it decides by, if not the newest. ``shows_with`` is a
    capability without which a part of a scheduler does not show this mistake, though it may show others by which
    the same rules are broken.
    """

    name: str
    says: str
    module: str
    before: str
    after: str
    cites: str = ""
    breaks: tuple[str, ...] = ()
    kubernetes: str = ""
    shows_with: str = ""


@frozen
class Area:
    """``planted`` are the entries of one text. ``near`` are the areas of the suite whose tests are tried on
    them first."""

    near: tuple[str, ...]
    planted: tuple[WrongScheduler, ...]


@cache
def areas() -> Mapping[str, Area]:
    """Returns the planted wrong schedulers by area."""
    folder = files("refsched.mistakes") / "planted"
    return {area: read_area((folder / f"{area}.txt").read_text("utf-8")) for area in AREAS}


def all_wrong() -> Mapping[str, WrongScheduler]:
    """Returns all planted wrong schedulers, by name."""
    return {wrong.name: wrong for area in areas().values() for wrong in area.planted}


def areas_near(name: str) -> tuple[str, ...]:
    """Returns the areas of the suite whose tests and recordings are tried first on this wrong scheduler."""
    return next(area.near for area in areas().values() if any(wrong.name == name for wrong in area.planted))


def read_area(text: str) -> Area:
    """Reads a text of ``planted``. Raises ValueError at what is no entry."""
    head, *entries = text.rstrip("\n").split("\n\n")
    found = re.fullmatch(r"# .+\n# Tried on them first: (.+)", head)
    if not found:
        raise ValueError(f"no head of a text of planted schedulers: {head!r}")
    return Area(tuple(found[1].split(", ")), tuple(map(_entry, entries)))


_ENTRY = re.compile(
    r"(?P<name>[a-z-]+): (?P<says>.+)\n"
    r"breaks (?P<breaks>.+?)(?: of v(?P<kubernetes>[\d.]+))? in (?P<module>[\w.]+)\n"
    r"(?:cites (?P<cites>.+)\n)?"
    r"(?:shows with (?P<shows_with>.+)\n)?"
    r"(?P<before>(?:-.*\n)+)"
    r"(?P<after>(?:\+.*\n)*)"
)


def _entry(text: str) -> WrongScheduler:
    found = _ENTRY.fullmatch(f"{text}\n")
    if not found:
        raise ValueError(f"no entry of a planted scheduler: {text!r}")
    said = {key: value or "" for key, value in found.groupdict().items()}
    breaks = tuple(said.pop("breaks").split(", "))
    before, after = ("\n".join(_lines(said.pop(key))) for key in ("before", "after"))
    return WrongScheduler(**said, breaks=breaks, before=before, after=after)


def _lines(quoted: str) -> Iterator[str]:
    """Yields the lines without the sign, and the blank after it, that a diff puts before them."""
    return (line[2:] for line in quoted.splitlines())
