# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in how long a pod waits after an attempt."""

from conformance.wrong.planted.table import Wrong

_BACKOFF = "refsched.queue.backoff"
_QUEUE = "refsched.queue.scheduling_queue"

WRONG = (
    Wrong(
        "does-not-double",
        "the backoff does not grow",
        _BACKOFF,
        "maximum if initial > maximum >> doublings else initial << doublings",
        "min(initial, maximum)",
    ),
    Wrong(
        "doubles-at-once",
        "the first backoff is doubled already",
        _BACKOFF,
        "doublings = count - 1",
        "doublings = count",
    ),
    Wrong(
        "grows-without-end",
        "the backoff has no maximum",
        _BACKOFF,
        "maximum if initial > maximum >> doublings else initial << doublings",
        "initial << doublings",
    ),
    Wrong(
        "errors-owe-no-backoff",
        "a pod whose attempts ended in errors is tried again at once",
        _BACKOFF,
        "count = pod.consecutive_errors_count or pod.unschedulable_count",
        "count = pod.unschedulable_count",
    ),
    Wrong(
        "a-refusal-ends-no-row-of-errors",
        "errors go on counting after a refusal",
        _QUEUE,
        "pod.consecutive_errors_count + 1 if failed else 0",
        "pod.consecutive_errors_count + (1 if failed else 0)",
    ),
    Wrong(
        "forgets-after-a-while",
        "the number of refusals starts anew after a pod has waited longer than the maximum",
        _QUEUE,
        "unschedulable_count=pod.unschedulable_count + (0 if failed else 1),",
        "unschedulable_count=(\n"
        "                pod.unschedulable_count\n"
        "                if self._clock() - pod.timestamp <= self._backoff_rule.maximum\n"
        "                else 0\n"
        "            )\n"
        "            + (0 if failed else 1),",
        cites="kubernetes #87616",
    ),
    Wrong(
        "a-second-too-early",
        "a backoff is over in the second in which it ends, not after it",
        _BACKOFF,
        "if pod.backoff_expiration < self.rounded(now):",
        "if pod.backoff_expiration <= self.rounded(now):",
    ),
    Wrong(
        "whose-backoff-ends-last-is-first",
        "from backoffQ the pod is taken whose backoff ends last",
        _BACKOFF,
        "return left.backoff_expiration < right.backoff_expiration",
        "return left.backoff_expiration > right.backoff_expiration",
    ),
    Wrong(
        "backs-off-by-attempts",
        "attempts that ended in errors count as refusals too",
        _BACKOFF,
        "count = pod.consecutive_errors_count or pod.unschedulable_count",
        "count = pod.attempts",
    ),
)
