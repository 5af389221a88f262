# SPDX-License-Identifier: Apache-2.0
"""Configured: examples of the rules by which a configuration is read, which decide before there is a scheduler.

The configurations are those of ``tests/config``; each is made as small as one that applies the rule, and is
refused or accepted as before. One that is accepted is shown with two nodes and a pod.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import conformance
from conformance.vocabulary.objects import cpu, node, pod
from conformance.wrong.smallest.finding import Found
from conformance.wrong.smallest.shrinking import Shrinking, size_of
from refsched.errors import InputError
from refsched.releases import DEFAULT
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Schedule, Step, creating
from refsched.tools.rulebook.running import configuring

_TESTS = "test_config_rules"
_GATES: Mapping[str, Mapping[str, bool]] = {
    "R-FEATURE-01": {"NoSuchGate": True},
    "R-FEATURE-02": {"DRADeviceTaints": True},
}
"""Feature gates that are refused: one that there is not, and one that is not followed."""

_ARGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "R-ARGS-01": ("NodeResourcesFit", {}),
    "R-ARGS-03": ("PodTopologySpread", {"defaultingType": ""}),
    "R-ARGS-04": ("DynamicResources", {}),
    "R-ARGS-11": ("DynamicResources", {"filterTimeout": "5s"}),
}
"""Arguments of a plugin that are completed, and some that are refused while a feature gate is off."""

_GATES_OF = {"R-ARGS-11": {"DRASchedulerFilterTimeout": False}}

_PLACED: tuple[Step, ...] = (*creating(node("node-a"), node("node-b"), pod("web", cpu("1"))), Schedule())


def examples(rules: Collection[str] = ()) -> Iterator[Found]:
    """One for each rule that a configuration of the tests applies; of these rules, if there are any."""
    for rule, histories in _candidates().items():
        if rules and rule not in rules:
            continue
        found = [shrunk for history in histories if (shrunk := _smallest(rule, history)) is not None]
        if found:
            yield Found(rule, min(found, key=size_of), None)


def _candidates() -> Mapping[str, Sequence[History]]:
    folder = str(Path(conformance.__path__[0]).parent / "tests")
    sys.path[:0] = [folder, f"{folder}/config"]
    tests = import_module(_TESTS)
    found: dict[str, list[History]] = {
        rule: [History((), dict(DEFAULT_CONFIG), gates)] for rule, gates in _GATES.items()
    }
    for rule, (plugin, args) in _ARGS.items():
        config = {**DEFAULT_CONFIG, "profiles": [{"pluginConfig": [{"name": plugin, "args": dict(args)}]}]}
        found[rule] = [History((), config, _GATES_OF.get(rule, {}))]
    for test in vars(tests).values():
        for mark in getattr(test, "pytestmark", ()):
            for rule, config in mark.args[1] if mark.name == "parametrize" else ():
                whole = {**DEFAULT_CONFIG, **config}
                found.setdefault(rule, []).append(History((), whole))
    return found


def _smallest(rule: str, history: History) -> History | None:
    refused, applied = _done(history)
    if rule not in applied:
        return None

    def shows(other: History) -> bool:
        return _done(other)[0] == refused and rule in _done(other)[1]

    smallest = Shrinking(history, shows).smallest()
    return smallest if refused else History(_PLACED, smallest.config, smallest.feature_gates)


def _done(history: History) -> tuple[bool, frozenset[str]]:
    """Whether it is refused, and the rules that are applied."""
    heard: set[str] = set()
    try:
        configuring(history, DEFAULT.name, heard)
    except InputError:
        return True, frozenset(heard)
    return False, frozenset(heard)
