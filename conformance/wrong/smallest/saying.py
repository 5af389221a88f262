# SPDX-License-Identifier: Apache-2.0
"""Saying: what a mutant does wrong, in a sentence for people who read no syntax trees."""

from __future__ import annotations

import re

from refsched.mistakes.mutation import Mutant

_LOOP = re.compile(r"(?:^| )for .+? in (?P<over>.+?)(?:: …| if .*)?$")
_GUARD = re.compile(r"^(?:if|while) (?P<condition>.+): …$")


def sentence_of(mutant: Mutant) -> str:
    """Describes the mutant; the text of the specification stands between backticks."""
    before, _, after = mutant.diff.partition("  →  ")
    guard, loop = _GUARD.match(before), _LOOP.search(before)
    match mutant.operator:
        case "comparison" | "not" | "negated":
            asked = guard["condition"] if guard else before
            return f"It takes this the wrong way round: `{asked}`."
        case "omission" if guard:
            return f"It leaves out what is done in the case `{guard['condition']}`."
        case "omission":
            return f"It leaves out this step: `{before}`."
        case "once" if loop:
            return f"Of `{loop['over']}` it looks at the first one only."
        case "part":
            return f"Of the conditions `{before}` it asks `{after}` only."
        case "filter":
            return f"It leaves out the condition in `{before.strip()}`."
        case "flag":
            return f"In `{mutant.place.function}` it says `{after}` for `{before}`."
    return f"Where the specification says `{before}`, it says `{after}`."
