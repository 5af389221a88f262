# SPDX-License-Identifier: Apache-2.0
"""Releases of rules: in which releases a rule holds, as the releases say.

A rule holds in the release in whose folder it stands, and what stands in no folder of an earlier release holds in
the newest. Going back from there, it holds in each earlier release until one lacks it (``Release.lacks``) or has a
rule of its own instead of it. The rows of the queue's transitions and of plugins' events hold
where a release has them.
``tests/releases/test_rules_that_hold.py`` listens to every release for what is said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from refsched.releases import RELEASES


class RuleLike(Protocol):
    """A RuleLike is what has to be known of a rule."""

    @property
    def id(self) -> str: ...
    @property
    def area(self) -> str: ...
    @property
    def module(self) -> str: ...
    @property
    def instead_of(self) -> tuple[str, ...]: ...


def releases_by_rule(
    rules: Iterable[RuleLike], rows: Mapping[str, frozenset[str]]
) -> dict[str, tuple[str, ...]]:
    """Returns by rule the names of the releases in which it holds, the oldest first. ``rows`` are by release the
    rules of the rows that its tables have."""
    every = tuple(rules)
    in_tables = frozenset().union(*rows.values())
    others = [rule for rule in every if rule.id not in in_tables]
    found: dict[str, tuple[str, ...]] = {rule.id: () for rule in every}
    holding: list[RuleLike] = []
    for name, release in reversed([*RELEASES.items()]):
        own = [rule for rule in others if _folder(rule) == name]
        replaced = {rule for each in own for rule in each.instead_of}
        absent = replaced | release.lacks
        holding = [rule for rule in holding if absent.isdisjoint((rule.id, f"R-{rule.area}"))] + own
        for rule in (*(each.id for each in holding), *rows[name]):
            found[rule] = (name, *found[rule])
    return found


def _folder(rule: RuleLike) -> str:
    """Returns the release in whose folder the rule stands; the newest, if it stands in none."""
    parts = rule.module.split(".")
    *_, newest = RELEASES
    return next((name for name in RELEASES if f"v{name.replace('.', '_')}" in parts), newest)
