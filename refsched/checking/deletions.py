# SPDX-License-Identifier: Apache-2.0
"""Deletions: which victims an implementation asked the API server to delete, if it reports deletions at all.

Source: docs/protocol.md, ``write``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import Factory, define

from refsched.checking.agreement import Disagreement
from refsched.records import Record, Write


@define
class Deletions:
    """Deletions are compared if any are reported: an implementation that has reported one is expected to report
    all of them. One that never reports any may leave deletions to another component."""

    _expected: list[str] = Factory(list)
    _are_reported: bool = False

    def specify(self, record: Record) -> None:
        """Takes note of a deletion that the specification wrote."""
        self._expected.extend(_deleted(record))

    def take(self, record: Record) -> Iterator[Disagreement]:
        """Compares a deletion that the other scheduler wrote: it may delete only its victims, and each of them
        once."""
        for pod in _deleted(record):
            self._are_reported = True
            if pod in self._expected:
                self._expected.remove(pod)
            else:
                yield Disagreement(f"victims.{pod}", "not to be deleted", "deleted")

    def missing(self) -> list[Disagreement]:
        """Returns the victims that should have been deleted by now and were not."""
        left, self._expected = self._expected, []
        return [
            Disagreement(f"victims.{pod}", "deleted", "not deleted") for pod in left if self._are_reported
        ]


def _deleted(record: Record) -> Iterator[str]:
    match record:
        case Write("delete", {"kind": "Pod", "metadata": metadata}):
            yield f"{metadata.get('namespace', 'default')}/{metadata['name']}"
