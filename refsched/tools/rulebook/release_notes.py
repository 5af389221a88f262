# SPDX-License-Identifier: Apache-2.0
"""Release notes: what the modules of a release say of the change to Kubernetes that came after it.

The docstring of such a module has ``Changed by: …``. Where whoever upgrades may notice the change, it also has
``After the upgrade: …``, a sentence that ends with its rules in parentheses, and ``What to do: …``.
"""

from __future__ import annotations

import re
import sys

from attrs import frozen

from refsched import releases

NOTHING = "nothing"
_SECTION = re.compile(
    r"^(?P<head>[A-Z][a-z ]+): (?P<text>.*?)(?=^[A-Z][a-z ]+: |\n\s*\n|\Z)", re.DOTALL | re.MULTILINE
)


@frozen
class ReleaseNote:
    """A ReleaseNote is what one module says: ``change`` names pull requests, KEPs and feature gates, ``noticed``
    is a sentence of what the next release does, by ``rules``, and ``to_do`` is the advice to whoever upgrades.
    Each is empty if the module does not say it."""

    change: str
    noticed: str
    rules: tuple[str, ...]
    to_do: str


def release_note(module: str) -> ReleaseNote:
    """Returns what an imported module says."""
    said = {
        found["head"]: " ".join(found["text"].split())
        for found in _SECTION.finditer(sys.modules[module].__doc__ or "")
    }
    noticed, _, rules = said.get("After the upgrade", "").rstrip(".)").partition(" (")
    return ReleaseNote(
        said.get("Changed by", "").rstrip("."),
        noticed and f"{noticed}.",
        tuple(filter(None, rules.split(", "))),
        said.get("What to do", "").rstrip("."),
    )


def release_notes(release: str) -> list[ReleaseNote]:
    """Returns the notes of all modules of a release (``1.35``) of which an upgrade to the next one is noticed."""
    folder = f"{releases.__name__}.v{release.replace('.', '_')}."
    notes = [release_note(module) for module in sorted(sys.modules) if module.startswith(folder)]
    return [note for note in notes if note.noticed]
