# SPDX-License-Identifier: Apache-2.0
"""Finding: one thing that a scheduler did and may not do, and the rule that says so."""

from __future__ import annotations

from attrs import frozen


@frozen
class Finding:
    """``step`` is the index in the history of the step that showed it; ``member`` a path in the record, as
    ``filter.n1`` or ``queues.active``; ``pod`` whom it is about (``namespace/name``), or empty."""

    rule: str
    step: int
    member: str
    expected: object
    got: object
    pod: str = ""
