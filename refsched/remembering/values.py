# SPDX-License-Identifier: Apache-2.0
"""Values: what a plugin keeps for its later points, if that can be compared instead of computed again."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs

_PLAIN = (type(None), bool, int, float, str, bytes, Enum)


def is_value(state: Any) -> bool:
    """Does it consist of nothing that could change, or say something else, while it stays equal? A store of
    objects is no value, nor is a function."""
    if isinstance(state, _PLAIN):
        return True
    if isinstance(state, Mapping):
        return all(map(is_value, state)) and all(map(is_value, state.values()))
    if isinstance(state, tuple | list | frozenset):
        return all(map(is_value, state))
    kind = type(state)
    if not attrs.has(kind) or kind.__eq__ is object.__eq__:
        return False
    return all(each.eq and is_value(getattr(state, each.name)) for each in attrs.fields(kind))
