# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.running.kill``: the default profile against wrong schedulers; the kill matrix.

With names only those are tried, and only their rows are new. ``--configured`` tries the real kube-scheduler
instead, configured otherwise than it is asked to be.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from conformance.wrong.configured import all_configured
from conformance.wrong.running import matrix, power
from conformance.wrong.running.killing import Fate, fate_of, fate_of_configured
from conformance.wrong.running.parts import that_can_be
from conformance.wrong.running.profile import areas_about
from conformance.wrong.running.sharing import shared
from refsched.mistakes.wrong import all_wrong, areas_near
from refsched.suite.adapters.selection import PROFILES


def main(arguments: Sequence[str]) -> int:
    """1 where one survives, 2 where there is no such wrong scheduler."""
    options = _options(arguments)
    there_are = all_configured() if options.configured else all_wrong()
    unknown = [name for name in options.names if name not in there_are]
    if unknown:
        print(f"there is no wrong scheduler {unknown[0]!r}", file=sys.stderr)
        return 2
    known = matrix.read(options.json) if options.json is not None and options.json.exists() else {}
    tried: dict[str, Fate] = {}
    names = options.names or (that_can_be(options.only)[: options.most] if options.only else list(there_are))
    for fate in map(fate_of_configured, names) if options.configured else _fates(names, options):
        tried[fate.name] = fate
        print(_line(fate), flush=True)
        if options.json is not None:
            matrix.write((known | tried).values(), options.json)
    if options.json is not None and options.json.resolve() == matrix.FILE:
        power.main()
    if options.page is not None:
        of_planted = None if options.configured else options.json
        options.page.write_text(matrix.page(matrix.read(of_planted or matrix.FILE)), "utf-8")
    return 1 if any(fate.suite.kill is None for fate in tried.values()) else 0


def _options(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="python -m conformance.wrong.running.kill", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a wrong scheduler; all without any")
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once (default: 2)")
    parser.add_argument(
        "--scheduler", metavar="tcp://…", help="share the work among the workers of this Dask scheduler"
    )
    parser.add_argument(
        "--suite-only", action="store_true", help="try neither invariants nor recordings by themselves"
    )
    parser.add_argument(
        "--only",
        default="",
        choices=PROFILES,
        help="judged as this part of a scheduler, those that can be one",
    )
    parser.add_argument("--most", type=int, help="with --only: so many of those, drawn with a fixed seed")
    parser.add_argument(
        "--configured", action="store_true", help="the real kube-scheduler, wrong by its configuration"
    )
    parser.add_argument("--json", type=Path, help=f"keep the matrix here, as in {matrix.FILE.name}")
    parser.add_argument("--page", type=Path, help=f"write the matrix here, as in {matrix.PAGE}")
    return parser.parse_args(arguments)


def _fates(names: Sequence[str], options: Namespace) -> Iterator[Fate]:
    fate = partial(_fate, alone=not (options.suite_only or options.only), profile=options.only)
    if options.scheduler is None and (options.jobs < 2 or len(names) < 2):
        yield from map(fate, names)
        return
    with shared(options.jobs, options.scheduler) as each:
        yield from each(fate, names)


def _fate(name: str, *, alone: bool, profile: str) -> Fate:
    near = dict.fromkeys((*areas_about(all_wrong()[name].breaks), *areas_near(name)))
    return fate_of(name, tuple(near), alone=alone, profile=profile)


def _line(fate: Fate) -> str:
    kill = fate.suite.kill
    if kill is None:
        return f"{fate.name}: SURVIVES {fate.suite.examples} examples {fate.suite.first_fault}"
    where = kill.test.rpartition("::")[2]
    return (
        f"{fate.name}: {kill.rule} ({kill.member}) by {where}, {kill.examples} examples, {kill.seconds:.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
