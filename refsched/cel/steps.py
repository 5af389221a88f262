# SPDX-License-Identifier: Apache-2.0
"""Steps of CEL that a release may do otherwise; the defaults do what the rules say.

Promised: what a CEL selector may say is documented with the DeviceSelector of resource.k8s.io.
Shows in: devices.
Source: dynamic-resource-allocation/cel/compile.go, newCompiler and validateOutputType;
github.com/google/cel-go cel/library.go, optionalLib, parser/parser.go, NewParser, checker/env.go,
resolveSimpleIdent, and interpreter/planner.go, planCheckedIdent (v0.29.2).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from attrs import frozen

from refsched.cel.overloads import DYN, Type
from refsched.cel.values import no_such_overload, refused
from refsched.rules import applies

TYPE_NAMES = ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint")


def is_unknown(found: Type) -> bool:
    """R-DRA-140: A selector may be of type dyn, which is the type of an attribute: whether it evaluates to a
    boolean is known only for a device."""
    return applies("R-DRA-140", when=found == DYN)


def may_be_list(found: Type) -> bool:
    """R-DRA-141: A macro may range over an attribute: that it is no list is an error only when the macro is
    evaluated."""
    return applies("R-DRA-141", when=found == DYN)


def no_optional(value: Any) -> Any:
    """R-DRA-142: The methods or and orValue of a value that is no optional are an error. Raises CelValueError."""
    applies("R-DRA-142")
    raise no_such_overload()


def rooted(name: str) -> str:
    """Returns under which name it is known what the name is outside of all macros."""
    return f".{name}"


def root_name(name: str, variables: Collection[str]) -> str:
    """R-DRA-148: A name with a leading dot is not that of a macro's variable; if it is that of a type and of a
    variable, the selector cannot be compiled. Raises CelError."""
    applies("R-DRA-148")
    if name in variables and name in TYPE_NAMES:
        raise refused(f"reference to undefined type: .{name}")
    return rooted(name)


def unquoted(name: str) -> str:
    """R-DRA-146: The name of a field may be in backquotes, so that it need not be an identifier."""
    applies("R-DRA-146")
    return name[1:-1]


@frozen
class CelSteps:
    """``attribute`` is the type of an attribute. ``may_be_result`` returns whether a selector may be of a type
    other than bool, and ``may_be_range`` whether a macro may range over a type that is neither a list nor a
    map. ``alternative_of`` returns what the methods or and orValue give for a value that is no optional.
    ``root_name`` returns under which name it is looked up what is written with a leading dot among variables, and
    ``unquoted`` the name of a field that is written in backquotes."""

    attribute: Type = DYN
    may_be_result: Callable[[Type], bool] = is_unknown
    may_be_range: Callable[[Type], bool] = may_be_list
    alternative_of: Callable[[Any], Any] = no_optional
    root_name: Callable[[str, Collection[str]], str] = root_name
    unquoted: Callable[[str], str] = unquoted


AS_PROMISED = CelSteps()
