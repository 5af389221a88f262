# SPDX-License-Identifier: Apache-2.0
"""NodeLabel: a configuration requires or prefers that nodes have certain labels, or do not have them.

This is a plugin of v1.19, which a configuration may enable; later releases no longer have it.
Promised: NodeLabelArgs is documented with KubeSchedulerConfiguration.
Source: plugins/nodelabel/node_label.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.config.args import PluginArgs
from refsched.errors import InputError
from refsched.framework.interface import MAX_NODE_SCORE
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.rules import Reason, applies

WRONG_LABELS = Reason("node(s) didn't have the requested labels", "R-NODELABEL-01")


@frozen
class NodeLabelArgs(PluginArgs):
    present_labels: tuple[str, ...] = ()
    absent_labels: tuple[str, ...] = ()
    present_labels_preference: tuple[str, ...] = ()
    absent_labels_preference: tuple[str, ...] = ()

    def validate(self) -> None:
        pairs = (
            ("absentLabels", self.present_labels, self.absent_labels),
            ("absentLabelsPreference", self.present_labels_preference, self.absent_labels_preference),
        )
        for name, present, absent in pairs:
            for label in absent:
                if label in present:
                    raise InputError(f"{label!r} is to be present, too", name)


@frozen
class NodeLabel:
    """The arguments are label keys; the values of labels do not count."""

    name = "NodeLabel"
    POINTS = ("filter", "score")
    READS = ("Node.metadata.labels",)
    ARGS = NodeLabelArgs
    present_labels: tuple[str, ...] = ()
    absent_labels: tuple[str, ...] = ()
    present_labels_preference: tuple[str, ...] = ()
    absent_labels_preference: tuple[str, ...] = ()

    @classmethod
    def of_args(cls, args: NodeLabelArgs) -> NodeLabel:
        return cls(
            args.present_labels,
            args.absent_labels,
            args.present_labels_preference,
            args.absent_labels_preference,
        )

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-NODELABEL-01: A node that lacks one of NodeLabel's presentLabels, or bears one of its absentLabels, is
        rejected as UnschedulableAndUnresolvable."""
        labels = node.existing_node.metadata.labels
        has_all = all(label in labels for label in self.present_labels)
        if has_all and not any(label in labels for label in self.absent_labels):
            return SUCCESS
        return unresolvable(WRONG_LABELS)

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int:
        """R-NODELABEL-02: A node scores the share, in whole percent, of NodeLabel's preferences that it meets: to
        bear a label of presentLabelsPreference, and not to bear one of absentLabelsPreference.

        Without any preference v1.19.16 divides by zero and panics; here every node scores 0.
        """
        labels = node.existing_node.metadata.labels
        met = sum(label in labels for label in self.present_labels_preference)
        met += sum(label not in labels for label in self.absent_labels_preference)
        applies("R-NODELABEL-02")
        all_preferences = len(self.present_labels_preference) + len(self.absent_labels_preference)
        return met * MAX_NODE_SCORE // max(all_preferences, 1)
