# SPDX-License-Identifier: Apache-2.0
"""Said: what a rule says about itself behind its id, and what the docstring of a module says about its rules.

Behind the id stand in parentheses, with semicolons between them, those of these that do not hold for the whole
module or follow from where the rule is applied:

* ``promised: …`` or ``observed: …``, the level and why it is this one;
* ``instead of R-FIT-02, R-FIT-03``, the rules of later releases that this one stands for;
* ``shows in score, config``, the capabilities of which one shows what the rule decides (docs/adapters.md), or
  ``shows in any record``;
* ``decides nominatedNode, victims``, the members of a record that the rule sets, where these are no plugin's
  verdict or score: a difference there is named after it;
* ``needs preemption or extenders``, the capabilities of which one must be there besides, so that anything brings
  the rule about; ``brought about by update`` is the input that must be taken.

The docstring of a module has ``Promised: …`` or ``Observed: …``, and ``Shows in: …``, each a sentence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve, frozen

RULE_ID = r"R-[A-Z]+(?:-PREP)?-\d{2,3}"
PROMISED = "promised"
OBSERVED = "observed"

_BEHIND_AN_ID = r"(?:promised:|observed:|instead\sof|shows|decides|needs|brought)\s"
SAID = rf"\s\((?P<said>{_BEHIND_AN_ID}[^()]*)\)"
"""What stands behind an id. A docstring may have other parentheses there."""

_OF_A_ROW = re.compile(rf"(?P<id>{RULE_ID}){SAID}\.")
_OF_ITS_RULES = re.compile(
    rf"^(?P<what>Promised|Observed|Shows in): (?P<text>.*?)\."
    rf"(?=\s+(?:{RULE_ID} \(|(?:Shows in|Source): )|\n\s*\n|\s*\Z)",
    re.DOTALL | re.MULTILINE,
)
_ANY_RECORD = "any record"


@frozen
class Said:
    """``level`` is promised or observed, with its reason; ``shows_in`` is None where it follows from where the
    rule is applied."""

    level: str = ""
    why_level: str = ""
    instead_of: tuple[str, ...] = ()
    shows_in: tuple[str, ...] | None = None
    needs: tuple[str, ...] = ()
    brought_about_by: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()

    def behind(self, text: str) -> Said:
        """Returns what holds for a rule that says this behind its id, where ``self`` is what its module says.

        Raises ValueError if a part of it says none of what can be said."""
        said = self
        for part in filter(None, " ".join(text.split()).split("; ")):
            said = said._with(part)
        return said

    def _with(self, part: str) -> Said:
        for beginning, change in _PARTS.items():
            if part.startswith(beginning):
                return evolve(self, **change(part.removeprefix(beginning)))
        raise ValueError(f"a rule says of itself: {part}")


_PARTS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    f"{PROMISED}: ": lambda why: {"level": PROMISED, "why_level": why},
    f"{OBSERVED}: ": lambda why: {"level": OBSERVED, "why_level": why},
    "instead of ": lambda rules: {"instead_of": tuple(rules.split(", "))},
    "shows in ": lambda names: {"shows_in": () if names == _ANY_RECORD else tuple(names.split(", "))},
    "decides ": lambda names: {"decides": tuple(names.split(", "))},
    "needs ": lambda names: {"needs": tuple(names.split(" or "))},
    "brought about by ": lambda names: {"brought_about_by": tuple(names.split(" or "))},
}


def said_by_module(documentation: str | None) -> Said:
    """Returns what the docstring of a module says of its rules."""
    said = Said()
    for found in _OF_ITS_RULES.finditer(documentation or ""):
        what = found["what"].lower()
        said = said.behind(f"{what}{':' if what in (PROMISED, OBSERVED) else ''} {found['text']}")
    return said


def said_of_rows(documentation: str | None) -> Mapping[str, str]:
    """Returns what the docstring of a table says of single rows, by their rules."""
    return {found["id"]: found["said"] for found in _OF_A_ROW.finditer(documentation or "")}
