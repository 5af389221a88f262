# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding before 1.35.

Changed by: kubernetes #133929 (assumed volumes and claims are kept beside what the informers hold).

Observed: the wording of messages is not part of the API.
Shows in: volumes.
Source: plugins/volumebinding/assume_cache.go; pkg/scheduler/util/assumecache/assume_cache.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.plugins import volume_binding_without_scores as current
from refsched.rules import applies
from refsched.volumes.binding import WaitSteps, Words


@frozen
class EarlierWords(Words):
    """R-WORDS-55: What VolumeBinding says of a volume or a claim that is not there, or was changed, names its
    type."""

    def not_found(self, kind: str, key: str) -> str:
        applies("R-WORDS-55")
        return f'could not find v1.{kind} "{key}"'

    def out_of_sync(self, kind: str, key: str) -> str:
        applies("R-WORDS-55")
        return f'v1.{kind} "{key}" is out of sync'


@frozen
class VolumeBinding(current.VolumeBinding):
    wait: WaitSteps = WaitSteps(words=EarlierWords())
