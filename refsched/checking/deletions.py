# SPDX-License-Identifier: Apache-2.0
"""Deletions: which victims an implementation asked the API server to delete, where it tells of that at all.

Rules: R-PREEMPT-PREP-01.   Source: docs/protocol.md, ``write``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import Factory, define

from refsched.checking.agreement import Disagreement
from refsched.records import Record, Write


@define
class Deletions:
    """Who has told of one deletion is taken to tell of all; who never does may leave them to others."""

    _expected: list[str] = Factory(list)
    _are_told: bool = False

    def specify(self, record: Record) -> None:
        """What the specification wrote."""
        self._expected.extend(_deleted(record))

    def take(self, record: Record) -> Iterator[Disagreement]:
        """What the other one wrote: it deletes nobody but its victims, and each of them once."""
        for pod in _deleted(record):
            self._are_told = True
            if pod in self._expected:
                self._expected.remove(pod)
            else:
                yield Disagreement(f"victims.{pod}", "not to be deleted", "deleted")

    def missing(self) -> list[Disagreement]:
        """Of those that should have been deleted by now."""
        left, self._expected = self._expected, []
        return [Disagreement(f"victims.{pod}", "deleted", "not deleted") for pod in left if self._are_told]


def _deleted(record: Record) -> Iterator[str]:
    match record:
        case Write("delete", {"kind": "Pod", "metadata": metadata}):
            yield f"{metadata.get('namespace', 'default')}/{metadata['name']}"
