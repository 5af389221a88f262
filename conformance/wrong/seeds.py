# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong seeds``: with how many of ten seeds each planted mistake is found.

A case is the same with every seed. What a property finds with seed 0 is tried with the other seeds by that
property alone. So the number is a lower bound: another property may find it where this one does not.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

from conformance.machines import Each, machines
from conformance.wrong import evidence, pages
from conformance.wrong.evidence import Evidence
from conformance.wrong.profile import SuiteTest, histories_of, suite_tests
from conformance.wrong.trying import End, attack
from conformance.wrong.written import LIMIT, connect_edited
from refsched.mistakes.wrong import all_wrong
from refsched.releases import DEFAULT


@frozen
class Task:
    """A Task is to try these mistakes, which one property finds with seed 0, with another seed."""

    test: str
    kubernetes: str
    seed: int
    names: tuple[str, ...]


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
    chosen = names or [name for name in known.planted if is_found_by_a_property(known, name)]
    found = Counter(chosen)
    for done in each(_found, list(_tasks(known, chosen, seeds))):
        found.update(done)
    return dict(found)


def is_found_by_a_property(known: Evidence, name: str) -> bool:
    """Returns whether what finds this mistake with seed 0 is drawn."""
    return any(test.draws for test in _tests(name) if test.name == f"conformance.{known.planted[name].test}")


def _tasks(known: Evidence, names: Iterable[str], seeds: int) -> Iterator[Task]:
    by_test: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        by_test[known.planted[name].test, all_wrong()[name].kubernetes].append(name)
    for (test, kubernetes), found in by_test.items():
        for seed in range(1, seeds):
            yield Task(f"conformance.{test}", kubernetes or DEFAULT.name, seed, tuple(found))


def _tests(name: str) -> tuple[SuiteTest, ...]:
    return suite_tests(all_wrong()[name].kubernetes or DEFAULT.name)


def _found(task: Task) -> list[str]:
    """Returns which of the mistakes are found with this seed."""
    test = next(each for each in suite_tests(task.kubernetes) if each.name == task.test)
    histories = histories_of(test, str(task.seed))
    found = []
    for name in task.names:
        with connect_edited(all_wrong()[name]) as adapter:
            if attack(adapter, ((test, history) for history in histories), LIMIT).end is End.KILLED:
                found.append(name)
    return found
