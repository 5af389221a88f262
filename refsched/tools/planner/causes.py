# SPDX-License-Identifier: Apache-2.0
"""Causes: which part of a scheduler makes it place a pod otherwise than another scheduler does.

A cause is confirmed by taking it back: the other scheduler with this part alone exchanged places the pod where the
one did. Where no part alone does so, the fewest that were found are the cause together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import Factory, define

from refsched.objects.pod import Pod
from refsched.tools.planner.exchange import (
    ALL_NODES,
    ComparedScheduler,
    DifferingPart,
    Placement,
    differing_parts,
    exchanged,
)

Parts = tuple[DifferingPart, ...]


@define(eq=False)
class Causes:
    """Causes finds the causes between two schedulers for the pods of one profile. Both must have been shown the
    same cluster. Causes that were found before are tried first."""

    before: ComparedScheduler
    after: ComparedScheduler
    _found: list[Parts] = Factory(list)
    _sides: dict[Parts, ComparedScheduler] = Factory(dict)
    _differing: Parts | None = None

    @property
    def differing(self) -> Parts:
        if self._differing is None:
            self._differing = differing_parts(self.before, self.after)
        return self._differing

    def of(self, old: Pod, new: Pod, went: Placement) -> Parts:
        """Returns the parts that make the pod go elsewhere than ``went``, which is where ``before`` places it
        if it looks at all nodes. ``old`` and ``new`` are the pod as each scheduler reads it. There are none if
        the difference could not be confirmed."""
        for parts in self._candidates():
            if self.is_taken_back(parts, old, new, went):
                self._note(parts)
                return parts
        for parts in (found for found in self._found if len(found) > 1):
            if self.is_taken_back(parts, old, new, went) and parts == self._fewest(parts, old, new, went):
                return parts
        parts = self._fewest(self.differing, old, new, went)
        self._note(parts)
        return parts

    def is_taken_back(self, parts: Parts, old: Pod, new: Pod, went: Placement) -> bool:
        """Returns whether the pod goes where it went if these parts are taken back."""
        side, pod = self.taken_back(parts, old, new)
        try:
            return set(side.decide(pod, ALL_NODES).nodes) == set(went.nodes)
        except (AssertionError, AttributeError, KeyError, TypeError):
            return False  # a plugin of one release that does not work with the rest of the other

    def taken_back(self, parts: Parts, old: Pod, new: Pod) -> tuple[ComparedScheduler, Pod]:
        """Returns the second scheduler with these parts of the first one, and the pod as it reads it."""
        if parts not in self._sides:
            self._sides[parts] = exchanged(self.before, self.after, parts)
        side = self._sides[parts]
        return side, old if side.scheduler is self.before.scheduler else new

    def _candidates(self) -> Iterator[Parts]:
        alone = [parts for parts in self._found if len(parts) == 1]
        yield from alone
        yield from ((part,) for part in self.differing if (part,) not in alone)

    def _fewest(self, parts: Parts, old: Pod, new: Pod, went: Placement) -> Parts:
        """Returns these parts without those that need not be taken back, or none if all together do not do it."""
        kept = parts
        if not self.is_taken_back(kept, old, new, went):
            return ()
        smaller: Parts = ()
        while smaller != kept:
            smaller = kept
            for part in reversed(smaller):  # how nodes are searched first: some plugins need their release's
                fewer = tuple(each for each in kept if each != part)
                if fewer and self.is_taken_back(fewer, old, new, went):
                    kept = fewer
        return kept

    def _note(self, parts: Parts) -> None:
        if parts and parts not in self._found:
            self._found.append(parts)


def described(parts: Sequence[DifferingPart]) -> str:
    """Returns the parts in words."""
    words = {
        "plugin": "{}",
        "weight": "the weight of {} ({} before, {} after)",
        "objects": "how objects are read and counted",
        "cycle": "how nodes are searched",
    }
    return " and ".join(words[part.kind].format(part.plugin, *part.weights) for part in parts)
