# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with volumes."""


class VolumeError(Exception):
    """Not an answer: kube-scheduler reports an Error, and the pod is tried again."""
