# SPDX-License-Identifier: Apache-2.0
"""Many mutants of one place, by one argument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def each(place: str, mutants: Iterable[str], why: str) -> Mapping[str, str]:
    """The same argument for many mutants of one place, or of one class (``_find:part:0``)."""
    return {f"{place}{'.' if mutant[0] == '_' else ':'}{mutant}": why for mutant in mutants}
