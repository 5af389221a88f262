# SPDX-License-Identifier: Apache-2.0
"""Rules: id, sentence, level and source, as they stand in the docstrings and tables of what implements them.

The docstring of the function, method or class that does it begins a sentence with the rule's id
(``R-PORTS-03: …``); the rows of the queue's transitions bear theirs, and each row of a plugin's ``EVENTS`` has one
that is made of plugin, resource and action. Nothing is written twice.

A rule is *promised* where the documented API or a KEP says so: any scheduler that calls itself compatible must
keep it. The other ones are *observed*. No level is a default (refsched/suite/catalogue/rule_metadata.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import zip_longest

from attrs import evolve, frozen

from refsched.framework.interface import EnqueueExtensions, Plugin, extends
from refsched.queue import hint_table, transitions
from refsched.queue.hint_table import HintTable, action_name, event_rule
from refsched.queue.transitions import Transitions
from refsched.reading.shipped_files import PACKAGE
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release
from refsched.releases.v1_19.queue import transitions as v1_19
from refsched.suite.catalogue.releases_of_rules import releases_by_rule
from refsched.suite.catalogue.rule_metadata import (
    NOTHING,
    OF_ITS_RULES,
    RULE_ID,
    SAID,
    RuleMetadata,
    said_by,
    said_of_rows,
)
from refsched.suite.catalogue.untestable_rules import why_elsewhere

_STATED = re.compile(
    rf"\b(?P<id>{RULE_ID})(?:{SAID})?:\s(?P<sentence>.*?)"
    rf"(?=\b{RULE_ID}(?:\s\([^()]*\))?:\s|\n\s*\n|\b(?:Source|{'|'.join(OF_ITS_RULES)}): |\bRaises |\Z)",
    re.DOTALL,
)
_SOURCE = re.compile(r"\bSource: (?P<source>.*?)(?=\n\s*\n|\Z)", re.DOTALL)

TRANSITIONS_OF: Mapping[str, Transitions] = {
    "refsched.queue.transitions": transitions.TRANSITIONS,
    "refsched.releases.v1_19.queue.transitions": v1_19.TRANSITIONS,
}
"""By module the tables whose rows are rules."""

SUITE_MODULES = ("refsched.suite.histories.judge", "refsched.suite.invariants")
"""Where the suite itself states rules: those that need no specification."""


EVENT_ROWS = "CURE"
"""The area of the rows of plugins' events."""


@frozen
class StatedRule:
    """``module`` is the Python module and ``place`` the name in it (``NodePorts.filter``) of what implements the
    rule, ``source`` where it stands in Kubernetes, and ``said`` what it says of itself or what holds around it."""

    id: str
    sentence: str
    module: str
    place: str
    source: str
    said: RuleMetadata

    @property
    def level(self) -> str:
        return self.said.level

    @property
    def why_level(self) -> str:
        """Returns why the rule is promised, or observed, as the end of a sentence."""
        return self.said.why_level

    @property
    def instead_of(self) -> tuple[str, ...]:
        """Returns the rules of later releases that this rule of an earlier one stands for."""
        return self.said.instead_of

    @property
    def area(self) -> str:
        return self.id.split("-")[1]

    @property
    def tag(self) -> str:
        """Returns the version of Kubernetes whose source is meant: that of the default release, or of the newest
        in which the rule holds."""
        return RELEASES[DEFAULT.name if DEFAULT.name in self.releases else self.releases[-1]].tag

    @property
    def cited(self) -> str:
        """Returns the source with the tag, or an empty string for a rule of the suite itself."""
        return f"{self.source.removesuffix('.')} ({self.tag})" if self.source else ""

    @property
    def is_of_a_plugin(self) -> bool:
        return ".plugins." in self.module

    @property
    def releases(self) -> tuple[str, ...]:
        """Returns the minor versions of Kubernetes in which the rule holds, the oldest first."""
        return _releases_of_rules()[self.id]

    @property
    def held_in(self) -> str:
        """Returns the releases in words: ``1.19, 1.34 to 1.37``."""
        return in_words(self.releases)


def in_words(releases: Iterable[str]) -> str:
    """Returns releases, the oldest first, as ``1.19, 1.34 to 1.37``."""
    runs: list[list[str]] = []
    for name in releases:
        if runs and minor(runs[-1][-1]) + 1 == minor(name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def minor(release: str) -> int:
    """Returns 37 of the release 1.37."""
    return int(release.partition(".")[2])


@cache
def all_rules() -> dict[str, StatedRule]:
    """Returns every rule by id, in the order of modules and lines."""
    rules: dict[str, StatedRule] = {}
    for rule in (*_stated_in(), *_event_rules()):
        if rule.id in rules:
            raise ValueError(f"{rule.id} is stated in {rules[rule.id].module} and again in {rule.module}")
        rules[rule.id] = rule
    return rules


@cache
def _releases_of_rules() -> Mapping[str, tuple[str, ...]]:
    rows = {
        name: _event_rows_of(name).union(row.rule for row in release.queue.transitions)
        for name, release in RELEASES.items()
    }
    return releases_by_rule(all_rules().values(), rows)


def stated_at(module: str, place: str) -> tuple[str, ...]:
    """Returns the ids of the rules that are stated at this place of the module, in their order."""
    return _rules_by_place().get((module, place), ())


@cache
def _rules_by_place() -> Mapping[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for rule in all_rules().values():
        place = rule.module, rule.place
        found[place] = (*found.get(place, ()), rule.id)
    return found


def is_applied(rule: StatedRule) -> bool:
    """Returns whether the specification applies the rule; those that the suite states are not."""
    return not rule.module.startswith(SUITE_MODULES)


def level_of(rule: str) -> str:
    """Returns the level of a rule by its id; an empty text if no rule has this id."""
    stated = all_rules().get(rule)
    return stated.level if stated is not None else ""


def rules_of(*areas: str) -> tuple[str, ...]:
    """Returns the ids of whole areas, but for what is tested elsewhere, and of single rules:
    ``rules_of("TAINT", "R-NOM-03")``."""
    return tuple(
        rule.id
        for rule in all_rules().values()
        if rule.id in areas or (rule.area in areas and why_elsewhere(rule.id) is None)
    )


def counterpart(rule: str, kubernetes: str, applied: Collection[str]) -> str:
    """Returns the rule itself if it holds in this release, or else one of its area that does: one of those that
    were ``applied``, if any was."""
    stated = all_rules().get(rule)
    if stated is None or kubernetes in stated.releases:
        return rule
    of_area = [
        other.id
        for other in all_rules().values()
        if other.area == stated.area and kubernetes in other.releases
    ]
    return next((other for other in of_area if other in applied), of_area[0] if of_area else rule)


# --- In docstrings --------------------------------------------------------------------------------


def _stated_in() -> Iterator[StatedRule]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        if "shipped" not in parts and (parts[0] == "refsched" or module.startswith(SUITE_MODULES)):
            text = path.read_text("utf-8")
            if _STATED.search(text) or module in TRANSITIONS_OF:  # most modules state none
                yield from _rules_of(module, text)


def _rules_of(module: str, text: str) -> Iterator[StatedRule]:
    tree = ast.parse(text)
    documentation = ast.get_docstring(tree)
    source, said = _source_of(documentation) or "", said_by(documentation, _said_by_package(_package(module)))
    yield from _documented(tree, module, "", source, said)
    of_rows = said_of_rows(documentation)
    for row in TRANSITIONS_OF.get(module, ()):
        place = f"{row.place.value}, {row.occurrence.value}"
        source_of_row = f"{source.partition(',')[0]}, {row.source}"
        yield StatedRule(
            row.rule, row.why, module, place, source_of_row, said.behind(of_rows.get(row.rule, ""))
        )


def _documented(
    node: ast.AST, module: str, place: str, source: str, said: RuleMetadata
) -> Iterator[StatedRule]:
    for name, child, documentation in _names(node):
        inside = f"{place}.{name}" if place else name
        nearer, said_here = _source_of(documentation) or source, said_by(documentation, said)
        for found in _STATED.finditer(documentation):
            own = said_here.behind(found["said"] or "")
            yield StatedRule(found["id"], _one_line(found["sentence"]), module, inside, nearer, own)
        yield from _documented(child, module, inside, nearer, said_here)


@cache
def _said_by_package(name: str) -> RuleMetadata:
    package = PACKAGE / name / "__init__.py"
    return said_by(ast.get_docstring(ast.parse(package.read_text("utf-8")))) if package.exists() else NOTHING


def _package(module: str) -> str:
    """Returns the package of the text in which a module stands, or for which a release has it."""
    return _in_any_release(module).split(".")[1]


def _names(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    """Yields the functions, classes and values that ``node`` names, with their docstrings; that of a value
    follows it."""
    children = list(ast.iter_child_nodes(node))
    for child, following in zip_longest(children, children[1:]):
        match child, following:
            case ((ast.FunctionDef() | ast.ClassDef()), _):
                yield child.name, child, ast.get_docstring(child) or ""
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(documentation))),
            ):
                yield name, child, documentation


def _source_of(documentation: str | None) -> str | None:
    found = _SOURCE.search(documentation or "")
    return _one_line(found["source"]) if found else None


def _one_line(text: str) -> str:
    return " ".join(text.split())


# --- In the plugins' tables of events -------------------------------------------------------------


def _event_rules() -> Iterator[StatedRule]:
    """Yields the rule of each row, as the newest release that has the row gives its reason."""
    stated: set[str] = set()
    for release in reversed([*RELEASES.values()]):
        for rule in _event_rules_of(release):
            if rule.id not in stated:
                stated.add(rule.id)
                yield rule


def _event_rules_of(release: Release) -> Iterator[StatedRule]:
    """Yields the rule of each row of the default plugins of this release. What holds for all of them is said by
    the module of the hint table."""
    said = said_by(hint_table.__doc__)
    if release.queue.on_event is not HintTable.strategy:
        return
    for plugin in default_plugins(release.name):
        if not extends(plugin, EnqueueExtensions):
            continue
        for row in plugin.EVENTS:
            resource = row.resource.rpartition("/")[2]
            *events, last = (f"{resource}/{action}" for action in action_name(row.action).split("+"))
            either = f"{', '.join(events)} or {last}" if events else last
            yield StatedRule(
                event_rule(plugin.name, row.resource, row.action),
                f"A pod that {plugin.name} rejected may be requeued by {either}, since {row.why}.",
                type(plugin).__module__,
                f"{plugin.name}.EVENTS",
                f"EventsToRegister of {plugin.name}",
                evolve(said, used_by=(plugin.name,)),
            )


@cache
def _event_rows_of(release: str) -> frozenset[str]:
    """Returns the rules of the rows that the default plugins of this release have."""
    return frozenset(rule.id for rule in _event_rules_of(RELEASES[release]))


@cache
def rules_of_hint(row: str) -> tuple[str, ...]:
    """Returns the rules of the hint that a row of a plugin's events asks, by the row's id (``R-CURE-…``)."""
    hints = {
        event_rule(plugin.name, each.resource, each.action): getattr(each.hint, "__qualname__", "")
        for release in RELEASES
        for plugin in default_plugins(release)
        for each in getattr(plugin, "EVENTS", ())
    }
    module = all_rules()[row].module if row in all_rules() else ""
    return tuple(
        rule.id for rule in all_rules().values() if rule.module == module and rule.place == hints.get(row)
    )


@cache
def default_plugins(release: str = DEFAULT.name) -> tuple[Plugin, ...]:
    """Returns every plugin of the default profile of this release."""
    from refsched.config.resolve import resolve
    from refsched.machine.profiles import framework_of
    from refsched.reading.configuration.read import default_config

    kubernetes = RELEASES[release]
    profile = resolve(default_config(kubernetes), kubernetes)[0]
    return tuple(framework_of(profile, release=kubernetes).plugins)


@cache
def plugins_of(rule: str) -> tuple[str, ...]:
    """Returns the plugins of which one must be there, so that the rule decides anything: those that it or its
    module names, or else those that the module has. Empty: it is a rule of the scheduler itself."""
    stated = all_rules().get(rule)
    if stated is None or stated.said.used_by:
        return stated.said.used_by if stated is not None else ()
    module = f"{_in_any_release(stated.module)}."
    found = [each for each in _plugins_of_modules() if module.startswith((f"{each}.", f"{each}_"))]
    return _plugins_of_modules()[max(found, key=len)] if found else ()


@cache
def plugin_of(rule: str) -> str | None:
    """Returns the plugin that the rule belongs to; None if plugins share it, or the scheduler itself has it."""
    plugins = plugins_of(rule)
    return plugins[0] if len(plugins) == 1 else None


@cache
def _plugins_of_modules() -> dict[str, tuple[str, ...]]:
    modules: dict[str, tuple[str, ...]] = {}
    for release in RELEASES.values():
        for plugin in release.plugins.values():
            module = _in_any_release(type(plugin.without_configuration()).__module__)
            modules[module] = tuple(dict.fromkeys((*modules.get(module, ()), plugin.name)))
    return modules


def _in_any_release(module: str) -> str:
    """Returns the module of the text to which a module in the folder of a release corresponds."""
    return re.sub(r"\breleases\.v\d+_\d+\.", "", module)
