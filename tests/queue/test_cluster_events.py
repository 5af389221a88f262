# SPDX-License-Identifier: Apache-2.0
"""Cluster events and hint tables."""

from __future__ import annotations

from typing import Any

import pytest
from queue_world import NODE_ADDED, pod

from refsched.framework.events import (
    ASSIGNED_POD,
    NODE,
    PERSISTENT_VOLUME,
    POD,
    UNSCHEDULABLE_POD,
    WILD_CARD,
    ActionType,
    ClusterEvent,
)
from refsched.framework.interface import Plugin
from refsched.framework.node_info import PodInfo
from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.queue.cluster_events import (
    matches,
)
from refsched.queue.hint_table import HintTable, Strategy, hint_table
from refsched.queue.in_flight import ObservedEvent
from refsched.queue.queued_pod import QueuedPod

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


# --- Updates of a node ----------------------------------------------------------------------------


def node_of(**fields: Any) -> Node:
    return read_as(Node, {"metadata": {"name": "n"}, **fields})


# --- Hint tables ----------------------------------------------------------------------------------


def strategy(table: HintTable, event: ClusterEvent, *by: str, pending: tuple[str, ...] = ()) -> Strategy:
    refused = QueuedPod(
        PodInfo(pod("p")), 0, unschedulable_plugins=frozenset(by), pending_plugins=frozenset(pending)
    )
    return table.strategy(refused, ObservedEvent(event, None, node_of()), ObjectStore())


def tables(*plugins: Plugin) -> HintTable:
    return hint_table(plugins)


def test_a_pod_that_nobody_refused_is_always_worth_a_try() -> None:
    assert strategy(tables(), NODE_ADDED) is Strategy.AFTER_BACKOFF
