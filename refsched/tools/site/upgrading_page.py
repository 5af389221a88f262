# SPDX-License-Identifier: Apache-2.0
"""Upgrading page: what each release decides otherwise than the one before it, what happens most often first.

For each step the page has what is noticed first and what to do, as the modules of the earlier release say
(release_notes.py), then the features that are on by default since then, and then every rule that only one of the
two has. A rule of an earlier release names those of the next one that it stood for. How often a rule is applied
was counted over the histories of the suite (rarity.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from refsched.oddities.known_defect import KnownDefect
from refsched.releases import RELEASES
from refsched.suite.catalogue.rarity import rarity
from refsched.suite.catalogue.rules import StatedRule, all_rules, minor
from refsched.tools.rulebook.release_notes import release_note, release_notes
from refsched.tools.site.markdown import page, prose, rule_link, table

_HOW = """\
For each step the page says first what is noticed, what to do, and which features are on since then, and after
that what was changed rule by rule. Each rule leads to its page, with the smallest cluster that shows it. What
happens most often comes first.

`refsched upgrade -f dump.yaml --from {} --to {}` says which of your own pods would go elsewhere, and why; the
dump is what `kubectl get nodes,pods,… -A -o yaml` prints. A feature gate that your scheduler sets now is given as
`--gate-from G=false`, and one that it will set as `--gate G=false`. Pods that run stay where they are: an
upgrade concerns those that are placed after it."""

_FAR = "[This page](../differences.md) has the differences of two releases that lie farther apart, with clusters."


def upgrading_page() -> str:
    steps = [step for step in pairwise(RELEASES) if minor(step[0]) + 1 == minor(step[1])]
    return page(
        "# What an upgrade decides otherwise",
        _HOW.format(steps[0][0], steps[-1][1]),
        *(paragraph for older, newer in steps for paragraph in _step(older, newer)),
        "## From older releases",
        _FAR,
    )


def _step(older: str, newer: str) -> Iterator[str]:
    held = {rule.id: rule for rule in _held_in(older) if newer not in rule.releases}
    came = {rule.id: rule for rule in _held_in(newer) if older not in rule.releases}
    replaced = [(came[later], rule) for rule in held.values() for later in rule.instead_of if later in came]
    known = {rule.id for pair in replaced for rule in pair}
    yield f"## From {older} to {newer}"
    yield "### What is noticed"
    yield "\n".join(_noticed(older))
    yield f"### Features that are on in {newer}"
    yield table(("feature gate", "what it does", f"as in {older}"), _switched_on(older, newer))
    yield "### Rule by rule"
    yield table(
        (f"in {newer}", f"in {older}", "changed by"),
        (
            (_said(now), _said(before), release_note(before.module).change)
            for now, before in _often_first(replaced)
        ),
    )
    new = _often_first([(rule, rule) for rule in came.values() if rule.id not in known])
    yield table(
        (f"new in {newer}", "why it is so"), ((_said(rule), prose(rule.why_level)) for rule, _ in new)
    )
    dropped = [rule for rule in held.values() if rule.id not in known]
    if dropped:
        yield table((f"no longer in {newer}",), ((_said(rule),) for rule in dropped))
    mended = [each for each in _defects(older) if each.id not in {other.id for other in _defects(newer)}]
    if mended:
        heads = (f"mistake of {older} that {newer} does not make", "rule", "report")
        yield table(heads, ((f"It {each.does}.", rule_link(each.rule, ""), each.report) for each in mended))


def _noticed(older: str) -> Iterator[str]:
    """Returns a line for each change that is noticed, the one whose rules are applied most often first."""
    notes = sorted(release_notes(older), key=lambda note: min(map(rarity, note.rules)))
    for note in notes:
        rules = ", ".join(rule_link(rule, "") for rule in note.rules)
        yield f"1. **{prose(note.noticed)}** {rules}. *What to do:* {prose(note.to_do)}. Changed by {note.change}."


def _switched_on(older: str, newer: str) -> Iterator[tuple[str, str, str]]:
    before, now = RELEASES[older].gates, RELEASES[newer].gates
    for name, gate in now.items():
        if gate.default and not (name in before and before[name].default):
            yield f"`{name}`", gate.changes, f"`--feature-gates={name}=false`"


def _held_in(release: str) -> Iterator[StatedRule]:
    return (rule for rule in all_rules().values() if release in rule.releases)


def _often_first(pairs: list[tuple[StatedRule, StatedRule]]) -> list[tuple[StatedRule, StatedRule]]:
    return sorted(pairs, key=lambda pair: (rarity(pair[0].id), pair[0].id))


def _said(rule: StatedRule) -> str:
    return f"{rule_link(rule.id, '')} {prose(rule.sentence)}"


def _defects(release: str) -> list[KnownDefect]:
    return [each for each in RELEASES[release].oddities if isinstance(each, KnownDefect)]
