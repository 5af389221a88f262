# SPDX-License-Identifier: Apache-2.0
"""Shipped files: where the recordings, the Go recorder, the examples and the tests of the suite are, in a checkout
and in a wheel."""

from __future__ import annotations

from pathlib import Path

from refsched.errors import InputError

PACKAGE = Path(__file__).parents[1]
"""The folder of ``refsched``."""

_PLACES = (PACKAGE / "shipped", PACKAGE.parent)
"""The first is its place in the wheel (pyproject.toml, force-include), the second that in a checkout."""

TESTS = "conformance"
CALLED_AS = "--called-as"
"""This option of the tests says which command started pytest, for the command that repeats a failure."""
EXAMPLES = "docs/examples/rules"
STARTERS = "docs/examples/starters"


def module_file(module: str) -> Path:
    """Returns the file of a module or a package by its dotted name, such as ``refsched.plugins.node_ports``."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def data_folder() -> Path:
    """Returns the folder with ``recorder/`` and the recordings of each release. Raises InputError if there is
    none."""
    return _found("traces", "recorder")


def examples_folder() -> Path:
    """Returns the folder with an example for each rule. Raises InputError if there is none."""
    return _found(EXAMPLES, ".")


def starters_folder() -> Path:
    """Returns the folder with a small scheduler for each language. Raises InputError if there is none."""
    return _found(STARTERS, "python")


def tests_folder() -> Path:
    """Returns the folder that pytest collects, ``conformance/``. Raises InputError if there is none."""
    return _found(TESTS, "conftest.py")


def _found(folder: str, holds: str) -> Path:
    for place in _PLACES:
        if (place / folder / holds).exists():
            return place / folder
    raise InputError(f"this installation has no {folder} (looked for {_PLACES[0] / folder})")
