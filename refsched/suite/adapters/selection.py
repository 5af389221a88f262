# SPDX-License-Identifier: Apache-2.0
"""Selection: the part that ``--only`` names of what an implementation says that it can do.

A word is the name of a profile below, a capability, or a plugin. Profiles and capabilities add up, and so do
plugins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import evolve, frozen

from refsched.errors import InputError, did_you_mean
from refsched.suite.adapters.answers import CAPABILITIES, Hello, with_implied

PROFILES: Mapping[str, frozenset[str]] = {
    "predicates": frozenset({"filter"}),
    "filter": frozenset({"filter", "cache", "volumes", "devices", "extenders"}),
    "scoring": frozenset({"filter", "score", "cache", "volumes", "devices", "extenders"}),
    "preemption": with_implied({"filter", "preemption", "cache", "volumes", "devices", "extenders"}),
    "queue": frozenset({"filter", "queue", "cache"}),
    "full": frozenset(CAPABILITIES),
}
"""These are kinds of programs, by name, with the capabilities that they are judged by: ``predicates`` is a
function that says whether a pod fits a node, as autoscalers have one; ``full`` is a whole scheduler."""


@frozen
class Selection:
    """A Selection names what is judged. None stands for all that the implementation says of itself."""

    capabilities: frozenset[str] | None = None
    plugins: frozenset[str] | None = None

    def of(self, hello: Hello) -> Hello:
        """Returns the implementation as if it said no more of itself than this. Who has an API server of its own
        goes on reporting what that does."""
        capabilities = hello.capabilities
        if self.capabilities is not None:
            capabilities &= self.capabilities | {"api"}
        if "scripted" not in capabilities:
            capabilities -= {"hold"}
        plugins = hello.plugins
        if self.plugins is not None:
            plugins = self.plugins if plugins is None else plugins & self.plugins
        return evolve(hello, capabilities=capabilities, plugins=plugins)


EVERYTHING = Selection()


def read_selection(text: str, plugins: Collection[str]) -> Selection:
    """Reads ``text``, which ``--only`` was given: words with commas between them. Raises InputError if one is
    unknown."""
    capabilities: set[str] = set()
    named: set[str] = set()
    for word in filter(None, (word.strip() for word in text.split(","))):
        if word in PROFILES:
            capabilities |= PROFILES[word]
        elif word in CAPABILITIES:
            capabilities.add(word)
        elif word in plugins:
            named.add(word)
        else:
            known = [*PROFILES, *(each for each in CAPABILITIES if each not in PROFILES), *plugins]
            near = did_you_mean(word, known)
            problem = (
                f"there is no {word!r:.60}{near}" if near else f"{word!r:.60} is none of {', '.join(known)}"
            )
            raise InputError(problem, where="--only")
    if not (capabilities or named):
        raise InputError("names nothing", where="--only")
    return Selection(frozenset(capabilities) or None, frozenset(named) or None)
