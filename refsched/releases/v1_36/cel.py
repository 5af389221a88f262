# SPDX-License-Identifier: Apache-2.0
"""CEL before 1.37.

Changed by: kubernetes #139395 (an attribute is of type dyn, since it may be a list), cel-go #1276 (or and orValue
are errors of a value that is no optional) and what came to cel-go after v0.26.0 (backquotes are on, a leading dot
means the root).
After the upgrade: CEL selectors are typed otherwise: or and orValue of a value that is no optional are errors, and
macros may range over attributes (R-DRA-142, R-DRA-144).
What to do: try the selectors of your DeviceClasses and claims before the upgrade: refsched upgrade -f DUMP says
which claims can no longer be allocated.

Promised: what a CEL selector may say is documented with the DeviceSelector of resource.k8s.io.
Shows in: devices.
Source: dynamic-resource-allocation/cel/compile.go, CompileCELExpression; github.com/google/cel-go cel/library.go,
optionalLib, parser/parser.go, NewParser, and checker/env.go, LookupIdent (v0.26.0).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from refsched.cel import CelSteps
from refsched.cel.overloads import ANY, DYN, Type
from refsched.cel.values import refused
from refsched.rules import applies


def is_any(found: Type) -> bool:
    """R-DRA-143 (instead of R-DRA-140): A selector of type dyn cannot be compiled: the type of an attribute is
    another one."""
    applies("R-DRA-143", when=found == DYN)
    return found == ANY


def no_attribute(found: Type) -> bool:
    """R-DRA-144 (instead of R-DRA-141): A selector whose macro ranges over an attribute cannot be compiled."""
    applies("R-DRA-144", when=found == ANY)
    return found == DYN


def itself(value: Any) -> Any:
    """R-DRA-145 (instead of R-DRA-142): The methods or and orValue of a value that is no optional give the value
    itself."""
    applies("R-DRA-145")
    return value


def any_name(name: str, variables: Collection[str]) -> str:
    """R-DRA-149 (instead of R-DRA-148): A name with a leading dot is that of a macro's variable, if there
    is one."""
    applies("R-DRA-149")
    return name


def quoted(name: str) -> str:
    """R-DRA-147 (instead of R-DRA-146): A selector with the name of a field in backquotes cannot be compiled.
    Raises CelError."""
    applies("R-DRA-147")
    raise refused("Syntax error")


CEL = CelSteps(ANY, is_any, no_attribute, itself, any_name, quoted)
