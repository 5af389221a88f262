# SPDX-License-Identifier: Apache-2.0
"""Requirements: the rules that a release of the suite holds an implementation to.

A file per release, one id a line, frozen with the release. It is named after the number of the release and
after the version of Kubernetes that was the default then. A rule that came later is reported and does not fail
a run, until an implementation asks for it with ``--requirements=all``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from refsched.errors import InputError
from refsched.releases import DEFAULT
from refsched.suite.catalogue.rules import all_rules

FOLDER = Path(__file__).parents[1] / "requirements"
ALL = "all"


def _files() -> dict[str, Path]:
    """Returns the file of each frozen release, by its number, the newest last."""
    found = {path.stem.rpartition("-")[2]: path for path in FOLDER.glob("kubernetes-*-release-*.txt")}
    return {number: found[number] for number in sorted(found, key=int)}


def releases() -> list[str]:
    """Returns the frozen releases of the suite, the newest last."""
    return list(_files())


def required_by(release: str) -> frozenset[str] | None:
    """Returns the rules of a release of the suite; None stands for every rule. Raises InputError if there is no
    such release."""
    if release == ALL or not releases():
        return None
    if release not in releases():
        raise InputError(
            f"expected {', '.join(releases())} or {ALL}, found {release!r:.60}", where="--requirements"
        )
    lines = _files()[release].read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def later_than(required: frozenset[str] | None, rules: Iterable[str]) -> frozenset[str]:
    """Returns those of ``rules`` that the release does not require. A project with rules of its own, none of which
    is in the release, requires all of them. A rule that holds only in older versions of Kubernetes is in no list,
    and is required of every scheduler that decides by one of these."""
    rules = frozenset(rules)
    if required is None or required.isdisjoint(rules):
        return frozenset()
    older = (rule.id for rule in all_rules().values() if DEFAULT.name not in rule.releases)
    return rules - required - frozenset(older)


def newest() -> str:
    """Returns the newest frozen release of the suite, or ALL if there is none yet."""
    return releases()[-1] if releases() else ALL
