# SPDX-License-Identifier: Apache-2.0
"""What can stand in the place of a value, and what becomes of a history then."""

from __future__ import annotations

from typing import Any

from conformance.strategies import AREAS
from conformance.strategies.exchanged import exchanges, exchanging, later, of_areas
from conformance.vocabulary.builder import AFTER_ALL_BACKOFF
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import Advance, Create, History, Schedule, Update
from refsched.suite.histories.trial import try_history
from refsched.suite.session.drawing import collected, load_profile

Json = dict[str, Any]


def made(kind: str, name: str, **members: Any) -> Json:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}} | members


def others(*objects: Json) -> dict[str, list[tuple[Any, Any]]]:
    """Returns by field what stands there and what may, each once."""
    found: dict[str, list[tuple[Any, Any]]] = {}
    for field, possible in exchanges(History(tuple(map(Create, objects)))).items():
        pairs = found.setdefault(field, [])
        for each in possible:
            pair = each.place.value, each.new
            pairs.extend([pair] if pair not in pairs else [])
    return found


def test_a_value_is_that_of_the_same_field_of_another_object() -> None:
    first, second = made("StorageClass", "a", provisioner="x"), made("StorageClass", "b", provisioner="y")
    assert others(first, second)["StorageClass.provisioner"] == [("x", "y"), ("y", "x")]


def test_a_text_is_one_that_stands_where_the_same_is_spoken_of() -> None:
    capacity = made("CSIStorageCapacity", "c", storageClassName="a")
    found = others(made("StorageClass", "a"), made("StorageClass", "b"), capacity)
    assert "CSIStorageCapacity.storageClassName" not in found, "no class is named elsewhere"
    claims = [made("PersistentVolumeClaim", name, spec={"storageClassName": name}) for name in ("a", "b")]
    assert others(*claims, capacity)["CSIStorageCapacity.storageClassName"] == [("a", "b")]


def test_a_number_is_one_of_the_same_thing() -> None:
    device = {"name": "d", "capacity": {"memory": {"requestPolicy": {"validRange": {"max": "4Gi"}}}}}
    request = {"name": "r", "exactly": {"capacity": {"requests": {"memory": "1Gi", "cores": "3"}}}}
    found = others(
        made("ResourceSlice", "s", spec={"devices": [device]}),
        made("ResourceClaim", "c", spec={"devices": {"requests": [request]}}),
    )
    of_request = "ResourceClaim.spec.devices.requests[].exactly.capacity.requests"
    assert found[f"{of_request}.memory"] == [("1Gi", "4Gi")]
    assert f"{of_request}.cores" not in found


def test_a_member_may_come_or_go_as_in_another_object() -> None:
    cordoned = made("Node", "n1", spec={"unschedulable": True})
    history = History((Create(cordoned), Create(made("Node", "n2", spec={}))))
    left_out, added = exchanges(history)["Node.spec.unschedulable"]
    assert left_out.made_in(cordoned)["spec"] == {}
    assert added.made_in(made("Node", "n2", spec={}))["spec"] == {"unschedulable": True}


def test_an_attribute_has_the_member_of_one_type() -> None:
    devices = [
        {"name": "d0", "attributes": {"numa": {"int": 1}}},
        {"name": "d1", "attributes": {"numa": {"string": "1"}}},
    ]
    found = others(made("ResourceSlice", "s", spec={"devices": devices}))
    of_numa = "ResourceSlice.spec.devices[].attributes.numa"
    assert found[of_numa] == [({"int": 1}, {"string": "1"}), ({"string": "1"}, {"int": 1})]
    assert not any(field.startswith(f"{of_numa}.") for field in found)


def test_a_list_is_turned_round_and_takes_an_item_of_another() -> None:
    def taint(key: str) -> Json:
        return {"key": key, "effect": "NoSchedule"}

    two = made("Node", "n1", spec={"taints": [taint("a"), taint("b")]})
    found = others(two, made("Node", "n2", spec={"taints": [taint("c")]}))["Node.spec.taints"]
    new = [other for old, other in found if len(old) == 2]
    assert [taint("b"), taint("a")] in new
    assert [taint("a"), taint("b"), taint("c")] in new
    assert [taint("c"), taint("b"), taint("b")] not in new


def test_names_stay_and_so_does_what_belongs_together() -> None:
    pods = [
        made("Pod", name, spec={"containers": [{"name": name, "resources": {"requests": {"cpu": cpu}}}]})
        for name, cpu in (("p1", "1"), ("p2", "2"))
    ]
    found = others(*pods)
    assert {field for field in found if "name" in field or "cpu" in field} == set()
    assert "Pod.spec.containers[].resources" in found


def drawn(number: int) -> list[History]:
    load_profile()
    strategy = exchanging(of_areas(["taints", "spread", "devices"]))
    return collected(strategy, examples=number, seed="3", name="test")


def test_what_stands_once_in_a_list_does_so_afterwards() -> None:
    for history in drawn(60):
        for step in history.steps:
            if isinstance(step, Create | Update) and step.object["kind"] == "Node":
                given = step.object.get("spec", {}).get("taints", ())
                taints = [(each["key"], each["effect"]) for each in given]
                assert len(taints) == len(set(taints))


def test_an_object_may_be_updated_with_the_other_value() -> None:
    nodes = [made("Node", name, metadata={"name": name, "labels": {"rack": name}}) for name in ("a", "b")]
    history = History((*map(Create, nodes), Schedule(2)))
    (exchange, _) = exchanges(history)["Node.metadata.labels.rack"]
    (updated,) = later(history, exchange)
    assert updated.steps[:3] == history.steps
    assert updated.steps[3:] == (
        Update(made("Node", "a", metadata={"name": "a", "labels": {"rack": "b"}})),
        *(Schedule(), Advance(AFTER_ALL_BACKOFF), Schedule(2)),
    )


def test_what_an_api_server_does_not_let_change_is_not_updated() -> None:
    classes = [made("StorageClass", name, provisioner=name) for name in ("a", "b")]
    history = History((*map(Create, classes), Schedule(2)))
    assert not [*later(history, exchanges(history)["StorageClass.provisioner"][0])]


def test_the_specification_decides_what_is_exchanged() -> None:
    load_profile()
    with connect("refsched.reference") as adapter:
        for area in ("exchanged", "exchanged_newer"):
            for history in collected(AREAS[area](), examples=20, seed="1", name="test"):
                assert not try_history(adapter, history).findings
