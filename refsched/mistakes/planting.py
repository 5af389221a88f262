# SPDX-License-Identifier: Apache-2.0
"""Planting: a module is imported with its source changed. Nothing is written to disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

Change = Callable[[str], str | CodeType]
"""From the source of a module to another one, or to what was compiled from it."""


class PlantingError(Exception):
    """A PlantingError says that what is to be changed is not there, or was imported before."""


def plant(module: str, change: Change) -> None:
    """Lets ``module`` be what ``change`` makes of it, when it is imported."""
    if module in sys.modules:
        raise PlantingError(f"{module} was imported before it could be changed")
    sys.meta_path.insert(0, _Finder(module, change))


class _Finder(MetaPathFinder):
    def __init__(self, module: str, change: Change) -> None:
        self._module = module
        self._change = change

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            raise PlantingError(f"{fullname} has no source")
        spec.loader = _Loader(spec.loader, self._change)
        return spec


class _Loader(Loader):
    def __init__(self, loader: SourceFileLoader, change: Change) -> None:
        self._loader = loader
        self._change = change

    def exec_module(self, module: ModuleType) -> None:
        path = self._loader.get_filename()
        changed = self._change(self._loader.get_data(path).decode())
        exec(changed if isinstance(changed, CodeType) else compile(changed, path, "exec"), module.__dict__)


def replacing(before: str, after: str) -> Change:
    """Returns the change that puts ``after`` in the place of ``before``. It raises PlantingError unless that
    occurs exactly once in the source."""

    def change(source: str) -> str:
        if source.count(before) != 1:
            raise PlantingError(f"expected once, found {source.count(before)} times: {before!r}")
        return source.replace(before, after)

    return change
