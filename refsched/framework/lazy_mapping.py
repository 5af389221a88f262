# SPDX-License-Identifier: Apache-2.0
"""LazyMapping: a mapping that is computed when it is first read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


class LazyMapping(Mapping[str, T]):
    """A LazyMapping equals the mapping that ``make`` returns."""

    def __init__(self, make: Callable[[], Mapping[str, T]]) -> None:
        self._make: Callable[[], Mapping[str, T]] | None = make

    @cached_property
    def _made(self) -> Mapping[str, T]:
        assert self._make is not None
        made, self._make = self._make(), None
        return made

    def __getitem__(self, key: str) -> T:
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __repr__(self) -> str:
        return repr(self._made)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self._made),)
