# SPDX-License-Identifier: Apache-2.0
"""The error of volume binding."""

from refsched.rules import ErrorReason


class VolumeError(Exception):
    """A VolumeError is an error of volumes, by the rule of its reason or by another one: kube-scheduler reports
    it, and the pod is tried again."""

    def __init__(self, reason: ErrorReason, rule: str = "") -> None:
        super().__init__(reason)
        self.reason = ErrorReason(reason, rule or reason.rule)
