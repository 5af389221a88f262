# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding before 1.35.

Changed by: kubernetes #133929 (assumed volumes and claims are kept beside what the informers hold).
After the upgrade: Messages about volumes and claims that are not there no longer name a type of Go (R-WORDS-55).
What to do: adapt what searches for these messages.

Observed: the wording of messages is not part of the API.
Shows in: volumes.
Source: plugins/volumebinding/assume_cache.go; pkg/scheduler/util/assumecache/assume_cache.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.plugins import volume_binding_without_scores as current
from refsched.rules import ErrorReason, applies
from refsched.volumes.binding import WaitSteps, Words

NOT_FOUND = ErrorReason('could not find v1.{} "{}"', "R-WORDS-55")
OUT_OF_SYNC = ErrorReason('v1.{} "{}" is out of sync', "R-WORDS-55")


@frozen
class EarlierWords(Words):
    """R-WORDS-55: What VolumeBinding says of a volume or a claim that is not there, or was changed, names its
    type."""

    def not_found(self, kind: str, key: str) -> ErrorReason:
        applies("R-WORDS-55")
        return NOT_FOUND.of(kind, key)

    def out_of_sync(self, kind: str, key: str) -> ErrorReason:
        applies("R-WORDS-55")
        return OUT_OF_SYNC.of(kind, key)


@frozen
class VolumeBinding(current.VolumeBinding):
    wait: WaitSteps = WaitSteps(words=EarlierWords())
