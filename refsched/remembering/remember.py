# SPDX-License-Identifier: Apache-2.0
"""Remember: a scheduler is given a memory.

``REFSCHED_REMEMBERING=off`` takes it from all, and ``on`` gives it to those too that have none by default.
"""

from __future__ import annotations

import os

from refsched.errors import InputError
from refsched.machine.scheduler import Scheduler
from refsched.remembering.changes import NodeChanges
from refsched.remembering.framework import Memory, remembering
from refsched.remembering.snapshots import remembering_state

VARIABLE = "REFSCHED_REMEMBERING"


def remember(scheduler: Scheduler, by_default: bool = True, changes: NodeChanges | None = None) -> Scheduler:
    """Returns the same scheduler, which from now on decides as it would without, and faster. ``changes`` are known
    of one that was forked. Raises InputError if the variable is neither ``on`` nor ``off``."""
    said = os.environ.get(VARIABLE) or ("on" if by_default else "off")
    if said not in ("on", "off"):
        raise InputError(f"expected on or off, found {said!r:.60}", where=VARIABLE)
    if said == "off":
        return scheduler
    changes = changes or NodeChanges()
    state = scheduler.state = remembering_state(scheduler.state, changes)
    memory = Memory(state.queue.nominator, changes)
    state.search = memory.search
    state.profiles = {name: remembering(framework, memory) for name, framework in state.profiles.items()}
    return scheduler
