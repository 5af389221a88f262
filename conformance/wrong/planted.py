# SPDX-License-Identifier: Apache-2.0
"""Planted: the table of wrong schedulers, put together from the tables of the areas."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from attrs import frozen

_TABLES = ("cycle",)
"""The modules of this package that hold a table ``WRONG``."""


@frozen
class Wrong:
    """``says`` what it does wrong, in one sentence. In ``module`` of refsched ``before``, which stands there once,
    is replaced by ``after``. ``cites`` is the report of a scheduler that was wrong in this way, or empty."""

    name: str
    says: str
    module: str
    before: str
    after: str
    cites: str = ""


def all_wrong() -> Mapping[str, Wrong]:
    found: dict[str, Wrong] = {}
    for table in _TABLES:
        for wrong in import_module(f"conformance.wrong.{table}").WRONG:
            assert wrong.name not in found, wrong.name
            found[wrong.name] = wrong
    return found
