# SPDX-License-Identifier: Apache-2.0
"""FitError: why a pod fits on no node, and the message that says so.

Observed: the wording of reasons and messages is not part of the API.
Source: pkg/scheduler/framework/types.go, FitError.Error and Diagnosis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from attrs import field, frozen

from refsched.framework.status import SUCCESS, Code, Status
from refsched.queue.hint_table import EXTENDER
from refsched.rules import Reason, applies

FITS_NOWHERE = Reason("0/{} nodes are available:{}", "R-WORDS-01")


@frozen
class Diagnosis:
    """A Diagnosis has the status of each node that was filtered, and what PreFilter and PostFilter answered.

    ``absent`` is the status of nodes that were not filtered. ``by_extenders`` says why extenders rejected
    nodes, and goes before what plugins answered; ``extenders_rejected`` says whether they left fewer nodes
    than they were given.
    """

    statuses: Mapping[str, Status] = field(factory=dict)
    absent: Status = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
    pre_filter_message: str = ""
    post_filter_message: str = ""
    pre_filter_plugins: frozenset[str] = frozenset()
    rejecting: Status = SUCCESS
    by_extenders: Mapping[str, Status] = field(factory=dict)
    extenders_rejected: bool = False

    @property
    def node_to_status(self) -> Mapping[str, Status]:
        """Returns every rejection, by node."""
        return {**self.statuses, **self.by_extenders}

    @property
    def unschedulable_plugins(self) -> frozenset[str]:
        """R-FAIL-02 (observed: queueing hints may only save attempts, KEP-4247; shows in queue): A pod waits for
        events of every plugin that rejected it on a node, or that excluded nodes in PreFilter, and for any event
        if extenders rejected nodes.
        """
        applies("R-FAIL-02")
        said = (*self.statuses.values(), self.rejecting)
        extenders = {EXTENDER} if self.extenders_rejected else frozenset()
        return self.pre_filter_plugins | {s.plugin for s in said if s.is_rejected and s.plugin} | extenders

    @property
    def pending_plugins(self) -> frozenset[str]:
        said = (*self.statuses.values(), self.rejecting)
        return frozenset(s.plugin for s in said if s.code is Code.PENDING and s.plugin)


def fit_error_message(diagnosis: Diagnosis, number_of_nodes: int) -> str:
    """R-WORDS-01 (decides message): The message of a pod that fits nowhere counts the nodes that gave each reason,
    sorted as text, and ends with what PostFilter said."""
    applies("R-WORDS-01")
    said = ""
    if diagnosis.pre_filter_message:
        said += f" {diagnosis.pre_filter_message}."
    else:
        statuses = diagnosis.node_to_status
        counts = Counter(reason for status in statuses.values() for reason in status.reasons)
        unseen = number_of_nodes - len(statuses)
        if unseen > 0:
            for reason in diagnosis.absent.reasons:
                counts[reason] += unseen
        histogram = sorted(f"{count} {reason}" for reason, count in counts.items())
        if histogram:
            said += f" {', '.join(histogram)}."
    if diagnosis.post_filter_message:
        said += f" {diagnosis.post_filter_message}"
    return FITS_NOWHERE.format(number_of_nodes, said)
