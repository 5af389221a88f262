# SPDX-License-Identifier: Apache-2.0
"""Long searches for devices: whatever is asked for, it is answered, and soon."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import pytest
from device_world import DRIVER, allocator, claim, device, device_class, devices, every, first_of, one, piece
from world import World, configuration, profile, unresolvable

from refsched.devices import search_memory
from refsched.devices.allocator import Allocator
from refsched.devices.errors import AllocationError
from refsched.errors import InputError
from refsched.records import NodeStatus

SAME_MODEL = {"matchAttribute": f"{DRIVER}/model"}
TOO_LONG = "timed out trying to allocate devices"
NUMBER = f"device.attributes['{DRIVER}'].number"


def of_models(number: int, models: int) -> dict[str, Any]:
    return piece("s1", *(device(f"d{i}", model=i % models, number=i) for i in range(number)))


def eights(**more: Any) -> dict[str, Any]:
    return claim("c", *(one(f"r{i}", count=8) for i in range(4)), **more)


@pytest.mark.parametrize("models", [2, 3, 4, 8, 16, 64])
def test_four_requests_of_eight_devices_that_must_match_are_answered_soon(models: int) -> None:
    began = time.process_time()

    found = devices(allocator(of_models(64, models)), eights(constraints=[SAME_MODEL]))

    assert (found is not None) is (models == 2)
    assert time.process_time() - began < 30


def test_devices_that_are_found_after_a_long_search_are_the_first_that_there_are() -> None:
    """Eight requests, of which the last needs the device that comes first."""
    last = one("last", f"{NUMBER} == 0")
    requests = [*(one(f"r{i}") for i in range(6)), last]

    [found] = devices(allocator(of_models(9, 1)), claim("c", *requests))

    assert found == [*(f"r{i}=s1/d{i + 1}" for i in range(6)), "last=s1/d0"]


def puzzle(size: int) -> dict[str, Any]:
    """Requests of which no two can have the same devices, one more than there are devices for."""
    asked = [one(f"r{i}", f"{NUMBER} != {i}") for i in range(size)]
    return claim("c", *asked, one("last", f"{NUMBER} == {size}"), one("more", f"{NUMBER} == {size}"))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is given up after a tenth of the devices that it may choose otherwise."""
    monkeypatch.setattr(search_memory, "MAX_CHOSEN", search_memory.MAX_CHOSEN // 10)


def asking_for_the_impossible(world: World) -> None:
    world.node("n1")
    for each in (device_class(), of_models(21, 1), puzzle(20)):
        world.create(each)
    world.pod("p", resourceClaims=[{"name": "g", "resourceClaimName": "c"}])


@pytest.mark.usefixtures("soon")
def test_a_search_that_is_given_up_is_an_error(world: World) -> None:
    asking_for_the_impossible(world)

    [status] = (world.schedule().filter or {}).values()

    reason = f'running "DynamicResources" filter plugin: node n1: {TOO_LONG}'
    assert status == NodeStatus("Error", "DynamicResources", (reason,))


@pytest.mark.usefixtures("soon")
def test_in_v1_34_a_node_on_which_the_search_was_given_up_is_not_feasible() -> None:
    world = World(kubernetes="1.34")
    asking_for_the_impossible(world)

    [status] = (world.schedule().filter or {}).values()

    assert status == unresolvable("DynamicResources", TOO_LONG)


@pytest.mark.usefixtures("soon")
def test_without_filter_timeout_such_a_search_is_not_specified() -> None:
    args = {"name": "DynamicResources", "args": {"filterTimeout": "0s"}}
    world = World(configuration({**profile(), "pluginConfig": [args]}))
    asking_for_the_impossible(world)

    with pytest.raises(InputError, match=r"ResourceClaim default/c: the search for devices tries more than"):
        world.schedule()


# --- What is remembered changes nothing -----------------------------------------------------------


@pytest.mark.no_cover
@pytest.mark.parametrize("release", ["1.34", "1.37"])
@pytest.mark.parametrize("seed", range(10))
def test_a_search_that_remembers_finds_what_one_that_does_not_finds(
    seed: int, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """v1.34 looks for the later ones of all devices of an alternative under the first alternative."""
    draw = random.Random(seed)
    for _ in range(40):
        slices, claims = _drawn_slice(draw), [_drawn_claim(draw, name) for name in ("a", "b")]
        made = allocator(slices, in_use=["s1/d1"] if draw.random() < 0.3 else [], release=release)

        monkeypatch.setattr(search_memory, "LONG", 10**9)
        without = _found_or_error(made, claims)
        monkeypatch.setattr(search_memory, "LONG", 0)
        if without != TOO_LONG:
            assert _found_or_error(made, claims) == without


@pytest.mark.parametrize(
    ("release", "found"),
    [
        ("1.34", [["r0/y=s1/d1", "r0/y=s1/d5"], ["r0/y=s1/d0"]]),
        ("1.37", [["r0/z=s1/d2"], ["r0/y=s1/d0", "r0/y=s1/d1", "r0/y=s1/d5"]]),
    ],
)
def test_the_devices_of_an_alternative_for_all_are_told_apart(
    release: str, found: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """v1.34 looks for the later ones of them under the first alternative, and so takes d0 alone."""
    monkeypatch.setattr(search_memory, "LONG", 0)
    some, none = f"{NUMBER} in [0, 1, 5]", f"{NUMBER} == 99"
    slices = of_models(6, 1)
    first = claim(
        "a", first_of("r0", one("x", count=7), one("y", some, count=2), one("z", f"{NUMBER} in [0, 1, 2, 5]"))
    )
    second = claim("b", first_of("r0", one("x", none), every("y", some)))

    assert devices(allocator(slices, release=release), first, second) == found


def test_a_request_for_all_devices_fails_by_the_constraint_that_it_meets_first() -> None:
    """Six devices are too few for two of the alternatives. With the third, the request for all devices meets a
    device in use if the first device was chosen, and another parity if a later one was."""
    pieces = [piece(f"s{i}", device("d0", parity=0), device("d1", parity=1)) for i in range(3)]
    nine = [one(name, count=9) for name in ("a0", "a1")]
    same = {"matchAttribute": f"{DRIVER}/parity", "requests": ["r0/a1", "r1"]}
    wanted = claim("c", first_of("r0", *nine, one("a2")), every("r1"), constraints=[same])

    with pytest.raises(AllocationError, match="s0/d1 because a claim constraint would not be satisfied"):
        devices(allocator(*pieces), wanted)


def _found_or_error(made: Allocator, claims: Sequence[Any]) -> object:
    try:
        return devices(made, *claims)
    except AllocationError as problem:
        return str(problem)


def _drawn_slice(draw: random.Random) -> dict[str, Any]:
    return piece(
        "s1",
        *(
            device(f"d{i}", model=draw.randint(0, 2), numa=draw.randint(0, 1), number=i)
            for i in range(draw.randint(3, 8))
        ),
    )


def _drawn_claim(draw: random.Random, name: str) -> dict[str, Any]:
    def request(name: str, most: int = 2) -> dict[str, Any]:
        expressions = draw.choice([(), (), (f"{NUMBER} < 3",), (f"{NUMBER} % 2 == 0",)])
        return one(name, *expressions, count=draw.randint(1, most))

    first = first_of("r0", request("x", 3), request("y", 1)) if draw.random() < 0.3 else request("r0")
    if draw.random() < 0.2:
        first = first_of("r0", one("x", f"{NUMBER} == 99"), every("y", f"{NUMBER} < 3"))
    if draw.random() < 0.2:
        first = draw.choice([one("r0", adminAccess=True), every("r0", f"{NUMBER} == 2")])
    names = [name for name in ("model", "numa") if draw.random() < 0.5]
    of = draw.choice([{}, {"requests": ["r1", "r2"]}])
    same = [{"matchAttribute": f"{DRIVER}/{name}", **of} for name in names]
    second = every("r1") if draw.random() < 0.2 else request("r1")
    return claim(name, first, second, request("r2", 1), constraints=same)
