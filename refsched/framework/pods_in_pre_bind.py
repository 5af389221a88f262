# SPDX-License-Identifier: Apache-2.0
"""Pods in PreBind: the pods whose binding may still be cancelled, since nothing was bound yet.

Observed: that a binding cycle can be cancelled is this version's way to preempt without a deletion.
Shows in: preemption.
Source: pkg/scheduler/framework/runtime/pods_in_prebind_map.go.
"""

from __future__ import annotations

from attrs import define

from refsched.rules import applies


@define(eq=False)
class PodInPreBind:
    """``cancelled`` says why the binding was cancelled, and is empty if it was not."""

    cancelled: str = ""
    _is_over: bool = False

    def cancel(self, why: str) -> bool:
        """R-BIND-06 (needs scripted or volumes or devices): The binding of a pod can be cancelled until PreBind is
        over, and not while the pod is being bound.

        Returns whether the binding is cancelled. Source: CancelPod.
        """
        applies("R-BIND-06")
        if not self._is_over:
            self.cancelled = self.cancelled or why
        return not self._is_over

    def end(self) -> bool:
        """Notes that PreBind is over, and returns whether the pod may be bound. Source: MarkPrebound."""
        self._is_over = not self.cancelled
        return self._is_over
