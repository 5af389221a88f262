# SPDX-License-Identifier: Apache-2.0
"""The rules, the changes to Kubernetes and the advice behind each cause of a comparison.

The rules are those that one scheduler applied, and that do not hold in the release of the other; where there are
none, those that the other did not apply. Which change made the difference, and what to do, stands in the files of
a release (release_notes.py), or it is a feature gate that the newer release has on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from refsched.errors import counted
from refsched.framework.interface import Plugin
from refsched.releases import RELEASES
from refsched.releases.release import Release
from refsched.suite.catalogue.rules import StatedRule, all_rules, plugin_of
from refsched.tools.planner.causes import described
from refsched.tools.planner.exchange import OBJECTS, DifferingPart
from refsched.tools.planner.upgrade import NOWHERE, PLACED, Cause, PlacementChange, UpgradeComparison
from refsched.tools.rulebook.release_notes import NOTHING, ReleaseNote, release_note

Rules = tuple[tuple[StatedRule, ...], tuple[StatedRule, ...]]
"""Rules are those of the scheduler before, and those of the one after."""

NOT_CONFIRMED = "no single cause was confirmed"


@frozen
class ExplainedCause:
    """An ExplainedCause is a cause in words: its rules for each of the two releases, the upstream ``change`` and
    what to do."""

    cause: str
    rules: Rules
    change: str
    advice: str


def explained(cause: Cause, releases: tuple[str, str]) -> ExplainedCause:
    """Returns the cause in words. ``releases`` are the two that are compared."""
    rules = _rules(cause, releases)
    notes = _notes(cause, rules, releases)
    return ExplainedCause(
        _in_words(cause, rules) if cause.parts else NOT_CONFIRMED,
        rules,
        "; ".join(filter(None, (note.change for note in notes))),
        _advice(cause, notes, releases[1]),
    )


def _in_words(cause: Cause, rules: Rules) -> str:
    """Returns the parts in words, with the plugins whose rules are named where one is how objects are read."""
    words, kinds = described(cause.parts), {part.kind for part in cause.parts}
    ruling = {plugin for side in rules for rule in side if (plugin := plugin_of(rule.id))}
    plugins = ", ".join(sorted(ruling - {part.plugin for part in cause.parts}))
    return f"{words} ({plugins})" if OBJECTS in kinds and plugins else words


def _rules(cause: Cause, releases: tuple[str, str]) -> Rules:
    """Returns what each scheduler applied otherwise. Where some of these rules stand for rules of the other
    release, only these and those that they stand for are returned."""
    mine, yours = (_applied(cause, side) for side in (0, 1))
    one = [rule for rule in mine if releases[1] not in rule.releases]
    other = [rule for rule in yours if releases[0] not in rule.releases]
    pairs = (_standing_for(one, releases[1]), _standing_for(other, releases[0]))
    if any(pairs[0]) or any(pairs[1]):
        one, other = [*pairs[0][0], *pairs[1][1]], [*pairs[0][1], *pairs[1][0]]
    one = one or [rule for rule in mine if rule not in yours]
    other = other or [rule for rule in yours if rule not in mine]
    return tuple(dict.fromkeys(one)), tuple(dict.fromkeys(other))


def _applied(cause: Cause, side: int) -> list[StatedRule]:
    """Returns the rules of the parts of the cause that a scheduler applied: those of the plugins, those that stand
    in the package ``cycle``, and, where it is how objects are read, all that are applied because of that."""
    plugins = [plugin for both in cause.plugins for plugin in both]
    modules, names = (
        {each for plugin in plugins for each in _modules(plugin)},
        {plugin.name for plugin in plugins},
    )
    kinds = {part.kind for part in cause.parts}
    return [
        rule
        for rule in (all_rules().get(name) for name in sorted(cause.applied[side]))
        if rule is not None
        and (
            rule.module in modules
            or plugin_of(rule.id) in names
            or (rule.id in cause.made[side] and (OBJECTS in kinds or kinds & set(rule.module.split("."))))
        )
    ]


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


def _notes(cause: Cause, rules: Rules, releases: tuple[str, str]) -> list[ReleaseNote]:
    """Returns what is said of the changes after the older release and not after the newer one: by the modules that
    state the rules, or by all modules of the plugins if none of them does."""
    names = list(RELEASES)
    older, newer = sorted(releases, key=names.index)
    between = names[names.index(older) : names.index(newer)]
    of_plugins = (module for side in cause.plugins for plugin in side for module in _modules(plugin))
    stating = [rule.module for side in rules for rule in side]
    notes = {
        module: release_note(module)
        for module in dict.fromkeys((*of_plugins, *stating))
        if module.removeprefix("refsched.releases.v").partition(".")[0].replace("_", ".") in between
    }
    for plugin in cause.plugins[0]:
        notes.update(_gates_since(RELEASES[older], RELEASES[newer], plugin.name))
    return [note for module, note in notes.items() if module in stating] or list(notes.values())


def _gates_since(older: Release, newer: Release, name: str) -> Iterator[tuple[str, ReleaseNote]]:
    """Yields each feature gate that only the newer release has on and without which the plugin of this name is
    another one, with the module of that one."""
    for gate in newer.gates.values():
        if (
            gate.default
            and gate.otherwise
            and not (gate.name in older.gates and older.gates[gate.name].default)
        ):
            without = gate.otherwise(newer).plugins.get(name)
            if without is not None and without != newer.plugins.get(name):
                module = type(without.without_configuration()).__module__
                yield module, ReleaseNote(f"feature gate {gate.name} is on", "", (), "")


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
