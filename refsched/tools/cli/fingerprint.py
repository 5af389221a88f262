# SPDX-License-Identifier: Apache-2.0
"""``refsched fingerprint``."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from refsched.errors import InputError, one_line
from refsched.releases import RELEASES
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.differences.fingerprint import FingerprintRow
from refsched.suite.differences.fingerprint import fingerprint as prints_of
from refsched.tools.cli.exit_codes import AGREED, DISAGREED, NOT_JUDGED


def fingerprint(implementation: str, *, as_json: bool) -> int:
    """Returns 0 if it decides like one release throughout, 1 if not, and 2 if no cluster shows a difference."""
    try:
        with connect(implementation) as adapter:
            name = one_line(f"{adapter.hello.name} {adapter.hello.version}")
            prints = list(prints_of(adapter))
    except (AdapterFault, AdapterUnavailable) as problem:
        raise InputError(str(problem)) from None
    decisive = [each for each in prints if each.ran and len(each.like) < len(RELEASES)]
    if as_json:
        click.echo(json.dumps({"scheduler": name, "rules": [_as_json(each) for each in prints]}))
    else:
        for each in prints:
            click.echo(_line(each))
        click.echo(_summary(name, prints, decisive))
    if not decisive:
        return NOT_JUDGED
    return (
        AGREED if any(all(release in each.like for each in decisive) for release in RELEASES) else DISAGREED
    )


def _as_json(each: FingerprintRow) -> dict[str, object]:
    return {"rules": dict(each.difference.rules), "like": list(each.like), "ran": each.ran}


def _line(each: FingerprintRow) -> str:
    rules = ", ".join(f"{rule} ({release})" for release, rule in each.difference.rules.items())
    return f"{_verdict(each):<14} {rules}"


def _verdict(each: FingerprintRow) -> str:
    if not each.ran:
        return "not run"
    if len(each.like) == len(RELEASES):
        return "does not show"
    return f"like {' and '.join(each.like)}" if each.like else "like none"


def _summary(name: str, prints: Sequence[FingerprintRow], decisive: Sequence[FingerprintRow]) -> str:
    counts = [f"{sum(release in each.like for each in decisive)} like {release}" for release in RELEASES]
    none = sum(not each.like for each in decisive)
    shown = f"{name}: of {len(prints)} differences {len(decisive)} show"
    return f"{shown}: {', '.join(counts)}, {none} like none"
