# SPDX-License-Identifier: Apache-2.0
"""MachineOfRelease: the part of the machine, between the API server, the queue and the cycles, that a release
defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import frozen

from refsched.machine.api_server import Event
from refsched.objects.pod import Pod

if TYPE_CHECKING:
    from refsched.machine.state import SchedulerState


@frozen
class MachineOfRelease:
    """``handle`` shows one event to the scheduler, ``is_skipped`` says which popped pod is not tried, and
    ``clean_up`` is done to the cache once a second."""

    handle: Callable[[SchedulerState, Event], None]
    is_skipped: Callable[[SchedulerState, Pod], bool]
    clean_up: Callable[[SchedulerState], None]
