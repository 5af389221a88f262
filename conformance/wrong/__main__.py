# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong``: all that is done with wrong schedulers.

    python -m conformance.wrong                        # the planted ones
    python -m conformance.wrong NAME                   # serves one of them, or a mutant, over the wire
    python -m conformance.wrong try KIND [NAME ...]    # the default profile against them (kinds.py)
    python -m conformance.wrong naming [NAME ...]      # which rules the failures of planted ones name
    python -m conformance.wrong choose [NAME ...]      # chosen histories that show planted ones
    python -m conformance.wrong examples [RULE ...]    # the smallest history that shows a rule
    python -m conformance.wrong pages                  # the pages, from docs/evidence.json

``try``, ``naming``, ``choose`` and ``examples`` share the work among ``--jobs`` processes, or the workers of the
Dask scheduler ``--scheduler`` (conformance/machines.py).
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path

from refsched.mistakes.__main__ import main as serve

COMMANDS = {
    "try": "conformance.wrong.running",
    "naming": "conformance.wrong.naming",
    "choose": "conformance.wrong.chosen_for_planted",
    "examples": "conformance.wrong.smallest.command",
    "pages": "conformance.wrong.running",
}
"""The module of each command, whose ``main`` is given the options."""


def main(arguments: list[str]) -> int:
    """Returns 0, or 1 where a wrong scheduler survives, or 2 where there is no such one."""
    if not arguments or arguments[0] not in COMMANDS:
        return serve(arguments)
    options = _options(arguments)
    done: int = import_module(COMMANDS[options.command]).main(options)
    return done


def _options(arguments: list[str]) -> Namespace:
    shared = ArgumentParser(add_help=False)
    shared.add_argument("names", nargs="*", metavar="NAME", help="those that are tried; all without any")
    shared.add_argument("--jobs", type=int, default=2, help="processes on this machine (default: 2)")
    shared.add_argument("--scheduler", metavar="tcp://…", help="the workers of this Dask scheduler instead")
    parser = ArgumentParser("python -m conformance.wrong", description="Run wrong schedulers.")
    commands = parser.add_subparsers(dest="command", required=True)
    trying = ArgumentParser(add_help=False)
    trying.add_argument("kind", choices=("planted", "configured", "mutants", "fields", "go", "written"))
    trying.add_argument(
        "--from", dest="file", type=Path, metavar="FILE", help="written ones, as planted ones are"
    )
    trying.add_argument("--seed", default="0", help="with what seed written ones are tried (default: 0)")
    trying.add_argument("--sample", type=int, help="this many of them, the same each time")
    trying.add_argument("--skip", type=int, default=0, help="without the first this many")
    trying.add_argument("--part", default="", metavar="PROFILE", help="planted ones, judged as with --only")
    trying.add_argument("--limit", type=float, help="seconds for one")
    trying.add_argument("--rows", type=Path, help="keep each result here; those that it has are not tried")
    trying.add_argument("--keep", action="store_true", help="write docs/evidence.json and the pages anew")
    commands.add_parser("try", parents=[trying, shared], help="run the default profile against them")
    naming = commands.add_parser("naming", parents=[shared], help="see which rules a failure names")
    naming.add_argument("--sample", type=int, default=80, help="how many are drawn (default: 80)")
    naming.add_argument("--half", choices=("worked", "unseen"), default="worked", help="every second one")
    naming.add_argument("--shrink", action="store_true", help="let Hypothesis make each history small")
    naming.add_argument("--json", type=Path, help="write what was named, and by which history")
    commands.add_parser("choose", parents=[shared], help="choose histories that show planted ones")
    examples = commands.add_parser("examples", parents=[shared], help="compute the examples of rules")
    examples.add_argument("--missing", action="store_true", help="only those that there are not")
    examples.add_argument("--again", action="store_true", help="make those that there are smaller")
    commands.add_parser("pages", help="make the pages from docs/evidence.json")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
