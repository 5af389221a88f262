# SPDX-License-Identifier: Apache-2.0
"""The fingerprint of a scheduler: for each difference between releases, the release whose rule it keeps."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from refsched.releases import RELEASES
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.differences.clusters import ReleaseDifference, differences
from refsched.suite.differences.judging import broken_rule


@frozen
class FingerprintRow:
    """``like`` are the releases that decide this cluster as the scheduler did: none if it decides in a way of
    its own, and all if nothing that it reports shows the difference. ``ran`` is false if it does not do what the
    cluster needs."""

    difference: ReleaseDifference
    like: tuple[str, ...]
    ran: bool = True


def fingerprint(adapter: Adapter) -> Iterator[FingerprintRow]:
    """Yields a FingerprintRow for each difference. Raises AdapterFault if the implementation does not answer as
    docs/protocol.md says."""
    for difference in differences():
        broken = {
            name: broken_rule(adapter, difference.history, release) for name, release in RELEASES.items()
        }
        like = tuple(name for name, rule in broken.items() if rule == "")
        yield FingerprintRow(difference, like, ran=None not in broken.values())
