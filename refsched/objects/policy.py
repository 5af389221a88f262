# SPDX-License-Identifier: Apache-2.0
"""PodDisruptionBudget: how many of its pods may be disrupted, as the disruption controller last counted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from attrs import field, frozen

from refsched.objects.meta import ApiObject, LabelSelector, ObjectMeta


@frozen
class PodDisruptionBudgetSpec:
    selector: LabelSelector | None = None


@frozen
class PodDisruptionBudgetStatus:
    """``disrupted_pods`` are being evicted already, by name, and no longer count against the budget."""

    disruptions_allowed: int = 0
    disrupted_pods: Mapping[str, datetime] = field(factory=dict)


@frozen
class PodDisruptionBudget(ApiObject):
    kind: ClassVar[str] = "PodDisruptionBudget"
    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
