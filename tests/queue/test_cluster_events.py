# SPDX-License-Identifier: Apache-2.0
"""Cluster events and hint tables."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen
from queue_world import NODE_ADDED, NODE_LABELLED, NODE_TAINTED, Deaf, Gate, Picky, Silent, pod, says

from refsched.framework.events import (
    ASSIGNED_POD,
    NODE,
    PERSISTENT_VOLUME,
    POD,
    RESOURCE_SLICE,
    UNSCHEDULABLE_POD,
    VOLUME_ATTACHMENT,
    WILD_CARD,
    ActionType,
    ClusterEvent,
    EventHint,
)
from refsched.framework.interface import Plugin
from refsched.framework.node_info import PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.queue.cluster_events import (
    FORCE_ACTIVATE,
    matches,
    node_update_events,
    pod_update_events,
)
from refsched.queue.hint_table import EXTENDER, HintTable, Strategy, hint_table
from refsched.queue.in_flight import ObservedEvent
from refsched.queue.queued_pod import QueuedPod
from refsched.releases.v1_36 import queue as before_1_37
from refsched.releases.v1_36.queue import changed_taints

# --- Matching -------------------------------------------------------------------------------------

ADD, UPDATE, ALL = ActionType.ADD, ActionType.UPDATE, ActionType.ALL
LABEL = ActionType.UPDATE_POD_LABEL


@pytest.mark.parametrize(
    ("registered", "event", "expected"),
    [
        ((NODE, ADD), (NODE, ADD), True),
        ((NODE, ADD), (PERSISTENT_VOLUME, ADD), False),
        ((NODE, ADD), (NODE, ActionType.DELETE), False),
        ((NODE, ADD | ActionType.DELETE), (NODE, ADD), True),
        ((POD, LABEL), (ASSIGNED_POD, LABEL), True),
        ((POD, LABEL), (UNSCHEDULABLE_POD, LABEL), True),
        ((ASSIGNED_POD, LABEL), (UNSCHEDULABLE_POD, LABEL), False),
        ((POD, UPDATE), (ASSIGNED_POD, LABEL), True),
        ((POD, LABEL), (ASSIGNED_POD, UPDATE), False),
        ((POD, ALL), (ASSIGNED_POD, UPDATE), True),
        ((WILD_CARD, ADD), (NODE, ADD), True),
        ((WILD_CARD, ADD), (NODE, UPDATE), False),
        ((WILD_CARD, ALL), (NODE, UPDATE), True),
        ((NODE, ALL), (WILD_CARD, ALL), False),
        ((WILD_CARD, ALL), (WILD_CARD, ALL), True),
    ],
)
def test_an_event_meets_what_is_as_wide_or_wider(
    registered: tuple[str, ActionType], event: tuple[str, ActionType], expected: bool
) -> None:
    assert matches(ClusterEvent(*registered), ClusterEvent(*event)) is expected


# --- Updates of a pod -----------------------------------------------------------------------------


def pod_of(spec: dict[str, Any] | None = None, status: dict[str, Any] | None = None) -> Pod:
    return read_as(Pod, {"metadata": {"name": "p"}, "spec": spec or {}, "status": status or {}})


def asking(**requests: str) -> Pod:
    return pod_of({"containers": [{"name": "c", "resources": {"requests": requests}}]})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (pod("p"), pod("p", a="b"), [ActionType.UPDATE_POD_LABEL]),
        (pod("p"), pod("p", 4), [UPDATE]),
        (asking(cpu="2"), asking(cpu="1"), [ActionType.UPDATE_POD_SCALE_DOWN]),
        (asking(cpu="1"), asking(cpu="2"), [ActionType.UPDATE_POD_SCALE_UP]),
        (asking(cpu="1"), asking(cpu="1", memory="1"), [ActionType.UPDATE_POD_SCALE_UP]),
        (asking(cpu="900u"), asking(cpu="100u"), [UPDATE]),
        (asking(cpu="1", memory="1"), asking(cpu="1"), [ActionType.UPDATE_POD_SCALE_DOWN]),
        (
            pod_of({"schedulingGates": [{"name": "a"}]}),
            pod_of(),
            [ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED],
        ),
        (
            pod_of({"schedulingGates": [{"name": "a"}, {"name": "b"}]}),
            pod_of({"schedulingGates": [{"name": "a"}]}),
            [UPDATE],
        ),
        (pod_of(), pod_of({"tolerations": [{"key": "a"}]}), [ActionType.UPDATE_POD_TOLERATION]),
        (
            pod_of(),
            pod_of(status={"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "p-gpu"}]}),
            [ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM],
        ),
    ],
)
def test_an_update_of_a_pod_is_reported_as_what_changed(
    before: Pod, after: Pod, expected: list[ActionType]
) -> None:
    assert pod_update_events(before, after) == tuple(ClusterEvent(UNSCHEDULABLE_POD, e) for e in expected)


def test_before_1_37_it_is_no_event_that_a_pod_requests_more() -> None:
    [event] = before_1_37.pod_update_events(asking(cpu="1"), asking(cpu="2"))
    assert event == ClusterEvent(UNSCHEDULABLE_POD, UPDATE)


def test_each_change_of_an_assigned_pod_is_an_event() -> None:
    before, after = asking(cpu="2"), asking(cpu="1")
    after = evolve(
        after,
        metadata=evolve(after.metadata, labels={"a": "b"}),
        spec=evolve(after.spec, node_name="n"),
    )

    assert [event.action for event in pod_update_events(before, after)] == [
        ActionType.UPDATE_POD_LABEL,
        ActionType.UPDATE_POD_SCALE_DOWN,
    ]
    assert {event.resource for event in pod_update_events(before, after)} == {ASSIGNED_POD}


# --- Updates of a node ----------------------------------------------------------------------------


def node_of(**fields: Any) -> Node:
    return read_as(Node, {"metadata": {"name": "n"}, **fields})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {}, []),
        ({"spec": {"unschedulable": True}}, {}, [ActionType.UPDATE_NODE_TAINT]),
        ({}, {"spec": {"unschedulable": True}}, []),
        ({}, {"status": {"allocatable": {"cpu": "1"}}}, [ActionType.UPDATE_NODE_ALLOCATABLE]),
        (
            {"status": {"allocatable": {"cpu": "1"}}},
            {"status": {"allocatable": {"cpu": "1000m"}}},
            [],
        ),
        ({}, {"metadata": {"name": "n", "labels": {"a": "b"}}}, [ActionType.UPDATE_NODE_LABEL]),
        (
            {"spec": {"unschedulable": True}},
            {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}},
            [ActionType.UPDATE_NODE_TAINT, ActionType.UPDATE_NODE_TAINT],
        ),
        (
            {"status": {"conditions": [{"type": "Ready", "status": "False"}]}},
            {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
            [ActionType.UPDATE_NODE_CONDITION],
        ),
        (
            {},
            {"metadata": {"name": "n", "annotations": {"a": "b"}}},
            [ActionType.UPDATE_NODE_ANNOTATION],
        ),
    ],
)
def test_an_update_of_a_node_is_reported_as_what_changed(
    before: dict[str, Any], after: dict[str, Any], expected: list[ActionType]
) -> None:
    events = node_update_events(node_of(**before), node_of(**after))

    assert events == tuple(ClusterEvent(NODE, action) for action in expected)


# --- Hint tables ----------------------------------------------------------------------------------


@frozen
class Adding:
    """Registers for new nodes, and for no change of taints."""

    name: str = "Adding"
    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(POD, ActionType.ADD, says(True), "pods are no nodes"),
        EventHint(NODE, ActionType.ADD, says(False), "never enough"),
        EventHint(NODE, ActionType.UPDATE_NODE_LABEL, says(True), "a label may do"),
    )


def strategy(table: HintTable, event: ClusterEvent, *by: str, pending: tuple[str, ...] = ()) -> Strategy:
    refused = QueuedPod(
        PodInfo(pod("p")), 0, unschedulable_plugins=frozenset(by), pending_plugins=frozenset(pending)
    )
    return table.strategy(refused, ObservedEvent(event, None, node_of()), ObjectStore())


def tables(*plugins: Plugin) -> HintTable:
    return hint_table(plugins)


def test_only_those_who_refused_the_pod_are_asked() -> None:
    table = tables(Adding(), Deaf(), Gate("g"), Picky())

    assert strategy(table, NODE_LABELLED, "Adding") is Strategy.AFTER_BACKOFF
    assert strategy(table, NODE_LABELLED, "Picky", "Deaf", "Unknown") is Strategy.SKIP
    assert strategy(table, NODE_ADDED, "Adding") is Strategy.SKIP
    assert strategy(table, NODE_LABELLED, "Picky", pending=("Adding",)) is Strategy.IMMEDIATELY
    assert strategy(table, NODE_LABELLED, "Adding", pending=("Picky",)) is Strategy.AFTER_BACKOFF


def test_a_pod_that_nobody_refused_is_always_worth_a_try() -> None:
    assert strategy(tables(), NODE_ADDED) is Strategy.AFTER_BACKOFF


def test_who_registers_for_new_nodes_is_given_changed_taints_too_before_v1_37() -> None:
    before = hint_table((Adding(), Picky()), besides=changed_taints)
    assert strategy(before, NODE_TAINTED, "Adding") is Strategy.AFTER_BACKOFF
    assert strategy(before, NODE_TAINTED, "Picky") is Strategy.SKIP
    assert strategy(tables(Adding()), NODE_TAINTED, "Adding") is Strategy.SKIP


def test_who_registers_for_no_events_is_requeued_by_almost_any() -> None:
    table = tables(Silent())

    for observed in (
        NODE_ADDED,
        ClusterEvent(PERSISTENT_VOLUME, ActionType.DELETE),
        ClusterEvent(ASSIGNED_POD, LABEL),
    ):
        assert strategy(table, observed, "Silent") is Strategy.AFTER_BACKOFF
    for other in (VOLUME_ATTACHMENT, RESOURCE_SLICE):
        assert strategy(table, ClusterEvent(other, ADD), "Silent") is Strategy.SKIP


def test_any_event_requeues_what_an_extender_refused() -> None:
    assert strategy(hint_table((), has_extenders=True), NODE_ADDED, EXTENDER) is Strategy.AFTER_BACKOFF
    assert strategy(hint_table(()), NODE_ADDED, EXTENDER) is Strategy.SKIP


def test_a_wild_card_is_for_all_or_for_the_pod_that_it_names() -> None:
    refused = QueuedPod(PodInfo(pod("p")), 0, unschedulable_plugins=frozenset({"Deaf"}))
    answers = [
        tables(Deaf()).strategy(refused, ObservedEvent(FORCE_ACTIVATE, None, named), ObjectStore())
        for named in (None, pod("p"), pod("q"), node_of())
    ]

    assert answers == [Strategy.AFTER_BACKOFF, Strategy.AFTER_BACKOFF, Strategy.SKIP, Strategy.SKIP]


def test_a_resource_is_heard_of_where_someone_registered_for_the_action() -> None:
    table = tables(Adding())

    assert table.watches(NODE, ActionType.ADD)
    assert table.watches(NODE, ActionType.UPDATE)
    assert not table.watches(NODE, ActionType.DELETE)
    assert not table.watches(PERSISTENT_VOLUME, ActionType.ADD)
