# SPDX-License-Identifier: Apache-2.0
"""RuleMetadata: what a rule says about itself behind its id, and what a docstring says about all rules in it.

Behind the id stand in parentheses, with semicolons between them, those of these that do not hold for all of
them or follow from where the rule is applied:

* ``promised: …`` or ``observed: …``, the level and why it is this one;
* ``instead of R-FIT-02, R-FIT-03``, the rules of later releases that this one stands for;
* ``shows in score, config``, the capabilities of which one shows what the rule decides (docs/adapters.md), or
  ``shows in any record``;
* ``decides nominatedNode, victims``, the members of a record that the rule sets, where these are no plugin's
  verdict or score: a difference there is named after it;
* ``needs preemption or extenders``, the capabilities of which one must be there besides, so that anything brings
  the rule about; ``brought about by update`` is the input that must be taken;
* ``used by NodePorts, NodeResourcesFit``, the plugins of which one must be there so that the rule decides
  anything, where it stands in no module of a plugin; ``without them it shows in cache`` is the capability that
  shows it whatever plugins there are.

A docstring has ``Promised: …`` or ``Observed: …``, ``Shows in: …`` and ``Used by: …``, each a sentence of its own.
That of a package holds for its modules, and for what an earlier release has instead of them; that of a module for
all that it contains, and that of a class or a function for what is inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve, frozen

RULE_ID = r"R-[A-Z]+(?:-PREP)?-\d{2,3}"
PROMISED = "promised"
OBSERVED = "observed"
LEVELS = (PROMISED, OBSERVED)

_BEHIND_AN_ID = r"(?:promised:|observed:|instead\sof|shows|decides|needs|brought|used|without)\s"
SAID = rf"\s\((?P<said>{_BEHIND_AN_ID}[^()]*)\)"
"""What stands behind an id. A docstring may have other parentheses there."""

OF_ITS_RULES = ("Promised", "Observed", "Shows in", "Used by")
"""With these words begins a sentence of a docstring that says something of its rules."""

_OF_A_ROW = re.compile(rf"(?P<id>{RULE_ID}){SAID}\.")
_SENTENCE = re.compile(
    rf"^(?P<what>{'|'.join(OF_ITS_RULES)}): (?P<text>.*?)\."
    rf"(?=\s+(?:{RULE_ID} \(|(?:{'|'.join(OF_ITS_RULES)}|Source): )|\n\s*\n|\s*\Z)",
    re.DOTALL | re.MULTILINE,
)
_ANY_RECORD = "any record"


@frozen
class RuleMetadata:
    """``level`` is promised or observed, with its reason; ``shows_in`` is None where it follows from where the
    rule is applied, and ``used_by`` is empty where it follows from where the rule stands."""

    level: str = ""
    why_level: str = ""
    instead_of: tuple[str, ...] = ()
    shows_in: tuple[str, ...] | None = None
    needs: tuple[str, ...] = ()
    brought_about_by: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    shows_without_them_in: tuple[str, ...] = ()

    def behind(self, text: str) -> RuleMetadata:
        """Returns what holds for a rule that says this behind its id, where ``self`` is what holds around it.

        Raises ValueError if a part of it says none of what can be said."""
        said = self
        for part in filter(None, " ".join(text.split()).split("; ")):
            said = said._with(part)
        return said

    def _with(self, part: str) -> RuleMetadata:
        for beginning, change in _PARTS.items():
            if part.startswith(beginning):
                return evolve(self, **change(part.removeprefix(beginning)))
        raise ValueError(f"a rule says of itself: {part}")


NOTHING = RuleMetadata()

_PARTS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    f"{PROMISED}: ": lambda why: {"level": PROMISED, "why_level": why},
    f"{OBSERVED}: ": lambda why: {"level": OBSERVED, "why_level": why},
    "instead of ": lambda rules: {"instead_of": tuple(rules.split(", "))},
    "shows in ": lambda names: {"shows_in": () if names == _ANY_RECORD else tuple(names.split(", "))},
    "decides ": lambda names: {"decides": tuple(names.split(", "))},
    "needs ": lambda names: {"needs": tuple(names.split(" or "))},
    "brought about by ": lambda names: {"brought_about_by": tuple(names.split(" or "))},
    "used by ": lambda names: {"used_by": tuple(names.split(", "))},
    "without them it shows in ": lambda names: {"shows_without_them_in": tuple(names.split(", "))},
}


def said_by(documentation: str | None, around: RuleMetadata = NOTHING) -> RuleMetadata:
    """Returns what holds for the rules in what has this docstring, where ``around`` holds around it."""
    said = around
    for found in _SENTENCE.finditer(documentation or ""):
        what = found["what"].lower()
        said = said.behind(f"{what}{':' if what in LEVELS else ''} {found['text']}")
    return said


def said_of_rows(documentation: str | None) -> Mapping[str, str]:
    """Returns what the docstring of a table says of single rows, by their rules."""
    return {found["id"]: found["said"] for found in _OF_A_ROW.finditer(documentation or "")}
