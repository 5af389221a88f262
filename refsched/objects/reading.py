# SPDX-License-Identifier: Apache-2.0
"""Reading: a JSON or YAML object is read as an attrs class, strictly.

Fields that scheduling does not read are ignored. A field of the wrong type is refused with its path, as the API
server would refuse it: nothing is coerced.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

import attrs
from cattrs import ClassValidationError, Converter, IterableValidationError, IterableValidationNote
from cattrs.cols import (
    homogenous_tuple_structure_factory,
    is_mapping,
    is_sequence,
    mapping_structure_factory,
)
from cattrs.errors import AttributeValidationNote
from cattrs.gen import make_dict_structure_fn, override

from refsched.errors import InputError, did_you_mean
from refsched.objects.quantity import Quantity, parse_quantity

T = TypeVar("T")

_DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d", re.ASCII)
_LARGEST_FLOAT = sys.float_info.max

TEXT_OF_OTHERS = "text of others"
"""An attribute with this metadata is not read from a field of its name: it is the text of all fields but one, as
JSON with its keys in order."""

_INITIALISMS = {
    "host_ip": "hostIP",
    "pod_cidr": "podCIDR",
    "milli_cpu": "milliCPU",
    "volume_id": "volumeID",
    "disk_uri": "diskURI",
    "enable_https": "enableHTTPS",
    "share_id": "shareID",
}


@cache
def json_name(attribute: str) -> str:
    """Returns the name in JSON: ``nodeSelectorTerms`` for ``node_selector_terms``."""
    if attribute in _INITIALISMS:
        return _INITIALISMS[attribute]
    head, *tail = attribute.rstrip("_").split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in tail)


def _exactly(kind: type, words: str) -> Any:
    def structure(value: object, _: type) -> object:
        if type(value) is not kind:
            raise InputError(f"expected {words}, found {value!r:.60}")
        return value

    return structure


def _integer(value: object, _: type) -> int:
    if type(value) is not int:
        raise InputError(f"expected an integer, found {value!r:.60}")
    if not -(2**63) <= value < 2**63:
        raise InputError("expected an integer of at most 64 bits")
    return value


def _number(value: object, _: type) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST_FLOAT:
        raise InputError(f"expected a number, found {value!r:.60}")
    return value


def _timestamp(value: object, _: type) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        if not isinstance(value, str) or not _DATE_AND_TIME.match(value):
            raise ValueError
        parsed = datetime.fromisoformat(value)
    except ValueError as error:
        raise InputError(f"expected an RFC 3339 time, found {value!r:.60}") from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _structure_class(converter: Converter, *, strict: bool) -> Any:
    def factory(cls: type[attrs.AttrsInstance]) -> Any:
        names = {a.name: json_name(a.name) for a in attrs.fields(cls)}
        known = frozenset(names.values())
        texts = {
            names[a.name]: a.metadata[TEXT_OF_OTHERS]
            for a in attrs.fields(cls)
            if TEXT_OF_OTHERS in a.metadata
        }

        @cache
        def structure() -> Any:
            """Returns the hook, which is made when the first object of the class is read, since most classes have
            none."""
            renamed = {name: override(rename=new) for name, new in names.items()}
            return make_dict_structure_fn(cls, converter, **renamed)  # type: ignore[arg-type]

        def read(value: object, to: type) -> object:
            if value is None:
                value = {}
            if type(value) is not dict and not isinstance(value, Mapping):
                raise InputError(f"expected an object, found {value!r:.60}")
            unknown = [str(key) for key in value if key not in known] if strict else []
            if unknown:
                raise InputError(f"is not a field here{did_you_mean(unknown[0], known)}", unknown[0])
            # An explicit null is the same as no field, as it is for the API server.
            if None in value.values():
                value = {k: v for k, v in value.items() if v is not None}
            for name, left_out in texts.items():
                others = {k: v for k, v in value.items() if k not in (name, left_out)}
                value = {**value, name: json.dumps(others, sort_keys=True, default=str)}
            return structure()(value, to)

        return read

    return factory


def _structure_only(kinds: Any, words: str, make: Any, converter: Converter) -> Any:
    """Returns the structure hook for a list or a mapping that checks first that it is one, since text can be
    iterated over too."""

    def factory(container: type) -> Any:
        structure = make(container, converter)

        def read(value: object, to: type) -> object:
            if not isinstance(value, kinds):
                raise InputError(f"expected {words}, found {value!r:.60}")
            return structure(value, to)

        return read

    return factory


def make_converter(*, strict: bool = False) -> Converter:
    """Returns a converter. If ``strict``, it refuses fields that the class does not have."""
    converter = Converter(detailed_validation=True)
    converter.register_structure_hook(str, _exactly(str, "a string"))
    converter.register_structure_hook(int, _integer)
    converter.register_structure_hook(bool, _exactly(bool, "true or false"))
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(datetime, _timestamp)
    converter.register_structure_hook_factory(attrs.has, _structure_class(converter, strict=strict))
    converter.register_structure_hook_factory(
        is_sequence, _structure_only(list | tuple, "a list", homogenous_tuple_structure_factory, converter)
    )
    converter.register_structure_hook_factory(
        is_mapping, _structure_only(Mapping, "an object", mapping_structure_factory, converter)
    )
    converter.register_structure_hook(Quantity, lambda value, _: parse_quantity(value))
    return converter


CONVERTER = make_converter()


def read_as(kind: type[T], value: object, converter: Converter = CONVERTER) -> T:
    """Reads ``value`` as ``kind``. Raises InputError, which names the field of the first problem."""
    try:
        return converter.structure(value, kind)
    except InputError:
        raise
    except (ClassValidationError, IterableValidationError) as group:
        raise _first_problem(group) from None


def _first_problem(error: BaseException) -> InputError:
    """Returns the first leaf of a cattrs error group, with the path that its notes spell."""
    if isinstance(error, InputError):
        return error
    if not isinstance(error, BaseExceptionGroup):
        if isinstance(error, KeyError):
            return InputError("is required and missing", json_name(str(error.args[0])))
        return InputError(str(error) or type(error).__name__)
    first = error.exceptions[0]
    problem = _first_problem(first)
    for note in getattr(first, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return problem if isinstance(first, KeyError) else problem.under(json_name(note.name))
        if isinstance(note, IterableValidationNote):
            return problem.under(f"[{note.index}]" if isinstance(note.index, int) else str(note.index))
    return problem
