# SPDX-License-Identifier: Apache-2.0
"""DefaultPreemption before 1.37: preemption that helps says nothing, and every budget counts for each victim.

Changed by: kubernetes #140180 (it says on which node, and how many victims there are);
KEP-5710 (a victim takes nothing from further budgets once it has violated one).
After the upgrade: A preemptor's condition says for which node pods were preempted, and a victim that violates a
budget takes nothing from others (R-PREEMPT-19, R-PREEMPT-21).
What to do: adapt what searches for the messages of conditions.
Source: framework/preemption/preemption.go, Preempt; plugins/defaultpreemption/default_preemption.go,
filterPodsWithPDBViolation.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from refsched.framework.node_info import PodInfo
from refsched.framework.status import SUCCESS, Status
from refsched.plugins import default_preemption as current
from refsched.preemption.candidate import Candidate
from refsched.preemption.disruption import Budgets, ByProtection, split
from refsched.preemption.victims import PreemptionSteps


def at_every_budget(pods: Sequence[PodInfo], budgets: Budgets) -> Sequence[ByProtection]:
    """Returns the one split that there is: a victim takes a disruption from every budget."""
    return (split(pods, budgets, stops=False),)


@frozen
class DefaultPreemption(current.DefaultPreemption):
    steps: PreemptionSteps = PreemptionSteps(by_protection=at_every_budget)

    # --- PostFilter -------------------------------------------------------------------------------

    def success(self, picked: Candidate) -> Status:
        """Returns a status without a message."""
        return SUCCESS
