# SPDX-License-Identifier: Apache-2.0
"""The error of volume binding."""

from refsched.rules import Reason


class VolumeError(Exception):
    """kube-scheduler reports an Error by ``rule``, and the pod is tried again."""

    def __init__(self, message: str, rule: str) -> None:
        super().__init__(message)
        self.rule = rule

    @property
    def reason(self) -> Reason:
        return Reason(str(self), self.rule)
