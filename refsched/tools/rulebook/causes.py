# SPDX-License-Identifier: Apache-2.0
"""The rules, the changes to Kubernetes and the advice behind each cause of a comparison.

The rules are those that one scheduler applied, and that do not hold in the release of the other. Which change made
the difference, and what to do, stands in the files of a release (release_notes.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from refsched.errors import counted
from refsched.framework.interface import Plugin
from refsched.releases import RELEASES
from refsched.suite.catalogue.rules import StatedRule, all_rules
from refsched.tools.planner.causes import described
from refsched.tools.planner.exchange import DifferingPart
from refsched.tools.planner.upgrade import NOWHERE, PLACED, Cause, PlacementChange, UpgradeComparison
from refsched.tools.rulebook.release_notes import NOTHING, ReleaseNote, release_note

NOT_CONFIRMED = "no single cause was confirmed"


@frozen
class ExplainedCause:
    """An ExplainedCause is a cause in words: its rules for each of the two releases, the upstream ``change`` and
    what to do."""

    cause: str
    rules: tuple[tuple[StatedRule, ...], tuple[StatedRule, ...]]
    change: str
    advice: str


def explained(cause: Cause, releases: tuple[str, str]) -> ExplainedCause:
    """Returns the cause in words. ``releases`` are the two that are compared."""
    notes = _notes(cause.plugins, releases)
    return ExplainedCause(
        described(cause.parts) if cause.parts else NOT_CONFIRMED,
        _rules(cause, releases),
        "; ".join(filter(None, (note.change for note in notes))),
        _advice(cause, notes, releases[1]),
    )


def _rules(cause: Cause, releases: tuple[str, str]) -> tuple[tuple[StatedRule, ...], tuple[StatedRule, ...]]:
    """Returns the rules of each release that the plugins applied, and that do not hold in the other one. Where
    some of them stand for rules of the other release, only these and those that they stand for are returned."""
    known, modules = all_rules(), {m for side in cause.plugins for plugin in side for m in _modules(plugin)}
    one, other = (
        [
            known[rule]
            for rule in sorted(applied)
            if rule in known
            and releases[1 - number] not in known[rule].releases
            and known[rule].module in modules
        ]
        for number, applied in enumerate(cause.applied)
    )
    pairs = (_standing_for(one, releases[1]), _standing_for(other, releases[0]))
    if any(pairs[0]) or any(pairs[1]):
        one, other = [*pairs[0][0], *pairs[1][1]], [*pairs[0][1], *pairs[1][0]]
    return tuple(dict.fromkeys(one)), tuple(dict.fromkeys(other))


def _standing_for(rules: Iterable[StatedRule], release: str) -> tuple[list[StatedRule], list[StatedRule]]:
    """Returns the rules that stand for rules of this release, and those of the release."""
    known = all_rules()
    pairs = [
        (rule, known[later])
        for rule in rules
        for later in rule.instead_of
        if release in known[later].releases
    ]
    return [rule for rule, _ in pairs], [later for _, later in pairs]


def _modules(plugin: Plugin) -> list[str]:
    return [made.__module__ for made in type(plugin).__mro__ if made.__module__.startswith("refsched.")]


def _notes(
    plugins: tuple[tuple[Plugin, ...], tuple[Plugin, ...]], releases: tuple[str, str]
) -> list[ReleaseNote]:
    """Returns the notes of the modules of the plugins, of changes after the older release and not after the newer
    one. A module of a release says what was changed after that release."""
    names = list(RELEASES)
    older, newer = sorted(releases, key=names.index)
    between = names[names.index(older) : names.index(newer)]
    modules = dict.fromkeys(module for side in plugins for plugin in side for module in _modules(plugin))
    return [
        release_note(module)
        for module in modules
        if module.removeprefix("refsched.releases.v").partition(".")[0].replace("_", ".") in between
    ]


def _advice(cause: Cause, notes: Iterable[ReleaseNote], after: str) -> str:
    own = [note.to_do for note in notes if note.to_do not in ("", NOTHING)]
    effects = {change.effect for change in cause.changes}
    if NOWHERE in effects:
        lost = next(change for change in cause.changes if change.effect == NOWHERE)
        own.append(
            f"before the change, mend what {after} rejects ({_why(lost)}): pods that run go on running, and are "
            "not placed again once they are deleted"
        )
    elif effects == {PLACED}:
        own.append("nothing: these pods were placed nowhere")
    elif not own:
        own.append(
            "nothing, if either node will do: pods that run stay where they are, and only new ones go elsewhere; "
            "to hold a pod on its nodes, require them by its nodeAffinity"
        )
    return "; ".join(own)


def _why(lost: PlacementChange) -> str:
    said = next(
        (lost.after.rejections[node] for node in lost.before.nodes if node in lost.after.rejections), ""
    )
    return said or lost.after.message


# --- For programs ---------------------------------------------------------------------------------


def as_value(found: UpgradeComparison, releases: tuple[str, str]) -> dict[str, Any]:
    """Returns the comparison as JSON and YAML print it."""
    return {
        "pods": found.pods,
        "changed": len(found.changes),
        "causes": [_cause_value(cause, explained(cause, releases)) for cause in found.causes],
        "searchOnly": list(found.search_only),
    }


def _cause_value(cause: Cause, words: ExplainedCause) -> dict[str, Any]:
    return {
        "cause": words.cause,
        "confirmed": bool(cause.parts),
        "parts": [_part_value(part) for part in cause.parts],
        "rules": {"from": _by_id(words.rules[0]), "to": _by_id(words.rules[1])},
        "changedBy": words.change,
        "whatToDo": words.advice,
        "pods": [
            {
                "pod": change.pod,
                "effect": change.effect,
                "from": _placement(change, before=True),
                "to": _placement(change, before=False),
            }
            for change in cause.changes
        ],
    }


def _part_value(part: DifferingPart) -> dict[str, Any]:
    value: dict[str, Any] = {"kind": part.kind}
    if part.plugin:
        value["plugin"] = part.plugin
    if part.weights:
        value["weights"] = list(part.weights)
    return value


def _by_id(rules: Iterable[StatedRule]) -> Mapping[str, str]:
    return {rule.id: rule.sentence for rule in rules}


def _placement(change: PlacementChange, *, before: bool) -> dict[str, Any]:
    one, other = (change.before, change.after) if before else (change.after, change.before)
    rejections = {node: one.rejections[node] for node in other.nodes if node in one.rejections}
    return {"nodes": list(one.nodes), "message": one.message, "rejections": rejections}


def effects(cause: Cause) -> str:
    """Returns what becomes of the pods, as ``3 pods elsewhere, 1 pod nowhere``."""
    counts: dict[str, int] = {}
    for change in cause.changes:
        counts[change.effect] = counts.get(change.effect, 0) + 1
    return ", ".join(f"{counted(count, 'pod')} {effect}" for effect, count in counts.items())
