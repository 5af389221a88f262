# SPDX-License-Identifier: Apache-2.0
"""Cases of ResourceSlices: which nodes reach a slice, which devices may be allocated together, and how many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    EVERYWHERE,
    Asked,
    all_there_are,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import ZONE, node
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _allocating(
    devices: Sequence[Json], *claims: Json, where: Json = EVERYWHERE, nodes: Sequence[Json] = ({},)
) -> History:
    """Returns one slice, nodes with these labels, and a pod with these claims."""
    return _allocating_from([resource_slice("s1", devices, where)], *claims, nodes=nodes)


def _allocating_from(slices: Sequence[Json], *claims: Json, nodes: Sequence[Json] = ({},)) -> History:
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), *slices)
    for labels in nodes:
        cluster.add_node(node("", labels=labels))
    names = [f"c{number}" for number in range(len(claims))]
    cluster.add(*map(resource_claim, names, claims))
    cluster.add_pod(claim_user(*names))
    cluster.schedule()
    return cluster.history()


def _claim(*requests: Asked, **more: Any) -> Json:
    return {"requests": [request(f"r{place}", asked) for place, asked in enumerate(requests)], **more}


# --- Which nodes reach a slice --------------------------------------------------------------------


def _condition(operator: str, *values: str, key: str = ZONE) -> Json:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def _selector(*expressions: Json, **more: Json) -> Json:
    term = {
        **({"matchExpressions": list(expressions)} if expressions else {}),
        **{name: [each] for name, each in more.items()},
    }
    return {"nodeSelector": {"nodeSelectorTerms": [term]}}


_SECOND = _condition("In", "n2", key="metadata.name")
_WHERE: dict[str, tuple[str, Json]] = {
    "all_nodes": ("is for all nodes", EVERYWHERE),
    "one_node": ("names a node", {"nodeName": "n2"}),
    "absent_node": ("names a node that does not exist", {"nodeName": "n9"}),
    "in_one_zone": ("selects nodes of one zone", _selector(_condition("In", "a"))),
    "in_two_zones": ("selects nodes of two zones", _selector(_condition("In", "b", "a"))),
    "in_absent_zone": ("selects a zone that no node has", _selector(_condition("In", "c"))),
    "not_in_zone": ("selects nodes that are not in a zone", _selector(_condition("NotIn", "a"))),
    "zone_exists": ("selects nodes with a zone label", _selector(_condition("Exists"))),
    "zone_does_not_exist": ("selects nodes without a zone label", _selector(_condition("DoesNotExist"))),
    "two_expressions": (
        "selects nodes that match two expressions",
        _selector(_condition("In", "a"), _condition("Exists", key="rack")),
    ),
    "field": ("selects a node by its name", _selector(matchFields=_SECOND)),
    "expression_and_field": (
        "selects nodes by a label and by a name that no node has together",
        _selector(_condition("In", "a"), matchFields=_SECOND),
    ),
}
_NODES: tuple[Json, ...] = ({ZONE: "a"}, {ZONE: "b"}, {}, {ZONE: "a", "rack": "1"})


def _reached() -> Iterator[Case]:
    for name, (says, where) in _WHERE.items():
        yield Case(
            f"slice_{name}",
            f"A pod that needs a device goes where the only slice reaches, and that slice {says}.",
            _allocating([{"name": "d0"}], _claim([exactly(1)]), where=where, nodes=_NODES),
            ("R-DRA-25",),
        )


# --- Which devices may be allocated together ------------------------------------------------------

_NAMED = f"{DRIVER}/numa"
_ONE: Json = {"numa": {"int": 1}}
_TWO: Json = {"numa": {"int": 2}}
_SAME = [{"matchAttribute": _NAMED}]
_SAME_OF_OTHER = [{"matchAttribute": "other.com/numa"}]


def _devices(*attributes: Json) -> list[Json]:
    return [{"name": f"d{place}", "attributes": each} for place, each in enumerate(attributes)]


_ATTRIBUTES: dict[str, tuple[str, tuple[Json, ...]]] = {
    "first_without_attribute": ("the first of three devices lacks the attribute", ({}, _ONE, _ONE)),
    "second_without_attribute": ("the second of three devices lacks the attribute", (_ONE, {}, _ONE)),
    "only_one_with_the_value": ("no two of three devices have one value", (_ONE, {}, _TWO)),
    "second_with_another_value": ("the second of three devices has another value", (_ONE, _TWO, _ONE)),
    "integer_and_string": ("one value is an integer and one a string", (_ONE, {"numa": {"string": "1"}})),
    "boolean_and_integer": ("one value is a boolean and one an integer", ({"numa": {"bool": True}}, _ONE)),
    "equal_versions": ("both values are the same version", ({"numa": {"version": "1.0.0"}},) * 2),
    "version_and_string": (
        "one value is a version and one a string of the same text",
        ({"numa": {"version": "1.0.0"}}, {"numa": {"string": "1.0.0"}}),
    ),
    "qualified_name": ("one device has the attribute by its qualified name", ({_NAMED: {"int": 1}}, _ONE)),
    "name_of_another_domain": (
        "one device has the attribute in another domain",
        ({"other.com/numa": {"int": 1}}, _ONE),
    ),
    "another_attribute": (
        "both devices have another attribute only",
        ({"model": {"int": 1}}, {"model": {"int": 1}}),
    ),
    "both_false": ("both values are false", ({"numa": {"bool": False}}, {"numa": {"bool": False}})),
}


def _constrained(name: str, says: str, devices: Sequence[Json], *claims: Json) -> Case:
    return Case(f"match_attribute_{name}", says, _allocating(devices, *claims), ("R-DRA-30",))


def _together() -> Iterator[Case]:
    two, each = _claim([exactly(2)], constraints=_SAME), _claim([exactly(1)], [exactly(1)], constraints=_SAME)
    for name, (says, attributes) in _ATTRIBUTES.items():
        whole = f"Two devices must agree on an attribute, where {says}."
        yield _constrained(name, whole, _devices(*attributes), two)
    yield _constrained(
        "of_two_requests",
        "Devices of two requests must agree on an attribute, where the second of three has another value.",
        _devices(_ONE, _TWO, _ONE),
        each,
    )
    first_only = [{"matchAttribute": _NAMED, "requests": ["r0"]}]
    yield _constrained(
        "of_one_request_only",
        "A constraint that names one request does not bind the device of the other request.",
        _devices(_ONE, _TWO),
        _claim([exactly(1)], [exactly(1)], constraints=first_only),
    )
    yield _constrained(
        "after_another_claim",
        "A second claim is constrained, so the first claim must leave it the two devices that agree.",
        _devices(_ONE, {}, _ONE),
        _claim([exactly(1)]),
        two,
    )
    of_other = (
        ("qualified", "in that domain", ({"other.com/numa": {"int": 1}},) * 2),
        ("unqualified", "without a domain, which means the driver's", (_ONE, _ONE)),
        ("of_the_driver", "in the driver's domain", ({_NAMED: {"int": 1}},) * 2),
    )
    for name, says, attributes in of_other:
        yield _constrained(
            f"of_another_domain_{name}",
            f"A constraint on an attribute of another domain finds devices that have it {says}.",
            _devices(*attributes),
            _claim([exactly(2)], constraints=_SAME_OF_OTHER),
        )
    both = [*_SAME, {"matchAttribute": f"{DRIVER}/model"}]
    for models in ((1, 1, 1), (1, 2, 1), (1, 2, 2)):
        yield _constrained(
            f"two_constraints_models_{'_'.join(map(str, models))}",
            f"Two devices must agree on two attributes, of which the second one's values are {models}.",
            _devices(*({**_ONE, "model": {"int": model}} for model in models)),
            _claim([exactly(2)], constraints=both),
        )


# --- How many devices a claim may hold ------------------------------------------------------------

_ALL = all_there_are()
_ALL_OF_TWO = all_there_are(f"device.attributes['{DRIVER}'].is_one_of_few")
"""There are two devices that it selects."""

_SIZES: tuple[tuple[str, str, int, tuple[Json, ...]], ...] = (
    ("exactly_32", "asks for 32 devices", 33, (_claim([exactly(32)]),)),
    ("exactly_33", "asks for 33 devices", 33, (_claim([exactly(33)]),)),
    ("exactly_33_of_32", "asks for one device more than there are", 32, (_claim([exactly(33)]),)),
    ("all_of_32", "asks for all of 32 devices", 32, (_claim([_ALL]),)),
    ("all_of_33", "asks for all of 33 devices", 33, (_claim([_ALL]),)),
    ("16_and_16", "asks for 32 devices in two requests", 33, (_claim([exactly(16)], [exactly(16)]),)),
    ("16_and_17", "asks for 33 devices in two requests", 33, (_claim([exactly(16)], [exactly(17)]),)),
    ("30_and_all_of_2", "asks for 30 devices and all of two", 33, (_claim([exactly(30)], [_ALL_OF_TWO]),)),
    ("31_and_all_of_2", "asks for 31 devices and all of two", 33, (_claim([exactly(31)], [_ALL_OF_TWO]),)),
    (
        "31_and_all_of_2_or_1",
        "asks for 31 devices and for all of two or else one",
        33,
        (_claim([exactly(31)], [_ALL_OF_TWO, exactly(1)]),),
    ),
    (
        "30_and_all_of_2_or_1",
        "asks for 30 devices and for all of two or else one",
        33,
        (_claim([exactly(30)], [_ALL_OF_TWO, exactly(1)]),),
    ),
    ("all_of_32_or_1", "asks for all of 32 devices or else one", 32, (_claim([_ALL, exactly(1)]),)),
    ("all_of_33_or_1", "asks for all of 33 devices or else one", 33, (_claim([_ALL, exactly(1)]),)),
    ("33_or_2", "asks for 33 devices or else two", 33, (_claim([exactly(33), exactly(2)]),)),
    (
        "17_or_16_and_16",
        "asks for 17 or else 16 devices and for 16 more",
        33,
        (_claim([exactly(17), exactly(16)], [exactly(16)]),),
    ),
    (
        "16_and_17_or_16",
        "asks for 16 devices and for 17 or else 16 more",
        33,
        (_claim([exactly(16)], [exactly(17), exactly(16)]),),
    ),
    (
        "17_or_16_twice",
        "asks twice for 17 or else 16 devices",
        33,
        (_claim([exactly(17), exactly(16)], [exactly(17), exactly(16)]),),
    ),
    ("33_or_all_of_33", "asks for 33 devices or else for all of 33", 33, (_claim([exactly(33), _ALL]),)),
    (
        "all_or_33_or_all_of_2",
        "asks for all of 33 devices or else 33 or else all of two",
        33,
        (_claim([_ALL, exactly(33), _ALL_OF_TWO]),),
    ),
    (
        "1_then_all_or_33_or_all_of_2",
        "follows one for a single device and asks for all or else 33 or else all of two",
        33,
        (_claim([exactly(1)]), _claim([_ALL, exactly(33), _ALL_OF_TWO])),
    ),
    (
        "31_then_2",
        "follows one for 31 devices and asks for two",
        33,
        (_claim([exactly(31)]), _claim([exactly(2)])),
    ),
    (
        "1_then_33",
        "follows one for a single device and asks for 33",
        33,
        (_claim([exactly(1)]), _claim([exactly(33)])),
    ),
    (
        "32_then_32",
        "follows one for 32 devices and asks for as many",
        65,
        (_claim([exactly(32)]), _claim([exactly(32)])),
    ),
)
"""A name, what the last claim does, how many devices there are, and the claims of the pod. None of them leads to a
search through all orders of many devices."""


def _sized() -> Iterator[Case]:
    for name, says, size, claims in _SIZES:
        attributes = ({"is_one_of_few": {"bool": number >= size - 2}} for number in range(size))
        yield Case(
            f"claim_size_{name}",
            f"A claim that {says} is allocated, or fails, by how many devices a claim may hold.",
            _allocating(_devices(*attributes), *claims),
        )


# --- Generations of a pool ------------------------------------------------------------------------


_OTHER_DRIVER: Json = {"driver": "other.example.com"}


def _of_another_driver(value: Json) -> Json:
    return {**value, "spec": {**value["spec"], **_OTHER_DRIVER}}


def _generations() -> Iterator[Case]:
    for name, says, numbers in (("newer_first", "older", (2, 1)), ("older_first", "newer", (1, 2))):
        slices = [
            resource_slice(f"s{place}", [{"name": f"of{number}"}], pool={"name": "p", "generation": number})
            for place, number in enumerate(numbers)
        ]
        yield Case(
            f"pool_generations_{name}",
            "A claim for two devices fails, since the pool has one device in each of two generations, of which "
            f"the {says} was published last.",
            _allocating_from(slices, _claim([exactly(2)])),
            ("R-DRA-20",),
        )
        yield Case(
            f"pool_generations_of_two_drivers_{name}",
            "A claim for two devices is served by two drivers whose pools have one name, though one of them is of"
            f" an older generation; the {says} one was published last.",
            _allocating_from([slices[0], _of_another_driver(slices[1])], _claim([exactly(2)])),
        )


def _out_of_reach() -> Iterator[Case]:
    for count in (1, 2, 3):
        slices = [
            resource_slice(
                f"s{number}",
                [{"name": f"d{number}"}],
                {"nodeName": f"n{number}"},
                {"name": "p", "resourceSliceCount": count},
            )
            for number in (1, 2)
        ]
        yield Case(
            f"pool_of_two_slices_that_states_{count}",
            "A pool is complete if it has as many slices as it states, either of those that the node reaches or of"
            f" all; of two slices each is for another node, and the pool states {count}.",
            _allocating_from(slices, _claim([all_there_are()]), nodes=({}, {})),
            ("R-DRA-43",),
        )


_BEYOND: dict[str, tuple[str, Json]] = {
    "of_another_driver": ("of a pool of this name that another driver publishes", _OTHER_DRIVER),
    "of_another_pool": ("of another pool of this driver", {"name": "q"}),
    "of_an_older_generation": ("of an older generation of the pool", {"generation": 1}),
    "of_a_newer_generation": ("of a newer generation of the pool", {"generation": 3}),
    "of_the_same_generation": ("of the same generation of the pool", {}),
}
"""What the slice is that the pod's node does not reach."""


def _with_a_slice_beyond(more: Json, count: int, asked: Json) -> History:
    """The pool states one slice or two, and the only node reaches one."""
    stated = {"name": "p", "generation": 2, "resourceSliceCount": count}
    there = resource_slice("s1", [{"name": "d1"}], {"nodeName": "n1"}, stated)
    pool = {**stated, **{name: value for name, value in more.items() if name != "driver"}}
    beyond = resource_slice("s2", [{"name": "d2"}], {"nodeName": "n9"}, pool)
    whose = _of_another_driver(beyond) if "driver" in more else beyond
    return _allocating_from([there, whose], _claim([asked]))


def _beyond() -> Iterator[Case]:
    for name, (says, more) in _BEYOND.items():
        for count in (1, 2):
            yield Case(
                f"slice_out_of_reach_{name}_of_a_pool_that_states_{count}",
                "A pod that asks for all devices goes to a node if the pool is complete there, or with the slices"
                f" of its generation elsewhere; a slice elsewhere is {says}, and the pool states {count}.",
                _with_a_slice_beyond(more, count, all_there_are()),
            )
        yield Case(
            f"one_device_with_a_slice_out_of_reach_{name}",
            "A pod that asks for one device goes to a node that reaches part of the pool, unless that part is old;"
            f" a slice elsewhere is {says}.",
            _with_a_slice_beyond(more, 2, exactly(1)),
        )


CASES: tuple[Case, ...] = (
    *_out_of_reach(),
    *_beyond(),
    *_reached(),
    *_together(),
    *_sized(),
    *_generations(),
)
