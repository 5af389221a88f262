# SPDX-License-Identifier: Apache-2.0
"""Odd values of fields that hold a name, a uid, a flag, a list or a mapping, whatever they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.vocabulary.objects import AN_AGE_AGO

Named = Iterator[tuple[str, Any]]
"""A Named yields odd values, each with what is odd about it."""

KEPT = "example.com/kept"
"""This finalizer is not kube-scheduler's."""


def of_a_text(text: Any) -> Named:
    yield "one character more", f"{text}1"
    yield "one character more in front", f"a{text}"
    if len(text) > 1:
        yield "one character less", text[:-1]


def of_a_group(group: Any) -> Named:
    """Yields those that are still names, since a configuration with another one is refused."""
    return (each for each in of_a_text(group) if each[1][-1].isalnum())


def of_a_uid(uid: Any) -> Named:
    yield "of an earlier one", f"{uid}-earlier"


def of_the_uid_of_a_claim(uid: Any) -> Named:
    """Yields those of a claim's uid, which a volume need not name."""
    yield from of_a_uid(uid)
    yield "absent", None


def of_a_flag(flag: Any) -> Named:
    yield "absent", None
    yield "the opposite", not flag


def of_what_may_be_absent(value: Any) -> Named:
    yield "absent", None


def of_what_may_be_empty(value: Any) -> Named:
    """Yields those of an object none of whose members must be there."""
    yield "absent", None
    yield "empty", {}


def of_a_list(values: Any) -> Named:
    yield "absent", None
    if len(values) > 1:
        yield "the first alone", values[:1]
        yield "the last alone", values[-1:]
        yield "in another order", [*values[1:], values[0]]


def of_a_list_that_may_repeat(values: Any) -> Named:
    yield from of_a_list(values)
    yield "empty", []
    yield "given twice", [*values, *values]


def of_modes(modes: Any) -> Named:
    for each in modes if len(modes) > 1 else ():
        yield "one alone", [each]
    yield "given twice", [*modes, *modes]
    for other in ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"):
        if other not in modes:
            yield "another one", [other]


def of_an_expression(expression: Any) -> Named:
    """Yields what the operators that all selectors have say of the same label."""
    key = {"key": expression["key"]}
    for operator in ("In", "NotIn"):
        if operator != expression["operator"]:
            values = expression.get("values") or ["a"]
            yield "another operator", {**key, "operator": operator, "values": values}
    for operator in ("Exists", "DoesNotExist"):
        if operator != expression["operator"]:
            yield "another operator", {**key, "operator": operator}


def of_a_mapping(mapping: Any) -> Named:
    """Yields those of a mapping whose keys are names."""
    for key, value in mapping.items():
        others = {name: each for name, each in mapping.items() if name != key}
        yield "absent", others
        yield "one character more in its key", {**others, f"{key}1": value}
        if len(key) > 1:
            yield "one character less in its key", {**others, key[:-1]: value}


def of_metadata(metadata: Any) -> Named:
    """Yields the metadata of a claim that others protect, too."""
    kept = metadata.get("finalizers", [])
    if KEPT not in kept:
        yield "kept by others", {**metadata, "finalizers": [*kept, KEPT]}


def of_what_may_leave(metadata: Any) -> Named:
    yield "being deleted", {**metadata, "deletionTimestamp": AN_AGE_AGO}


def of_users(users: Any) -> Named:
    """Yields the users of a claim that a pod of the same name used before, or a pod of another name uses."""
    earlier = {"resource": "pods", "name": "p1", "uid": "of-an-earlier-one"}
    yield "absent", []
    yield "an earlier one alone", [{**each, "uid": f"{each['uid']}-earlier"} for each in users]
    if earlier not in users:
        yield "an earlier one, too", [earlier, *users]
        yield "an earlier one, too", [*users, earlier]


def of_owners(owners: Any) -> Named:
    yield "one that does not control", [{**each, "controller": False} for each in owners]
    yield "without control", [{k: v for k, v in each.items() if k != "controller"} for each in owners]
    for each in owners:
        earlier = {**each, "uid": f"{each['uid']}-earlier", "controller": False}
        yield "an earlier one, too", [earlier, *owners]


def of_said_by_default(name: str, default: Any) -> Callable[[Any], Named]:
    """Returns what states a member that is left out, or leaves out one that states its default."""

    def odd_values(value: Any) -> Named:
        if name not in value:
            yield f"{name} said", {**value, name: default}
        elif value[name] == default:
            yield f"{name} not said", {key: each for key, each in value.items() if key != name}

    return odd_values


def of_a_port(port: Any) -> Named:
    for protocol in ("TCP", "UDP", "SCTP"):
        yield "another protocol", {**port, "protocol": protocol}
    yield "protocol absent", {name: each for name, each in port.items() if name != "protocol"}
