# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong choose``: chosen histories that show what is planted, so that it is found with
every seed.

A case is the same with every seed, and so are the chosen histories. Where a property finds a planted mistake and
none of its chosen histories does, the property draws with other seeds than most runs do, and the first history
that shows the mistake is chosen, too.
"""

from __future__ import annotations

from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from attrs import frozen

from conformance.chosen import chosen_histories, write_histories
from conformance.machines import Each, machines
from conformance.wrong import evidence
from conformance.wrong.evidence import Evidence
from conformance.wrong.options import check_names
from conformance.wrong.profile import SEED, SuiteTest, drawn_histories, suite_tests
from conformance.wrong.trying import End, attack
from conformance.wrong.written import LIMIT, connect_edited
from refsched.mistakes.wrong import all_wrong
from refsched.releases import DEFAULT
from refsched.suite.histories.history import History

SEEDS = ("1", "2", SEED)
"""The last one shows each of them; but what the default run draws in any case need not be chosen."""


@frozen
class Task:
    """A Task is to find chosen histories of this property that show these mistakes, which decide by this release,
    or by the newest without one."""

    test: str
    kubernetes: str
    names: tuple[str, ...]


@frozen
class Chosen:
    """A Chosen has what was done for a property: the histories that are ``added``, and the mistakes that none
    showed."""

    test: str
    added: tuple[History, ...]
    hidden: tuple[str, ...]


def main(options: Namespace) -> int:
    """Adds to the chosen histories. Returns 0, or 1 if nothing that is drawn shows some mistake."""
    known = evidence.read()
    check_names(options.names, known.planted, "planted scheduler that was tried")
    chosen: dict[str, list[History]] = {}
    hidden: list[str] = []
    with machines(options.jobs, options.scheduler) as each:
        for done in choose(known, options.names, each):
            histories = chosen.setdefault(done.test, list(chosen_histories(done.test)))
            added = [history for history in done.added if history not in histories]
            histories += added
            hidden += done.hidden
            if added:
                write_histories(done.test, histories)
            print(f"{len(added):4} histories are added to {done.test}", flush=True)
    for name in hidden:
        print(f"nothing shows {name}")
    return int(bool(hidden))


def choose(known: Evidence, names: Sequence[str], each: Each = map) -> Iterable[Chosen]:
    """Yields what is chosen for these mistakes, or for all that a property finds and no case."""
    return each(_choose, _tasks(known, names or [one for one in known.planted if by_property(known, one)]))


def by_property(known: Evidence, name: str) -> bool:
    """Returns whether what finds this mistake with seed 0 is drawn."""
    return test_of(known, name).draws


def test_of(known: Evidence, name: str) -> SuiteTest:
    """Returns the test that finds this mistake with seed 0."""
    return _named(f"conformance.{known.planted[name].test}", all_wrong()[name].kubernetes)


def _named(test: str, kubernetes: str) -> SuiteTest:
    return next(each for each in suite_tests(kubernetes or DEFAULT.name) if each.name == test)


def _tasks(known: Evidence, names: Iterable[str]) -> list[Task]:
    by_test: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        by_test[known.planted[name].test, all_wrong()[name].kubernetes].append(name)
    return [
        Task(f"conformance.{test}", kubernetes, tuple(found)) for (test, kubernetes), found in by_test.items()
    ]


def _choose(task: Task) -> Chosen:
    test = _named(task.test, task.kubernetes)
    added: list[History] = []
    hidden = []
    for name in task.names:
        if first_that_shows(name, test, [*chosen_histories(test.name), *added]) is not None:
            continue
        found = (first_that_shows(name, test, _drawn(test, seed)) for seed in SEEDS)
        history = next((one for one in found if one is not None), None)
        if history is None:
            hidden.append(name)
        else:
            added.append(history)
    return Chosen(test.name, tuple(added), tuple(hidden))


@cache
def _drawn(test: SuiteTest, seed: str) -> Sequence[History]:
    return drawn_histories(test, seed, test.examples)


def first_that_shows(name: str, test: SuiteTest, histories: Sequence[History]) -> History | None:
    """Returns the first of these histories of a test in which the planted mistake is found."""
    with connect_edited(all_wrong()[name]) as adapter:
        came = attack(adapter, ((test, history) for history in histories), LIMIT)
    return histories[came.tried - 1] if came.end is End.KILLED else None
