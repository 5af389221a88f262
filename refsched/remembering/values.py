# SPDX-License-Identifier: Apache-2.0
"""Values: states of plugins that can be compared instead of computed again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any

import attrs

from refsched.plugins.topology_counts import Domain, TopologyCounts

_PLAIN = (type(None), bool, int, float, str, bytes, Enum)


def is_value(state: Any) -> bool:
    """Returns whether nothing in it could change, or answer otherwise, while it stays equal. A store of objects is
    no value, nor is a function."""
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


def changed_domains(before: Any, after: Any, whole: Collection[str]) -> Collection[Domain] | None:
    """Returns the domains in which the two states count something else, or None if they differ in anything else.
    For the counts in ``whole`` it also matters whether they are empty."""
    if before == after:
        return ()
    if type(before) is not type(after) or not attrs.has(type(after)):
        return None
    changed: set[Domain] = set()
    for each in attrs.fields(type(after)):
        one, other = getattr(before, each.name), getattr(after, each.name)
        if isinstance(one, TopologyCounts) and isinstance(other, TopologyCounts):
            if one.changes or other.changes:
                return None
            if each.name in whole and one.is_empty != other.is_empty:
                return None
            changed.update(domain for domain, _ in one.counted.items() ^ other.counted.items())
        elif one != other:
            return None
    return changed
