# SPDX-License-Identifier: Apache-2.0
"""PriorityClass: a name for a priority. The scheduler does not read it; admission sets the pod's priority."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.objects.meta import ApiObject, ObjectMeta


@frozen
class PriorityClass(ApiObject):
    """``value`` is what pods of this class get; one class may be the default of pods that name none."""

    kind: ClassVar[str] = "PriorityClass"
    value: int
    metadata: ObjectMeta = ObjectMeta()
    global_default: bool = False
    preemption_policy: str | None = None
