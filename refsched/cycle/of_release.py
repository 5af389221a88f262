# SPDX-License-Identifier: Apache-2.0
"""CycleOfRelease: the part of the scheduling and binding cycles that a release defines."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from attrs import frozen

from refsched.framework.post_filter import PostFilterResult
from refsched.framework.status import Status
from refsched.objects.pod import Pod

if TYPE_CHECKING:
    from refsched.cycle.cycle import Cycle, Stop
    from refsched.cycle.decide import Decider
    from refsched.machine.state import SchedulerState


@frozen
class CycleOfRelease:
    """``scheduling_cycle`` runs from Pop to the end of Permit, and returns whether the pod is to be bound;
    ``decider`` finds the node in it; ``binding_cycle`` runs after it.

    ``failure_at`` returns what becomes of a status, other than Success, that a plugin answers at Reserve,
    Permit, PreBind or Bind. ``evict`` deletes the victims and withdraws the nominations that
    PostFilter chose, and returns what is then left of PostFilter's result.
    """

    scheduling_cycle: Callable[[Cycle], Generator[Stop, None, bool]]
    decider: type[Decider]
    binding_cycle: Callable[[Cycle], Generator[Stop, None, None]]
    failure_at: Callable[[str, str, Status, Pod], Status]
    evict: Callable[[SchedulerState, Pod, PostFilterResult], PostFilterResult]
