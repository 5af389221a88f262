# SPDX-License-Identifier: Apache-2.0
"""Cases of attributes of devices: which values two devices have in common, for either kind of constraint,
and which of them count."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from conformance.vocabulary.devices import DRIVER, ONE, claims_in_turn, exactly, request, resource_slice
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_VALUES: tuple[Json, ...] = (
    {"int": 1},
    {"int": 2},
    {"string": "1"},
    {"string": "1.0.0"},
    {"version": "1.0.0"},
    {"version": "2.0.0"},
    {"bool": True},
    {"bool": False},
    {"string": "true"},
)


def _two_of_each(constraint: Json) -> History:
    """Of each two values there is a device each, and a claim for both under the constraint. All devices are in one
    slice: before v1.36 the order of slices would decide, of which there would be very many."""
    devices: list[Json] = []
    claims: list[Json] = []
    for pair, values in enumerate(combinations_with_replacement(_VALUES, 2)):
        for place, value in enumerate(values):
            attributes = {"of": {"int": pair}, "value": value}
            devices.append({"name": f"d{pair}-{place}", "attributes": attributes})
        of_the_pair = {"cel": {"expression": f"device.attributes['{DRIVER}'].of == {pair}"}}
        asked = {**exactly(2), "selectors": [of_the_pair]}
        claims.append({"requests": [request("r0", [asked])], "constraints": [constraint]})
    return claims_in_turn([resource_slice("s1", devices)], claims, node("", {"cpu": "99", "pods": "99"}))


def _selected_by_the_class_first() -> History:
    """A class selects the devices that have an attribute, and a claim those in which it is large."""
    attributes = f"device.attributes['{DRIVER}']"
    has_size = [{"cel": {"expression": f"'size' in {attributes}"}}]
    is_large = [{"cel": {"expression": f"{attributes}.size > 1"}}]
    devices: list[Json] = [{"name": "d1"}, {"name": "d2", "attributes": {"size": {"int": 2}}}]
    claim = {"requests": [request("r0", [{**exactly(1), "selectors": is_large}])]}
    return claims_in_turn([resource_slice("s1", devices)], [claim], selectors=has_size)


_ONE_FALSE, _ONE_FAILS = "false", f"device.attributes['{DRIVER}'].missing == 1"


def _selected_by(whose: str, *expressions: str) -> History:
    """A class, or a request, has these selectors, and there is one device, without attributes."""
    selectors: Json = {"selectors": [{"cel": {"expression": expression}} for expression in expressions]}
    nothing: Json = {}
    of_request, of_class = (selectors, nothing) if whose == "request" else (nothing, selectors)
    claim = {"requests": [request("r0", [{**exactly(1), **of_request}])]}
    return claims_in_turn([resource_slice("s1", [{"name": "d0"}])], [claim], **of_class)


def _refused_by_the_second_constraint() -> History:
    """The first device has only one of two attributes in which a claim's device must agree with itself."""
    devices: list[Json] = [
        {"name": "d0", "attributes": {"x": {"int": 1}}},
        {"name": "d1", "attributes": {"x": {"int": 2}, "y": {"int": 5}}},
    ]
    constraints = [{"requests": ["r0"], "matchAttribute": f"{DRIVER}/{name}"} for name in "xy"]
    return claims_in_turn([resource_slice("s1", devices)], [{**ONE, "constraints": constraints}])


def _under(constraint: Json, name: str, *values: int) -> History:
    """A claim wants as many devices as there are, which have these values of an attribute, under a constraint."""
    devices = [
        {"name": f"d{place}", "attributes": {name: {"int": value}}} for place, value in enumerate(values)
    ]
    of_all = {"requests": ["r0"], **constraint}
    claim = {"requests": [request("r0", [exactly(len(values))])], "constraints": [of_all]}
    return claims_in_turn([resource_slice("s1", devices)], [claim])


def _selected_by_two_domains(*names: str) -> History:
    """A device has these attributes, and a selector asks for each of them in its domain."""
    parts = (name.rpartition("/") for name in names)
    asked = (f"device.attributes['{domain or DRIVER}'].{identifier} == 1" for domain, _, identifier in parts)
    selectors = [{"cel": {"expression": expression}} for expression in asked]
    devices: list[Json] = [{"name": "d0", "attributes": {name: {"int": 1} for name in names}}]
    claim = {"requests": [request("r0", [{**exactly(1), "selectors": selectors}])]}
    return claims_in_turn([resource_slice("s1", devices)], [claim])


def _given_up(*counts: int) -> History:
    """Requests for so many devices each, which are to be distinct, come before one that only the second of three
    devices matches; the second and the third have the same value."""
    devices = [
        {"name": f"d{place}", "attributes": {"x": {"int": value}, "place": {"int": place}}}
        for place, value in enumerate((0, 1, 1))
    ]
    second = {"cel": {"expression": f"device.attributes['{DRIVER}'].place == 1"}}
    requests = [request(f"r{place}", [exactly(count)]) for place, count in enumerate(counts)]
    names = [each["name"] for each in requests]
    last = request("last", [{**exactly(1), "selectors": [second]}])
    constraint = {"requests": names, "distinctAttribute": f"{DRIVER}/x"}
    claim = {"requests": [*requests, last], "constraints": [constraint]}
    return claims_in_turn([resource_slice("s1", devices)], [claim])


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"distinct_device_that_is_given_up_of_{len(counts)}_requests",
            "The value of a device that the search gave up does not count any more for devices that are to be"
            f" distinct; {says} for them.",
            _given_up(*counts),
            ("R-DRA-31", "R-DRA-102"),
        )
        for says, counts in (("one request asks", (2,)), ("two requests ask", (1, 1)))
    ),
    *(
        Case(
            f"attribute_of_the_driver_listed_{'last' if '/' in names[0] else 'first'}",
            "A selector finds an attribute without a domain in that of the driver, whatever attributes there are"
            f" besides; the device has {names[0]} and {names[1]}.",
            _selected_by_two_domains(*names),
            ("R-DRA-70",),
        )
        for names in (("a.io/x", "y"), ("y", "z.io/x"))
    ),
    Case(
        "device_that_the_second_constraint_refuses",
        "A device that a constraint refuses does not count for the constraints that were asked before.",
        _refused_by_the_second_constraint(),
        ("R-DRA-58",),
    ),
    *(
        Case(
            f"attribute_of_the_domain_{'_'.join(domain.split('.'))}",
            f"An attribute without a domain is of the domain of its driver, {DRIVER}, and of no other one; a"
            f" constraint names it with {domain}.",
            _under({"matchAttribute": f"{domain}/numa"}, "numa", 1, 1),
            ("R-DRA-32",),
        )
        for domain in (DRIVER, DRIVER.partition(".")[2], f"a.{DRIVER}")
    ),
    *(
        Case(
            f"distinct_devices_of_the_values_{'_'.join(map(str, values))}",
            f"A device has to be distinct from every device before it; the values are {values[0]}, {values[1]} and"
            f" {values[2]}.",
            _under({"distinctAttribute": f"{DRIVER}/x"}, "x", *values),
            ("R-DRA-31",),
        )
        for values in ((1, 2, 2), (1, 2, 1))
    ),
    Case(
        "selectors_of_the_class_come_first",
        "The selectors of a request are evaluated only for devices that those of its class select.",
        _selected_by_the_class_first(),
        ("R-DRA-40",),
    ),
    *(
        Case(
            f"selector_of_a_{whose}_{name}",
            "Selectors are evaluated until one does not match, so that what fails after it is no error; of a"
            f" {whose} {says} first.",
            _selected_by(whose, *expressions),
            ("R-DRA-41",) if expressions[0] == _ONE_FAILS else ("R-DRA-40",),
        )
        for whose in ("request", "class")
        for name, says, expressions in (
            (
                "fails_after_one_that_does_not_match",
                "one that does not match comes",
                (_ONE_FALSE, _ONE_FAILS),
            ),
            ("fails_before_one_that_does_not_match", "the one that fails comes", (_ONE_FAILS, _ONE_FALSE)),
        )
    ),
    *(
        Case(
            f"{name}_of_two_values_of_any_type",
            f"Two devices {says} an attribute if the types and the values are the same.",
            _two_of_each({member: f"{DRIVER}/value"}),
            (rule,),
        )
        for member, name, says, rule in (
            ("matchAttribute", "match", "agree on", "R-DRA-30"),
            ("distinctAttribute", "distinction", "are not distinct in", "R-DRA-31"),
        )
    ),
)
