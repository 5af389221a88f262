# SPDX-License-Identifier: Apache-2.0
"""CycleRules: what a release says about its scheduling cycle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import frozen

from refsched.framework.post_filter import PostFilterResult
from refsched.objects.pod import Pod

if TYPE_CHECKING:
    from refsched.machine.state import SchedulerState


@frozen
class CycleRules:
    """``prepare_preemption`` evicts the victims and withdraws the nominations that PostFilter chose, and answers
    what is then left of PostFilter's result."""

    prepare_preemption: Callable[[SchedulerState, Pod, PostFilterResult], PostFilterResult]
