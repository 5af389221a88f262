# SPDX-License-Identifier: Apache-2.0
"""DefaultPreemption before 1.37: preemption that helps says nothing.

Changed by: kubernetes #140180 (it says on which node, and how many victims there are).
Source: framework/preemption/preemption.go, Preempt.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.status import SUCCESS, Status
from refsched.plugins import default_preemption as current
from refsched.preemption.candidate import Candidate


@frozen
class DefaultPreemption(current.DefaultPreemption):
    # --- PostFilter -------------------------------------------------------------------------------

    def success(self, picked: Candidate) -> Status:
        """Returns a status without a message."""
        return SUCCESS
