# SPDX-License-Identifier: Apache-2.0
"""Replacing: the code of a function of the specification is replaced in this process, and put back."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from types import CodeType, FunctionType
from typing import Any

Undo = Callable[[], None]

_CACHED = type(cache(ast.parse))
_WRAPPED = (FunctionType, classmethod, staticmethod, _CACHED)
"""A function that remembers may be wrapped in these."""


_AROUND = ("refsched.suite", "refsched.tools", "refsched.checking", "refsched.mistakes")
"""Nothing is changed in these packages, and what is remembered there does not depend on what is changed."""


def replaced(module: str, name: str, code: CodeType) -> Undo | None:
    """Replaces the code of a function of the module, or of a class in it, by that of the same one in ``code``, the
    module's, and returns what undoes it. Returns None if that is impossible: it is not found, or has another
    closure."""
    function, changed = _function_and_code(module, name, code)
    if function is None or changed is None or changed.co_freevars != function.__code__.co_freevars:
        return None
    before = function.__code__
    function.__code__ = changed
    return partial(setattr, function, "__code__", before)


def _function_and_code(module: str, name: str, code: CodeType) -> tuple[FunctionType | None, CodeType | None]:
    holder: Any = sys.modules[module]
    parts = name.split(".")
    is_method = isinstance(getattr(holder, parts[0], None), type)
    for part in parts[: 1 + is_method]:
        if isinstance(holder, type):
            code = next((one for one in _codes_in(code) if one.co_name == holder.__name__), code)
        value = vars(holder).get(part)
        holder = value if isinstance(value, type) else holder
    found = [one for one in _codes_in(code) if one.co_name == parts[:2][-1 if is_method else 0]]
    return _function_in(value), found[0] if len(found) == 1 else None


def _codes_in(code: CodeType) -> Iterable[CodeType]:
    return (one for one in code.co_consts if isinstance(one, CodeType))


def _function_in(value: Any) -> FunctionType | None:
    for within in ("fget", "__func__", "func", "__wrapped__"):
        if not isinstance(value, FunctionType) or within == "__wrapped__":
            value = getattr(value, within, value)
    return value if isinstance(value, FunctionType) else None


def forget() -> None:
    """Empties every cache of the specification's functions, since it remembers what another code returned."""
    for clear in _clearing(len(sys.modules)):
        clear()


@lru_cache(maxsize=1)
def _clearing(modules: int) -> tuple[Callable[[], None], ...]:
    """Returns what clears the caches, which are looked for again once the number of modules has changed."""
    caches: dict[int, Callable[[], None]] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "refsched" and not name.startswith(_AROUND):
            for value in list(vars(module).values()):
                for one in (value, *(vars(value).values() if isinstance(value, type) else ())):
                    while isinstance(one, _WRAPPED):
                        if isinstance(one, _CACHED):
                            caches[id(one)] = one.cache_clear
                        one = getattr(one, "__wrapped__", None)
    return tuple(caches.values())
