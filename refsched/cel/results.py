# SPDX-License-Identifier: Apache-2.0
"""CEL results: what a selector evaluates to, and why it is no boolean.

Promised: that a selector evaluates to a boolean is documented with the DeviceSelector of resource.k8s.io.
Shows in: devices.
Source: dynamic-resource-allocation/cel/compile.go, DeviceMatches; github.com/google/cel-go common/types,
ConvertToNative (v0.29.2).
"""

from __future__ import annotations

from typing import Any

from refsched.cel.values import CelValueError, Optional, type_name
from refsched.rules import applies

_CANNOT_CONVERT = {
    "string": "unsupported native conversion from string to 'bool'",
    "int": "unsupported type conversion from 'int' to bool",
    "uint": "unsupported type conversion from 'uint' to bool",
    "double": "type conversion error from Double to 'bool'",
    "bytes": "type conversion error from Bytes to 'bool'",
    "list": "type conversion error from list to 'bool'",
    "map": "type conversion error from map to 'bool'",
    "type": "type conversion not supported for 'type'",
    "optional_type": "optional.none() dereference",
}


def boolean(value: Any) -> bool:
    """R-DRA-73: A selector that does not evaluate to a boolean is an error. Raises CelValueError."""
    result = _held(value)
    if isinstance(result, bool):
        return result
    applies("R-DRA-73")
    kind = type_name(result)
    other = f"type conversion error from '{kind.removeprefix('kubernetes.')}' to 'bool'"
    reason = _CANNOT_CONVERT.get(kind, other)
    raise CelValueError(f"CEL result of type {type_name(value)} could not be converted to bool: {reason}")


def _held(value: Any) -> Any:
    """R-DRA-151: A selector that evaluates to an optional is what the optional holds; without a value it is an
    error."""
    while isinstance(value, Optional) and value.present:
        applies("R-DRA-151")
        value = value.content
    return value
