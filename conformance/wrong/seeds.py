# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong seeds``: with how many of ten seeds each planted mistake is found.

A case is the same with every seed, and so are the chosen histories. What a property finds with seed 0, and its
chosen histories do not, is tried with the other seeds by that property alone. So the number is a lower bound:
another property may find it where this one does not.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from conformance.chosen import chosen_histories
from conformance.machines import Each, machines
from conformance.wrong import evidence, pages
from conformance.wrong.evidence import Evidence
from conformance.wrong.profile import SuiteTest, drawn_histories, suite_tests
from conformance.wrong.trying import End, attack
from conformance.wrong.written import LIMIT, connect_edited
from refsched.mistakes.wrong import all_wrong
from refsched.releases import DEFAULT
from refsched.suite.histories.history import History


@frozen
class Task:
    """A Task is to try these mistakes, which one property finds with seed 0, with what it draws from another seed,
    or without one with its chosen histories."""

    test: str
    kubernetes: str
    names: tuple[str, ...]
    seed: int | None = None


def main(options: Namespace) -> int:
    """Prints for each mistake with how many of the seeds it is found. Returns 0."""
    known = evidence.read()
    with machines(options.jobs, options.scheduler) as each:
        counted = found_with(known, options.names, options.seeds, each)
    for name, seeds in sorted(counted.items(), key=lambda one: (one[1], one[0])):
        print(f"{seeds:3} of {options.seeds}  {name}")
    if options.keep:
        kept = evolve(known, seeds={**known.seeds, **counted})
        evidence.write(kept)
        pages.write_pages(kept)
    return 0


def found_with(known: Evidence, names: Sequence[str], seeds: int, each: Each = map) -> dict[str, int]:
    """Returns with how many of the first ``seeds`` seeds each of these mistakes is found, or each that is planted
    and that a property finds."""
    tried = names or [name for name in known.planted if is_found_by_a_property(known, name)]
    always = _found_by(_tasks(known, tried), each)
    seldom = [name for name in tried if name not in always]
    others = [evolve(task, seed=seed) for seed in range(1, seeds) for task in _tasks(known, seldom)]
    return dict.fromkeys(always, seeds) | (Counter(seldom) + _found_by(others, each))


def _found_by(tasks: Sequence[Task], each: Each) -> Counter[str]:
    found: Counter[str] = Counter()
    for names in each(_found, tasks):
        found.update(names)
    return found


def is_found_by_a_property(known: Evidence, name: str) -> bool:
    """Returns whether what finds this mistake with seed 0 is drawn."""
    return any(test.draws for test in _tests(name) if test.name == f"conformance.{known.planted[name].test}")


def _tasks(known: Evidence, names: Iterable[str]) -> list[Task]:
    by_test: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        by_test[known.planted[name].test, all_wrong()[name].kubernetes].append(name)
    return [
        Task(f"conformance.{test}", kubernetes or DEFAULT.name, tuple(found))
        for (test, kubernetes), found in by_test.items()
    ]


def _tests(name: str) -> tuple[SuiteTest, ...]:
    return suite_tests(all_wrong()[name].kubernetes or DEFAULT.name)


def _found(task: Task) -> list[str]:
    """Returns which of the mistakes are found."""
    test = next(each for each in suite_tests(task.kubernetes) if each.name == task.test)
    histories = _histories(test, task.seed)
    found = []
    for name in task.names:
        with connect_edited(all_wrong()[name]) as adapter:
            if attack(adapter, ((test, history) for history in histories), LIMIT).end is End.KILLED:
                found.append(name)
    return found


def _histories(test: SuiteTest, seed: int | None) -> Sequence[History]:
    return chosen_histories(test.name) if seed is None else drawn_histories(test, str(seed), test.examples)
