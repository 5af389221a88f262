# SPDX-License-Identifier: Apache-2.0
"""Status: what a plugin answers about a pod, or about a pod on a node.

Source: staging kube-scheduler/framework/interface.go, Code and Status.
"""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from refsched.rules import Reason, applies


class Code(Enum):
    """Code has the names of the framework, as they are spelled in ``code`` in docs/protocol.md."""

    SUCCESS = "Success"
    ERROR = "Error"
    UNSCHEDULABLE = "Unschedulable"
    UNSCHEDULABLE_AND_UNRESOLVABLE = "UnschedulableAndUnresolvable"
    WAIT = "Wait"
    SKIP = "Skip"
    PENDING = "Pending"


_REJECTED = (Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING)


@frozen
class Status:
    """A Status has a code, the plugin that returned it (set by the framework), and the reasons. ``reasons``
    are compared as a multiset."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def is_success(self) -> bool:
        return self.code is Code.SUCCESS

    @property
    def is_rejected(self) -> bool:
        """Returns whether the pod or the node is rejected. Any other code but Success says that the call
        failed."""
        return self.code in _REJECTED

    @property
    def message(self) -> str:
        return ", ".join(self.reasons)

    def by(self, plugin: str) -> Status:
        return Status(self.code, self.reasons, plugin)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


def unschedulable(*reasons: str) -> Status:
    """Rejects the node or the pod; evicting pods could change that. A ``Reason`` applies its rule."""
    return _rejected(Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Status:
    """Rejects the node or the pod; evicting pods would not change that. A ``Reason`` applies its rule."""
    return _rejected(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons)


def error(reason: str) -> Status:
    """Returns the status of a call that failed, and so says nothing about the node or the pod. A ``Reason``
    applies its rule."""
    return _rejected(Code.ERROR, (reason,))


def _rejected(code: Code, reasons: tuple[str, ...]) -> Status:
    for reason in reasons:
        if isinstance(reason, Reason):
            applies(reason.rule)
    return Status(code, reasons)
