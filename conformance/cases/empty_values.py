# SPDX-License-Identifier: Apache-2.0
"""Cases of labels with an empty value: a label that is missing is another thing, wherever one is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.vocabulary.allocations import node_condition, node_selector
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import HOSTNAME, PREFERRED, REQUIRED, near, node, pod, spread
from conformance.vocabulary.storage import (
    a_claim,
    a_volume,
    bound_pair,
    reaching,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_EMPTY = {"k": ""}


def _asking(operator: str) -> Json:
    return node_condition("", key="k", operator=operator)


def _beside_an_empty_label(coming: Json, *objects: Json) -> History:
    """The first of three nodes has no label, the second an empty one and the third another one, and a pod runs on
    each that has the label of its node."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*objects)
    for home, labels in enumerate(({}, _EMPTY, {"k": "v"})):
        cluster.add_node(node("", labels=labels))
        cluster.add_pod(pod("", labels=labels), home)
    cluster.add_pod(coming)
    cluster.schedule()
    return cluster.history()


def _of_nodes(operator: str) -> Iterator[tuple[str, str, History]]:
    required = node_selector([_asking(operator)])
    (term,) = required["nodeSelectorTerms"]
    yield (
        "required_node_affinity",
        "the required node affinity of a pod",
        _beside_an_empty_label(pod("", affinity={"nodeAffinity": {REQUIRED: required}})),
    )
    yield (
        "preferred_node_affinity",
        "the preferred node affinity of a pod",
        _beside_an_empty_label(
            pod("", affinity={"nodeAffinity": {PREFERRED: [{"weight": 100, "preference": term}]}})
        ),
    )


def _of_pods(operator: str) -> Iterator[tuple[str, str, History]]:
    selector: Json = {"matchExpressions": [_asking(operator)]}
    for kind in ("podAffinity", "podAntiAffinity"):
        for when in (REQUIRED, PREFERRED):
            how = "required" if when == REQUIRED else "preferred"
            yield (
                f"{how}_{'anti_' if 'Anti' in kind else ''}affinity_for_pods",
                f"a {how} {kind} term",
                _beside_an_empty_label(pod("", affinity=near(kind, when, selector))),
            )
    for when in ("DoNotSchedule", "ScheduleAnyway"):
        constraint = {**spread(HOSTNAME, 1, when), "labelSelector": selector}
        yield (
            f"constraint_{when.lower()}",
            f"a constraint with {when}",
            _beside_an_empty_label(pod("", labels=_EMPTY, topologySpreadConstraints=[constraint])),
        )


def _of_storage(operator: str) -> Iterator[tuple[str, str, History]]:
    reach = reaching(_asking(operator))
    for name, claim, volume in (
        ("bound", *bound_pair("c1", "v1")),
        ("unbound", a_claim(), a_volume()),
    ):
        yield (
            f"{name}_volume",
            f"the node affinity of a volume that is {name}",
            _beside_an_empty_label(
                pod("", volumes=using("c1")), storage_class("hand"), claim, with_some(volume, spec=reach)
            ),
        )


def _of_devices(operator: str) -> Iterator[tuple[str, str, History]]:
    where = {"nodeSelector": node_selector([_asking(operator)])}
    objects = (device_class("any"), resource_slice("s1", [{"name": "d0"}], where), resource_claim("c1", ONE))
    yield "slice", "the node selector of a slice", _beside_an_empty_label(claim_user("c1"), *objects)


def _cases(of_kind: Callable[[str], Iterator[tuple[str, str, History]]]) -> Iterator[Case]:
    for operator in ("In", "NotIn"):
        for name, says, history in of_kind(operator):
            yield Case(
                f"{name}_{operator.lower()}_an_empty_value",
                "A label with an empty value is there, and In matches it; one that is missing only NotIn matches;"
                f" {says} asks for it with {operator}.",
                history,
            )


OF_NODES: tuple[Case, ...] = (
    Case(
        "node_selector_of_an_empty_value",
        "A node without a label is none for a pod whose nodeSelector asks for the label with an empty value.",
        _beside_an_empty_label(pod("", nodeSelector=_EMPTY)),
        ("R-NODEAFF-04",),
    ),
    *_cases(_of_nodes),
)
OF_PODS: tuple[Case, ...] = tuple(_cases(_of_pods))
OF_STORAGE: tuple[Case, ...] = tuple(_cases(_of_storage))
OF_DEVICES: tuple[Case, ...] = tuple(_cases(_of_devices))
