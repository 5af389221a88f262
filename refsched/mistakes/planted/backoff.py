# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the backoff of a pod after an attempt."""

from refsched.mistakes.wrong import Wrong

_BACKOFF = "refsched.queue.backoff"
_QUEUE = "refsched.queue.scheduling_queue"

WRONG = (
    Wrong(
        "does-not-double",
        "The backoff of a pod does not grow with its attempts.",
        _BACKOFF,
        "maximum if initial > maximum >> doublings else initial << doublings",
        "min(initial, maximum)",
        breaks=("R-BACKOFF-01",),
    ),
    Wrong(
        "doubles-at-once",
        "The first backoff is twice the initial backoff.",
        _BACKOFF,
        "doublings = count - 1",
        "doublings = count",
        breaks=("R-BACKOFF-01",),
    ),
    Wrong(
        "grows-without-end",
        "The backoff has no maximum.",
        _BACKOFF,
        "maximum if initial > maximum >> doublings else initial << doublings",
        "initial << doublings",
        breaks=("R-BACKOFF-01",),
    ),
    Wrong(
        "errors-owe-no-backoff",
        "A pod whose attempts ended in errors has no backoff.",
        _BACKOFF,
        "count = pod.consecutive_errors_count or pod.unschedulable_count",
        "count = pod.unschedulable_count",
        breaks=("R-BACKOFF-02", "R-QUEUE-11"),
    ),
    Wrong(
        "a-refusal-ends-no-row-of-errors",
        "The count of consecutive errors is not reset when an attempt ends as unschedulable.",
        _QUEUE,
        "pod.consecutive_errors_count + 1 if failed else 0",
        "pod.consecutive_errors_count + (1 if failed else 0)",
        breaks=("R-QUEUE-49",),
    ),
    Wrong(
        "forgets-after-a-while",
        "The count of unschedulable attempts is reset after a pod waited longer than the maximum backoff.",
        _QUEUE,
        "unschedulable_count=pod.unschedulable_count + (0 if failed else 1),",
        "unschedulable_count=(\n"
        "                pod.unschedulable_count\n"
        "                if self._clock() - pod.timestamp <= self._backoff_rule.maximum\n"
        "                else 0\n"
        "            )\n"
        "            + (0 if failed else 1),",
        cites="kubernetes #87616",
        breaks=("R-BACKOFF-02",),
    ),
    Wrong(
        "a-second-too-early",
        "A backoff is complete at the second in which it ends, not after it.",
        _BACKOFF,
        "return pod.backoff_expiration >= second",
        "return pod.backoff_expiration > second",
        breaks=("R-BACKOFF-05",),
    ),
    Wrong(
        "whose-backoff-ends-last-is-first",
        "The pod whose backoff ends last is popped first from backoffQ.",
        _BACKOFF,
        "return left.backoff_expiration < right.backoff_expiration",
        "return left.backoff_expiration > right.backoff_expiration",
        breaks=("R-QUEUE-47",),
    ),
    Wrong(
        "backs-off-by-attempts",
        "Attempts that ended in errors count as unschedulable attempts too.",
        _BACKOFF,
        "count = pod.consecutive_errors_count or pod.unschedulable_count",
        "count = pod.attempts",
        breaks=("R-BACKOFF-02",),
    ),
)
