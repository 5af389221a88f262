# SPDX-License-Identifier: Apache-2.0
"""What is behind an alpha gate that is off is refused with the name of the gate."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import claim, device, device_class, first_of, one, piece
from world import pod_object

from refsched.errors import InputError
from refsched.objects.kinds import KINDS
from refsched.reading.alpha_fields import _FIELDS
from refsched.reading.api_fields import api_fields, type_of
from refsched.reading.objects import read_object
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release

TEMPLATE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "t", "namespace": "default"},
    "spec": {"spec": claim("c", one(tolerations=[{"operator": "Exists"}]))["spec"]},
}
SHARED = {"allocation": {"devices": {"results": [{"request": "r", "shareID": "1"}]}}}
POLICY = {"memory": {"value": "1Gi", "requestPolicy": {"default": "1Gi"}}}


@pytest.mark.parametrize(
    ("value", "gate", "where"),
    [
        (
            claim("c", one(capacity={"requests": {"memory": "1Gi"}})),
            "DRAConsumableCapacity",
            "spec.devices.requests[0].exactly.capacity",
        ),
        (
            claim("c", first_of("r", one("a"), one("b", tolerations=[{"operator": "Exists"}]))),
            "DRADeviceTaints",
            "spec.devices.requests[0].firstAvailable[1].tolerations",
        ),
        (
            claim("c", one(), constraints=[{"distinctAttribute": "a/b"}]),
            "DRAConsumableCapacity",
            "spec.devices.constraints[0].distinctAttribute",
        ),
        (
            claim("c", one(), status=SHARED),
            "DRAConsumableCapacity",
            "status.allocation.devices.results[0].shareID",
        ),
        (TEMPLATE, "DRADeviceTaints", "spec.spec.devices.requests[0].exactly.tolerations"),
        (
            piece("s", device("d"), device("e", consumesCounters=[{"counterSet": "s"}])),
            "DRAPartitionableDevices",
            "spec.devices[1].consumesCounters",
        ),
        (
            piece("s", node="", perDeviceNodeSelection=True),
            "DRAPartitionableDevices",
            "spec.perDeviceNodeSelection",
        ),
        (
            piece("s", device("d", bindingConditions=["ready"])),
            "DRADeviceBindingConditions",
            "spec.devices[0].bindingConditions",
        ),
        (
            piece("s", {**device("d"), "capacity": POLICY}),
            "DRAConsumableCapacity",
            "spec.devices[0].capacity[memory].requestPolicy",
        ),
        (device_class(extendedResourceName="a.b/c"), "DRAExtendedResource", "spec.extendedResourceName"),
        (
            {**pod_object("p"), "status": {"extendedResourceClaimStatus": {"resourceClaimName": "c"}}},
            "DRAExtendedResource",
            "status.extendedResourceClaimStatus",
        ),
    ],
)
def test_an_object_that_uses_it_is_refused(value: dict[str, Any], gate: str, where: str) -> None:
    check_refused(value, gate, where, RELEASES["1.34"])
    assert read_object(value, DEFAULT).metadata.name == value["metadata"]["name"]


@pytest.mark.parametrize(
    ("value", "gate", "where"),
    [
        (
            claim("c", one(derivedAttributes=[{"name": "a"}])),
            "DRADerivedAttributes",
            "spec.devices.requests[0].exactly.derivedAttributes",
        ),
        (
            piece("s", {**device("d"), "attributes": {"a": {"strings": ["x", "y"]}}}),
            "DRAListTypeAttributes",
            "spec.devices[0].attributes[a].strings",
        ),
        (
            piece("s", device("d"), device("e", nodeAllocatableResources={"cpu": "1"})),
            "DRANodeAllocatableResources",
            "spec.devices[1].nodeAllocatableResources",
        ),
        (piece("s", skipNodeOperations=["*"]), "DRAOptionalNodeOperations", "spec.skipNodeOperations"),
    ],
)
def test_an_object_that_uses_what_is_off_in_every_release_is_refused(
    value: dict[str, Any], gate: str, where: str
) -> None:
    for release in (DEFAULT, RELEASES["1.34"]):
        check_refused(value, gate, where, release)


def test_of_a_field_that_is_read_a_part_may_be_refused() -> None:
    consumed = {"counterSet": "s", "counters": {"c": {"value": "1"}}, "compatibilityGroups": ["a"]}
    value = piece("s", device("d", consumesCounters=[consumed]))
    where = "spec.devices[0].consumesCounters[0].compatibilityGroups"
    check_refused(value, "DRADeviceCompatibilityGroups", where, DEFAULT)


def check_refused(value: dict[str, Any], gate: str, where: str, release: Release) -> None:
    with pytest.raises(InputError) as refused:
        read_object(value, release)

    assert refused.value.problem == f"is behind the feature gate {gate}, which is off in {release.name}"
    assert refused.value.field == where


def test_what_says_nothing_is_not_used() -> None:
    said = piece("s", device("d", consumesCounters=[], bindsToNode=False), perDeviceNodeSelection=None)

    assert read_object(said, RELEASES["1.34"]) == read_object(piece("s", device("d")))


def test_each_path_leads_to_a_field_of_the_api() -> None:
    types = {kind.name: type_of(kind) for kind in KINDS}
    paths = [(name, path) for kinds in _FIELDS.values() for name in kinds for path in kinds[name]]
    for name, path in paths:
        type_ = types[name]
        for step in path.split("."):
            fields = api_fields()[type_]
            assert step.removesuffix("[]") in fields, f"{name} {path}"
            type_ = fields[step.removesuffix("[]")].removeprefix("[]").removeprefix("{}")


def test_the_gates_are_off_in_some_release_and_cannot_be_set() -> None:
    for gate in _FIELDS:
        known = [release.gates[gate] for release in RELEASES.values() if gate in release.gates]
        assert False in {each.default for each in known}
        assert {each.otherwise for each in known} == {None}


def test_what_a_release_has_by_default_is_read() -> None:
    tainted = piece("s", {**device("d"), "taints": [{"key": "a", "effect": "NoSchedule"}]})

    read_object(tainted, RELEASES["1.36"])
    with pytest.raises(InputError) as refused:
        read_object(tainted, RELEASES["1.35"])
    assert "DRADeviceTaints" in refused.value.problem
