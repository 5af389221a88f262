# SPDX-License-Identifier: Apache-2.0
"""Cases of what devices consume: more than one counter of a set, more than one capacity, and more than one set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.vocabulary.devices import (
    DRIVER,
    all_there_are,
    claims_in_turn,
    counters_of_a_pool,
    exactly,
    request,
    resource_slice,
)
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_POOL: Json = {"name": "p", "resourceSliceCount": 2}
_ID = f"device.attributes['{DRIVER}'].id"


def _amounts(**amounts: str) -> Json:
    return {name: {"value": amount} for name, amount in amounts.items()}


def _claims_in_turn(slices: Sequence[Json], *claims: Json) -> History:
    return claims_in_turn(slices, claims, node("", {"cpu": "9", "pods": "9"}))


# --- Counters -------------------------------------------------------------------------------------


def _consuming(name: str, **of_sets: Json) -> Json:
    consumed = [{"counterSet": of, "counters": amounts} for of, amounts in of_sets.items()]
    return {"name": name, "consumesCounters": consumed}


def _counting(sets: dict[str, Json], devices: Sequence[Json]) -> Sequence[Json]:
    """Returns the slice that has the counters of the pool, and the one that has its devices."""
    counted = [{"name": name, "counters": counters} for name, counters in sets.items()]
    return [
        counters_of_a_pool("counters", counted, pool=_POOL),
        resource_slice("s1", devices, pool=_POOL),
    ]


_OF_ONE_SET = _counting(
    {"set": _amounts(cores="1", memory="9")},
    [
        _consuming("d0", set=_amounts(cores="1", memory="1")),
        _consuming("d1", set=_amounts(memory="1", cores="1")),
        _consuming("d2", set=_amounts(memory="1")),
    ],
)
_OF_TWO_SETS = _counting(
    {"many": _amounts(memory="9"), "few": _amounts(memory="1")},
    [
        _consuming("d0", many=_amounts(memory="1"), few=_amounts(memory="1")),
        _consuming("d1", many=_amounts(memory="1"), few=_amounts(memory="1")),
        _consuming("d2", many=_amounts(memory="1")),
    ],
)


def _of_counters() -> Iterator[Case]:
    for name, says, slices in (
        ("two_counters", "two counters of a set", _OF_ONE_SET),
        ("two_sets", "a counter of each of two sets", _OF_TWO_SETS),
    ):
        for when, how, claims in (
            ("at_once", "one claim asks for two devices", ([exactly(2)],)),
            ("in_turn", "three claims ask for one device each", ([exactly(1)], [exactly(1)], [exactly(1)])),
        ):
            yield Case(
                f"devices_that_consume_{name}_{when}",
                f"Of devices that consume {says}, which suffices for one of them, a second is not allocated, and"
                f" what it would have consumed of the others is given back; {how}.",
                _claims_in_turn(slices, *({"requests": [request("r0", asked)]} for asked in claims)),
                ("R-DRA-36",),
            )


# --- Capacities -----------------------------------------------------------------------------------


def _asking(**amounts: str) -> Json:
    return {**exactly(1), "capacity": {"requests": amounts}}


def _of_capacities() -> Iterator[Case]:
    capacity = {"capacity": _amounts(cores="2", memory="9"), "allowMultipleAllocations": True}
    slices = [resource_slice("s1", [{"name": "d0", **capacity}])]
    one, two = _asking(cores="1", memory="1"), _asking(cores="2", memory="1")
    for name, says, claims in (
        ("the_other_is_enough", "one and two of two cores", ([one], [two])),
        ("both_are_enough", "one core twice", ([one], [one])),
        ("two_shares_of_one_claim", "one core twice in one claim, and then once more", ([one, one], [one])),
    ):
        requests = ([request(f"r{place}", [asked]) for place, asked in enumerate(some)] for some in claims)
        yield Case(
            f"capacities_of_a_shared_device_{name}",
            "Each capacity of a device that is shared, and each share of it, counts for what is left of it; claims"
            f" want {says}.",
            _claims_in_turn(slices, *({"requests": each} for each in requests)),
            ("R-DRA-47",),
        )


def _asking_in_turn(cores: Json, *amounts: str) -> History:
    """Claims ask for these amounts of the cores of a device that is shared, one after the other."""
    device = {"name": "d0", "capacity": {"cores": cores}, "allowMultipleAllocations": True}
    claims = ({"requests": [request("r0", [_asking(cores=amount)])]} for amount in amounts)
    return _claims_in_turn([resource_slice("s1", [device])], *claims)


def _of_fractions() -> Iterator[Case]:
    for name, amounts in (("a_whole_and_a_whole", ("1", "1")), ("a_whole_and_a_half", ("1", "500m"))):
        yield Case(
            f"shares_of_one_and_a_half_{name}",
            f"What is left of a capacity of 1500m is exact, also below one; claims want {' and '.join(amounts)}.",
            _asking_in_turn({"value": "1500m"}, *amounts),
            ("R-DRA-47",),
        )


def _of_zeros() -> Iterator[Case]:
    for name, says, policy, asked in (
        ("zero_requested", "claims request 0 of it", {}, _asking(cores="0")),
        ("zero_by_default", "claims request nothing, and its default is 0", {"default": "0"}, exactly(1)),
        ("nothing_requested", "claims request nothing, and it has no default", {}, exactly(1)),
    ):
        cores = {"value": "2", **({"requestPolicy": policy} if policy else {})}
        device = {"name": "d0", "capacity": {"cores": cores}, "allowMultipleAllocations": True}
        claim = {"requests": [request("r0", [asked])]}
        yield Case(
            f"capacity_of_which_{name}",
            f"A share of a device consumes 0 of a capacity where 0 is said, and all where nothing is; {says}.",
            _claims_in_turn([resource_slice("s1", [device])], claim, claim),
            ("R-DRA-46",),
        )


def _two_of_a_device_with_defaults() -> History:
    """Claims want all or some of a device's cores and memory, of which the memory is 2 by default."""
    memory = {"value": "10", "requestPolicy": {"default": "2", "validRange": {"min": "2"}}}
    capacity = {"cores": {"value": "9"}, "memory": memory}
    device = {"name": "d0", "capacity": capacity, "allowMultipleAllocations": True}
    claims = [
        {"requests": [request("r0", [_asking(**asked)])]}
        for asked in ({"cores": "1"}, {"memory": "3"}, {"cores": "1", "memory": "4"}, {"cores": "1"})
    ]
    return _claims_in_turn([resource_slice("s1", [device])], *claims)


_DEFAULTS = Case(
    "defaults_beside_what_is_requested",
    "A share of a device consumes the default of each capacity that it does not request, and all of one that has"
    " none.",
    _two_of_a_device_with_defaults(),
    ("R-DRA-46",),
)


def _in_steps() -> History:
    """Claims ask for amounts within a range, beyond it, between its steps, and for more than can be rounded up."""
    policy = {"default": "2", "validRange": {"min": "2", "step": "4", "max": "10"}}
    amounts = ("1", "2", "3", "9", "10", "11", "14", str(2**63 - 1))
    return _asking_in_turn({"value": "100", "requestPolicy": policy}, *amounts)


def _rounded_up_to_more_than_is_left(asked: str) -> History:
    """A claim takes 8 of 10, and another one asks for an amount that is rounded up to 4."""
    policy = {"default": "4", "validRange": {"min": "4", "step": "4"}}
    return _asking_in_turn({"value": "10", "requestPolicy": policy}, "8", asked)


_ROUNDED: tuple[Case, ...] = tuple(
    Case(
        f"{asked}_of_a_capacity_is_rounded_up_to_more_than_is_left",
        "As much of a capacity must be left as a share consumes, and not only as much as it requests; a claim asks"
        f" for {asked}, consumes 4, and 2 are left.",
        _rounded_up_to_more_than_is_left(asked),
        ("R-DRA-47",),
    )
    for asked in ("1", "2", "3")
)

_STEPS = Case(
    "amounts_in_steps_up_to_a_maximum",
    "An amount is rounded up to the next step of the range, is refused above the maximum, and is an error where it"
    " cannot be rounded up.",
    _in_steps(),
    ("R-DRA-49",),
)


def _all_that_are_large() -> History:
    """A claim wants all devices, and more of a capacity than one of them has."""
    devices = [{"name": f"d{size}", "capacity": _amounts(memory=size)} for size in ("4", "1", "8")]
    wanted = {**all_there_are(), "capacity": {"requests": {"memory": "4"}}}
    return _claims_in_turn([resource_slice("s1", devices)], {"requests": [request("r0", [wanted])]})


_LARGE = Case(
    "all_devices_with_enough_of_a_capacity",
    "A request for all devices is for those alone that have as much of a capacity as it says.",
    _all_that_are_large(),
    ("R-DRA-38",),
)


def _shared_once_the_search_has_given_it_up() -> History:
    """The search tries a share of d0 for the first request, gives it up for d2, and tries one for the second. That
    share needs the counter which d1 needs for the third."""
    shared = {"capacity": _amounts(memory="1"), "allowMultipleAllocations": True}
    of_the_set = {"set": _amounts(slots="1")}
    devices = [{**_consuming("d0", **of_the_set), **shared}, _consuming("d1", **of_the_set), {"name": "d2"}]
    marked = [{**device, "attributes": {"id": {"int": id}}} for id, device in enumerate(devices)]
    requests = [
        request(name, [{**exactly(1), "selectors": [{"cel": {"expression": f"{_ID} {wanted}"}}]}])
        for name, wanted in (("r0", "!= 1"), ("r1", "== 0"), ("r2", "== 1"))
    ]
    return _claims_in_turn(_counting(of_the_set, marked), {"requests": requests})


def _all_but_what_is_used_up() -> History:
    """One claim consumes all memory of a device, and another one wants all devices, and no capacity."""
    shared = {"name": "d0", "capacity": _amounts(memory="10"), "allowMultipleAllocations": True}
    claims = ([_asking(memory="10")], [all_there_are()])
    return _claims_in_turn(
        [resource_slice("s1", [shared, {"name": "d1"}])],
        *({"requests": [request("r0", asked)]} for asked in claims),
    )


_GIVEN_UP = Case(
    "device_that_is_shared_once_the_search_has_given_it_up",
    "The first share of a device consumes its counters, though the search tried and gave up one before.",
    _shared_once_the_search_has_given_it_up(),
    ("R-DRA-36",),
)

_USED_UP = Case(
    "all_devices_but_one_that_is_used_up",
    "The release says whether a request for all devices is for one, too, of which nothing is left to share.",
    _all_but_what_is_used_up(),
)


CASES: tuple[Case, ...] = (
    *_of_counters(),
    *_of_capacities(),
    *_of_fractions(),
    *_of_zeros(),
    _DEFAULTS,
    _STEPS,
    *_ROUNDED,
    _LARGE,
    _GIVEN_UP,
    _USED_UP,
)
