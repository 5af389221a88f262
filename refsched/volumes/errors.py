# SPDX-License-Identifier: Apache-2.0
"""The error of volume binding."""

from refsched.rules import Reason


class VolumeError(Exception):
    """A VolumeError is an error of volumes, by ``rule``: kube-scheduler reports it, and the pod is tried
    again."""

    def __init__(self, message: str, rule: str) -> None:
        super().__init__(message)
        self.rule = rule

    @property
    def reason(self) -> Reason:
        return Reason(str(self), self.rule)
