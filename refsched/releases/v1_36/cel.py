# SPDX-License-Identifier: Apache-2.0
"""CEL before 1.37.

Changed by: kubernetes #139395 (an attribute is of type dyn, since it may be a list), cel-go #1276 (or and orValue
are errors of a value that is no optional).

Promised: what a CEL selector may say is documented with the DeviceSelector of resource.k8s.io.
Shows in: devices.
Source: dynamic-resource-allocation/cel/compile.go, CompileCELExpression; github.com/google/cel-go cel/library.go,
optionalLib (v0.26.0).
"""

from __future__ import annotations

from typing import Any

from refsched.cel import CelSteps
from refsched.cel.overloads import ANY, DYN, Type
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


CEL = CelSteps(ANY, is_any, no_attribute, itself)
