# SPDX-License-Identifier: Apache-2.0
"""Provisioning: whether the volumes that do not exist yet can be made for a node."""

from __future__ import annotations

import pytest
from volume_objects import Json, capacity, claim, csi_driver, read, storage_class, store
from world import node_object

from refsched.volumes.provisioning import (
    NOT_ENOUGH_SPACE,
    NOTHING_TO_BIND,
    why_not_provisioned,
)

NODE = read(node_object("n1", labels={"zone": "a", "disk": "ssd"}))
EVERYWHERE: Json = {"nodeTopology": {}}


def refusal(*claims: Json, classes: tuple[Json, ...], objects: tuple[Json, ...] = ()) -> str | None:
    by_name = {value["metadata"]["name"]: read(value) for value in classes}
    return why_not_provisioned([read(value) for value in claims], by_name, NODE, store(*objects))


def on(**labels: list[str]) -> Json:
    return {"matchLabelExpressions": [{"key": key, "values": values} for key, values in labels.items()]}


@pytest.mark.parametrize(
    ("topologies", "allowed"),
    [
        ([], True),
        ([on(zone=["a"])], True),
        ([on(zone=["b", "a"], disk=["ssd"])], True),
        ([on(zone=["a"], disk=["hdd"])], False),
        ([on(zone=["b"]), on(disk=["ssd"])], True),
        ([on(rack=["r"])], False),
        ([{}], False),
    ],
)
def test_the_topology_of_the_class_must_allow_the_node(topologies: list[Json], allowed: bool) -> None:
    limited = storage_class("x", allowedTopologies=topologies)

    assert refusal(claim("c", "x"), classes=(limited,)) == (None if allowed else NOTHING_TO_BIND)


def test_room_counts_for_the_class_alone_and_each_claim_is_looked_at_by_itself() -> None:
    stored = (
        csi_driver("csi.example", tracks_capacity=True),
        capacity("k", "x", capacity="2Gi", **EVERYWHERE),
    )
    classes = (storage_class("x"), storage_class("y"))

    assert refusal(claim("c", "x", "2Gi"), claim("d", "x", "2Gi"), classes=classes, objects=stored) is None
    assert refusal(claim("c", "y", "2Gi"), classes=classes, objects=stored) == NOT_ENOUGH_SPACE
    assert refusal(claim("c", "y", ""), classes=classes, objects=stored) is None
