# SPDX-License-Identifier: Apache-2.0
"""Cases of TaintToleration: which change of a node's taints, or of a pod's own tolerations, requeues a pod that a
taint rejected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node, pod, with_spec
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_TAINTS: list[Json] = [{"key": "k", "effect": "NoSchedule"}]
_PREFERENCE: list[Json] = [{"key": "l", "effect": "PreferNoSchedule"}]


def _taints_change(index: int, changed: Json) -> History:
    """The first node rejects the pod by its taint, and the second one is cordoned."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", taints=_TAINTS))
    cluster.add_node(node("", unschedulable=True))
    cluster.add_pod(pod(""))
    cluster.schedule()
    cluster.change_node(index, changed)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_CORDON: list[Json] = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]


def _uncordoned(between: Json) -> History:
    """A node is cordoned and has the taint that says so; it loses both, one before the other."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", unschedulable=True, taints=_CORDON))
    cluster.add_pod(pod(""))
    cluster.schedule()
    for changed in (between, node("")):
        cluster.change_node(0, changed)
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def _tolerations_change(before: Sequence[Json], after: Sequence[Json], **of_node: Any) -> History:
    """The pod is rejected by the only node, and its tolerations change in one update."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", **of_node))
    cluster.add_pod(pod("", tolerations=list(before)))
    cluster.schedule()
    cluster.wait()
    cluster.change_pod(0, partial(with_spec, tolerations=list(after)))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_OF_THE_TAINT: Json = {"key": "k", "operator": "Exists"}
_OF_THE_CORDON: Json = {"key": _CORDON[0]["key"], "operator": "Exists"}
_OF_A: Json = {"key": "a", "operator": "Exists"}
_OF_B: Json = {"key": "b", "operator": "Exists"}
_TOLERATIONS: dict[str, tuple[str, tuple[Json, ...], tuple[Json, ...]]] = {
    "exchanged_for_that_of_the_taint": (
        "one that tolerates the taint replaces another",
        (_OF_A,),
        (_OF_THE_TAINT,),
    ),
    "exchanged_for_another": ("one replaces another, and neither tolerates the taint", (_OF_A,), (_OF_B,)),
    "in_another_order": ("they are the same in another order", (_OF_A, _OF_B), (_OF_B, _OF_A)),
    "doubled": ("one that was there comes once more", (_OF_A,), (_OF_A, _OF_A)),
    "removed": ("one is removed, and none tolerates the taint", (_OF_A, _OF_B), (_OF_B,)),
    "fewer_and_that_of_the_taint": (
        "one that tolerates the taint replaces two others",
        (_OF_A, _OF_B),
        (_OF_THE_TAINT,),
    ),
    "changed_in_effect": (
        "one for the taint's key changes its effect to that of the taint",
        ({**_OF_THE_TAINT, "effect": "NoExecute"},),
        ({**_OF_THE_TAINT, "effect": "NoSchedule"},),
    ),
}
"""How tolerations change, and which they are before and after."""


def _tolerations_that_compare() -> History:
    """Each of two pods tolerates the taint of the only node by another operator that compares numbers, and with
    its very value."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", taints=[{"key": "k", "value": "5", "effect": "NoSchedule"}]))
    for operator in ("Gt", "Lt"):
        cluster.add_pod(pod("", tolerations=[{"key": "k", "operator": operator, "value": "5"}]))
    cluster.schedule()
    return cluster.history()


def _of_tolerations() -> Iterator[Case]:
    yield Case(
        "tolerations_that_compare",
        "A toleration with Gt or Lt does not tolerate a taint of its own value: these operators are not Equal."
        " Such a toleration is stored where the feature gate TaintTolerationComparisonOperators has been on.",
        _tolerations_that_compare(),
        ("R-TAINT-07",),
    )
    for name, (says, before, after) in _TOLERATIONS.items():
        yield Case(
            f"tolerations_{name}",
            "An update of its own tolerations requeues a pod that a taint rejected if their number changes, and in"
            f" v1.19 if anything does; here {says}.",
            _tolerations_change(before, after, taints=_TAINTS),
        )
    for name, before, after in (
        ("before_the_others", (_OF_A, _OF_B), (_OF_THE_CORDON, _OF_A, _OF_B)),
        ("after_the_others", (_OF_A, _OF_B), (_OF_A, _OF_B, _OF_THE_CORDON)),
        ("instead_of_the_others", (_OF_A, _OF_B), (_OF_THE_CORDON,)),
    ):
        yield Case(
            f"toleration_of_the_cordon_comes_{name}",
            "A pod that a cordoned node rejected is requeued when it tolerates the cordon, wherever that stands"
            f" among its tolerations: {name.replace('_', ' ')}.",
            _tolerations_change(before, after, unschedulable=True),
        )


CASES: tuple[Case, ...] = (
    Case(
        "taints_change_on_a_node_that_they_did_not_reject_the_pod_from",
        "A pod rejected by one node's taint is not requeued when another node, whose taints never rejected it,"
        " gets a PreferNoSchedule taint.",
        _taints_change(1, node("", taints=_PREFERENCE, unschedulable=True)),
    ),
    Case(
        "taint_removed_from_the_node_that_rejected_the_pod",
        "A pod rejected by a node's taint is requeued when the taint is removed.",
        _taints_change(0, node("")),
    ),
    *(
        Case(
            f"taint_replaced_by_{name}",
            "A pod rejected by a node's taint is requeued if the taint that replaces it does not repel the pod;"
            f" it is {name.replace('_', ' ')}.",
            _taints_change(0, node("", taints=[{"key": "k", "effect": "NoSchedule", **changed}])),
        )
        for name, changed in (
            ("a_preference", {"effect": "PreferNoSchedule"}),
            ("one_that_evicts", {"effect": "NoExecute"}),
            ("one_of_another_key", {"key": "l"}),
        )
    ),
    *(
        Case(
            f"uncordoned_before_{name}",
            f"A pod that a cordoned node rejected is requeued when the node is uncordoned, here before {says}.",
            _uncordoned(between),
        )
        for name, says, between in (
            ("its_taint_is_removed", "its taint is removed", node("", taints=_CORDON)),
            ("its_spec_says_so", "its spec says so, and after its taint", node("", unschedulable=True)),
        )
    ),
    *_of_tolerations(),
)
