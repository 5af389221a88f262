# SPDX-License-Identifier: Apache-2.0
"""Shipped: the places of the recordings, the Go recorder and the tests of the suite, in a checkout and in a
wheel."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from refsched.errors import InputError

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "shipped", _PACKAGE.parent)
"""The first is its place in the wheel (pyproject.toml, force-include), the second that in a checkout."""

TESTS = "conformance"
EXAMPLES = "docs/examples/rules"


def data_folder() -> Path:
    """Returns the folder with ``recorder/`` and the recordings of each release. Raises InputError if there is
    none."""
    return _found("traces", "recorder")


def examples_folder() -> Path:
    """Returns the folder with an example for each rule. Raises InputError if there is none."""
    return _found(EXAMPLES, ".")


def tests_folder() -> Path:
    """Returns the folder that pytest collects, ``conformance/``. Raises InputError if there is none."""
    return _found(TESTS, "conftest.py")


def import_tests(module: str = "") -> ModuleType:
    """Imports a module of ``conformance/``, which is no package of the wheel's top level. Raises InputError if
    another package of that name has been imported."""
    folder = tests_folder()
    if str(folder.parent) not in sys.path:
        sys.path.insert(0, str(folder.parent))
    package = import_module(TESTS)
    if Path(package.__path__[0]).resolve() != folder.resolve():
        raise InputError(f"another package is called {TESTS}", where=str(package.__path__[0]))
    return import_module(f"{TESTS}.{module}") if module else package


def _found(folder: str, holds: str) -> Path:
    for place in _PLACES:
        if (place / folder / holds).exists():
            return place / folder
    raise InputError(f"this installation has no {folder} (looked for {_PLACES[0] / folder})")
