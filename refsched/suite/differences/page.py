# SPDX-License-Identifier: Apache-2.0
"""The page of differences: for each, the rules of both releases and the smallest cluster that shows them."""

from __future__ import annotations

from collections.abc import Iterator

from refsched.releases import RELEASES
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.differences.clusters import Difference, differences
from refsched.suite.histories.history import DEFAULT_CONFIG
from refsched.suite.histories.trial import try_history
from refsched.suite.reports.wording import described_steps, flow
from refsched.suite.session.standard import judgement_of

COMMAND = "python -m refsched.suite.differences.search"
_INTRODUCTION = f"""\
Each section is a cluster on which the two releases decide differently, and the rule of each that the suite names
first when the other release is judged by it: the rule that differs, or one that follows from it. The clusters were
found by running drawn histories on the specification of both releases, and made smaller (`{COMMAND}`).
`refsched fingerprint --impl WHAT` runs them on any scheduler and says like which release it decides. Differences
that no drawn history showed are missing; [rules](rules.md) lists all rules that hold in one release only."""


def differences_page() -> str:
    older, newer = RELEASES
    lines = [f"# What v{older} and v{newer} decide differently", _INTRODUCTION]
    for difference in differences():
        lines += _section(difference)
    return "\n\n".join(lines) + "\n"


def _section(difference: Difference) -> Iterator[str]:
    yield f"## {' and '.join(reversed(tuple(difference.rules.values())))}"
    rules = all_rules()
    for release, rule in reversed(tuple(difference.rules.items())):
        yield f"**v{release}**, {rule}: {rules[rule].sentence}"
    if difference.history.config != DEFAULT_CONFIG:
        yield f"Configured with `{flow(difference.history.config)}`."
    for release in reversed(tuple(difference.rules)):
        yield "\n".join(["```text", f"v{release}", *_steps(difference, release), "```"])


def _steps(difference: Difference, release: str) -> list[str]:
    with connect(f"{REFERENCE}:{release}", in_process=True) as adapter:
        lines, _ = described_steps(judgement_of(try_history(adapter, difference.history)), -1)
    return lines
