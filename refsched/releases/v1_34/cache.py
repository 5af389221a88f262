# SPDX-License-Identifier: Apache-2.0
"""Cache before 1.35: to forget a pod that does not count any more is an error.

Changed by: kubernetes #134157 (a pod that is deleted while it is bound is forgotten at once).
Source: pkg/scheduler/backend/cache/cache.go.
"""

from __future__ import annotations

from refsched.cache import cache as current
from refsched.cache.cache import CacheError
from refsched.objects.pod import Pod


class Cache(current.Cache):
    def forget(self, pod: Pod) -> None:
        """Stops counting an assumed pod. Raises CacheError if it does not count, or is bound by now. Source:
        ForgetPod."""
        if self.get_pod(pod) is None:
            raise CacheError(f"pod {pod.uid}({pod.key}) wasn't assumed so cannot be forgotten")
        super().forget(pod)
