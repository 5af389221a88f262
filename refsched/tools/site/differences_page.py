# SPDX-License-Identifier: Apache-2.0
"""The page of differences: for each, the rules of both releases and the smallest cluster that shows them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.differences.clusters import ReleaseDifference, differences
from refsched.suite.differences.differing_members import DifferingMember, Run, differing_members, run_of
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.trial import try_history
from refsched.suite.histories.wording import described_steps

COMMAND = "python -m conformance.campaigns.differing_clusters"
_INTRODUCTION = f"""\
Each section shows one difference between the two releases: the rule of each release, the change to Kubernetes that
made the difference (where it is known), and the smallest cluster that was found on which the two releases decide
differently because of it. The examples of all rules, the cases and drawn histories were searched for runs in which
both rules are applied, and which differ first in a member that these rules decide. Every step and field without
which this still holds was left out (`{COMMAND}`).
`refsched fingerprint --impl WHAT` runs these clusters on any scheduler, and says which release it decides like.
[Rules](rules.md) lists all rules that hold in one release only."""
_MISSING = "For these differences there is no cluster that shows them, for the reason given:"


def differences_page() -> str:
    older, newer = differing_members()[0].rules
    lines = [f"# What v{older} and v{newer} decide differently", _INTRODUCTION]
    for difference in differences():
        lines += _section(difference)
    missing = [member for member in differing_members() if not is_there(member)]
    lines += ["## Without a cluster", _MISSING, "\n".join(map(_without, missing))]
    return "\n\n".join(lines) + "\n"


def _without(member: DifferingMember) -> str:
    rules = " and ".join(each[0] for each in reversed(tuple(member.rules.values())))
    return f"- {rules}: {member.never}"


def is_there(member: DifferingMember) -> bool:
    return any(
        all(difference.rules[release] in known for release, known in member.rules.items())
        for difference in differences()
    )


def _section(difference: ReleaseDifference) -> Iterator[str]:
    yield f"## {' and '.join(reversed(tuple(difference.rules.values())))}"
    rules = all_rules()
    for release, rule in reversed(tuple(difference.rules.items())):
        yield f"**v{release}**, {rule}: {rules[rule].sentence}"
    if difference.change:
        yield f"Changed by: {difference.change}."
    runs = {release: _judgement(difference, release) for release in reversed(tuple(difference.rules))}
    yield _values(difference, {release: run_of(judgement) for release, judgement in runs.items()})
    for release, judgement in runs.items():
        lines, _ = described_steps(judgement.history, judgement.seen, -1, judgement.usual)
        yield "\n".join(["```text", f"v{release}", *lines, "```"])


def _judgement(difference: ReleaseDifference, release: str) -> Judgement:
    with connect(f"{REFERENCE}:{release}") as adapter:
        return try_history(adapter, difference.history)


def _values(difference: ReleaseDifference, runs: Mapping[str, Run]) -> str:
    """Returns the sentence that says in which member the runs differ, and what each has there."""
    one, other = runs.values()
    member, number = DifferingMember({}, difference.differs).member_shown(one, other)
    had = (f"{_shown(run[number].get(member))} in v{release}" for release, run in runs.items())
    return f"In the record `{member}` is {', and '.join(had)}."


def _shown(value: object) -> str:
    return "absent" if value is None else f"`{json.dumps(value)}`"
