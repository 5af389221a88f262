# SPDX-License-Identifier: Apache-2.0
"""The default profile runs against each mutant, up to the first kill.

A history in which the specification is known not to run the mutated line cannot kill the mutant, and is not
tried. The others are tried in an order that begins with the cases and the drawn histories of the nearest areas. A
module of an earlier release is judged by that release. A timeout is not a kill. An ``error`` as an answer breaks
R-ANSWER-01, but shows only that the line was reached: it is counted separately if nothing else is found.
"""

from __future__ import annotations

import os
import pickle
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from multiprocessing import get_context

from attrs import evolve
from coverage import Coverage

from conformance.wrong.mutating.mutants import all_mutants, areas_near, group_of, path_of, sample
from conformance.wrong.running import mutant_page
from conformance.wrong.running.forking import Forked, forget_modules, replace_function
from conformance.wrong.running.killing import distance
from conformance.wrong.running.mutant_page import Attack, End, Result
from conformance.wrong.running.profile import SuiteTest, histories_of, suite_tests
from conformance.wrong.running.sharing import shared
from refsched.mistakes.mutation import Mutant, compiled
from refsched.mistakes.planting import plant
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.histories.findings import Finding
from refsched.suite.histories.judge import ANSWERS
from refsched.suite.histories.trial import try_history
from refsched.suite.session.standard import StandardBench

TIMEOUT = 10.0
"""Seconds for one answer."""

CHUNK = 12
"""So many histories of a test are tried before those of the next."""

MORE_AFTER_AN_ERROR = 12
"""Histories that are tried after the first ``error``, to see whether an answer is wrong too."""

ALONE = 0.6
"""CPU seconds for the invariants alone, and for the recordings alone."""

Reach = list[dict[str, frozenset[int]]]
"""For each history of a test: the lines of refsched that the specification runs, by file."""


def run(options: Namespace) -> int:
    """0 where nothing survives."""
    mutants = sample(options.sample, options.seed)
    if options.names:
        mutants = [one for one in all_mutants() if one.name in options.names]
    known = mutant_page.read(options.json) if options.json is not None else {}
    mutants = [one for one in mutants if options.again or one.name not in known]
    reached = _reach(options)
    survivors = 0
    with shared(options.jobs, options.scheduler) as each:
        for result in each(_try, [_with_numbers(_Task(one, options.limit), reached) for one in mutants]):
            known[result.name] = result
            survivors += result.suite.end is End.SURVIVED
            print(_line(result), flush=True)
            if options.json is not None:
                mutant_page.write(known.values(), options.json)
    if options.page is not None:
        options.page.write_text(mutant_page.page(known), "utf-8")
    return 1 if survivors else 0


class _Task:
    """What a mutant is tried with: its tree stays at home. ``numbers`` are those of the histories that are tried,
    by test."""

    def __init__(self, mutant: Mutant, limit: float) -> None:
        self.name, self.module, self.diff, self.limit = mutant.name, mutant.module, mutant.diff, limit
        self.first, self.last = _lines(mutant)
        self.kubernetes = _kubernetes(mutant.module)
        self.numbers: dict[str, Sequence[int]] = {}


def _with_numbers(task: _Task, reached: Mapping[str, Reach]) -> _Task:
    known = reached if task.kubernetes == DEFAULT.name else {}
    task.numbers = {test.name: tuple(_deciding(task, test, known)) for test in suite_tests(task.kubernetes)}
    return task


def _kubernetes(module: str) -> str:
    """The release by which a mutant of this module is judged: an earlier one for its own modules (``v1_19``)."""
    parts = module.split(".")
    return next((name for name in RELEASES if f"v{name.replace('.', '_')}" in parts), DEFAULT.name)


def _lines(mutant: Mutant) -> tuple[int, int]:
    """None at all where the module's import runs it."""
    return (0, 0) if mutant.place.always else (mutant.place.first, mutant.place.last)


def _line(result: Result) -> str:
    attack = result.suite
    line = f"{attack.end.value:9} {attack.rule:12} {attack.seconds:6.1f} s {attack.tried:4} tried"
    return f"{line}  {result.name}  {result.diff}"


# --- Reach ----------------------------------------------------------------------------------------


def _reach(options: Namespace) -> dict[str, Reach]:
    """What an earlier run has learned, and with ``--learn`` the rest, which takes minutes."""
    known: dict[str, Reach] = {}
    if options.reach is not None and options.reach.exists():
        known = pickle.loads(options.reach.read_bytes())
    if options.learn:
        missing = [test for test in suite_tests() if test.name not in known]
        for test in missing:
            histories_of(test)
        with get_context("fork").Pool(options.jobs) as pool:
            for name, reached in pool.imap_unordered(_reach_of, [test.name for test in missing]):
                known[name] = reached
                if options.reach is not None:
                    options.reach.write_bytes(pickle.dumps(known))
    return known


def _reach_of(name: str) -> tuple[str, Reach]:
    test = next(test for test in suite_tests() if test.name == name)
    found = []
    with connect("refsched.reference") as adapter:
        for history in histories_of(test):
            tracer = Coverage(data_file=None, include=["*/refsched/*"], config_file=False)
            tracer.start()
            try:
                try_history(adapter, history)
            finally:
                tracer.stop()
            data = tracer.get_data()
            found.append({path: frozenset(data.lines(path) or ()) for path in data.measured_files()})
    return name, found


def _reaching(task: _Task, tests: Sequence[SuiteTest]) -> Iterator[tuple[SuiteTest, int]]:
    """The histories that run any of the lines, or the module at all, a few of each test at a time: first those of
    the nearest areas, and then the others. All are returned if it is unknown what runs the lines."""
    near = areas_near(task.module)
    for is_near in (True, False):
        by_test = [
            [(test, number) for number in task.numbers[test.name]]
            for test in tests
            if (test.area in near) is is_near
        ]
        while any(by_test):
            for left in by_test:
                yield from left[:CHUNK]
                del left[:CHUNK]


def _deciding(task: _Task, test: SuiteTest, reached: Mapping[str, Reach]) -> Iterable[int]:
    if test.name not in reached:
        return range(len(histories_of(test)))
    path, lines = str(path_of(task.module)), frozenset(range(task.first, task.last + 1))
    runs = [ran.get(path, frozenset()) for ran in reached[test.name]]
    return [number for number, ran in enumerate(runs) if ran & lines or not task.last]


# --- One mutant -----------------------------------------------------------------------------------


def _try(task: _Task) -> Result:
    near = areas_near(task.module)
    tests = sorted(suite_tests(task.kubernetes), key=lambda test: distance(test, near))
    group = group_of(task.module)
    began = _cpu()
    try:
        adapter = _mutated(task)
    except AdapterFault as fault:
        broken = Attack(End.BROKEN, problem=fault.problem)
        return Result(task.name, group, task.diff, broken, broken, broken)
    with adapter:
        suite = attack(adapter, _reaching(task, tests), task.limit)
        drawn = _reaching(task, [test for test in tests if not test.recorded])
        recorded = _reaching(task, [test for test in tests if test.recorded])
        alone = ALONE if suite.end is End.KILLED else 0.0
        invariants = attack(adapter, drawn, alone, with_specification=False)
        recordings = attack(adapter, recorded, alone)
    suite = evolve(
        suite, seconds=round(suite.seconds + _child_seconds(began, suite, invariants, recordings), 2)
    )
    return Result(task.name, group, task.diff, suite, invariants, recordings)


def kill_nearby(mutant: Mutant, limit: float = 20.0) -> Attack:
    """Try the histories of the nearest area, whatever lines they run."""
    task = _Task(mutant, limit)
    nearest = areas_near(mutant.module)[0]
    tests = [test for test in suite_tests() if test.area == nearest and not test.recorded]
    with _mutated(task) as adapter:
        return attack(adapter, [(test, n) for test in tests for n in range(len(histories_of(test)))], limit)


def _child_seconds(began: float, *attacks: Attack) -> float:
    """What the mutant's process took, which is known when it has ended, as far as it falls to the first attack."""
    all_tried = sum(attack.tried for attack in attacks) or 1
    left = _cpu() - began - sum(attack.seconds for attack in attacks)
    return left * attacks[0].tried / all_tried


def _mutated(task: _Task) -> Adapter:
    return Adapter(task.name, Forked(lambda: _change(task), TIMEOUT), task.kubernetes)


def _change(task: _Task) -> None:
    source = path_of(task.module).read_text("utf-8")
    code = compiled(source, task.name, task.module, str(path_of(task.module)))
    if not task.last or not replace_function(task.module, task.name.split(":")[1], code):
        forget_modules(task.module)
        plant(task.module, lambda _: code)


def attack(
    adapter: Adapter,
    histories: Iterable[tuple[SuiteTest, int]],
    limit: float,
    *,
    with_specification: bool = True,
) -> Attack:
    """Try the histories one after the other, up to the first kill or for so many CPU seconds."""
    began, wall = _cpu(), time.monotonic()
    tried = errors = faults = 0
    problem = ""

    def ended(end: End, test: str = "", rule: str = "", member: str = "") -> Attack:
        return Attack(end, test, rule, member, tried, round(_cpu() - began, 2), problem[:200])

    for test, number in histories:
        if faults > 1 or errors > MORE_AFTER_AN_ERROR:
            break
        if tried and (_cpu() - began > limit or time.monotonic() - wall > 10 * limit):
            break
        tried += 1
        try:
            found = try_history(
                adapter, histories_of(test)[number], with_specification=with_specification
            ).findings
        except AdapterFault as fault:
            faults, problem = faults + 1, problem or fault.problem
            continue
        said = [one for one in found if one.rule == ANSWERS]
        errors += bool(said or errors)
        problem = problem or (str(said[0].got) if said else "")
        if found and not said:
            worst = min(found, key=_order)
            return ended(End.KILLED, test.name, worst.rule, worst.member)
    if errors or faults:
        return ended(End.ERROR if errors else End.TIMEOUT)
    return ended(End.SURVIVED if tried else End.UNREACHED)


def _cpu() -> float:
    """Seconds of this process, and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _order(finding: Finding) -> int:
    return _places().get(finding.rule, len(_places()))


@cache
def _places() -> dict[str, int]:
    return {rule: place for place, rule in enumerate(StandardBench().rules)}
