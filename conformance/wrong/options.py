# SPDX-License-Identifier: Apache-2.0
"""The options of the commands of ``python -m conformance.wrong``.

Each command, and each kind of wrong schedulers that is tried, has those that mean something for it. Any other one
is refused (exit code 2).
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from refsched.errors import InputError
from refsched.suite.adapters.selection import PROFILES


def read_options(arguments: Sequence[str]) -> Namespace:
    """Reads a command and its options. Ends the process with exit code 2 if they are none."""
    parser = ArgumentParser("python -m conformance.wrong", description="Run wrong schedulers.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_kinds(commands.add_parser("try", help="run the default profile against them"))
    shared = [_names(), _sharing()]
    naming = commands.add_parser("naming", parents=shared, help="see which rules a failure names")
    naming.add_argument(
        "--sample", type=number_from(1), default=80, help="how many are drawn, if none is named (default: 80)"
    )
    naming.add_argument(
        "--half", choices=("worked", "unseen"), default="worked", help="every second one drawn"
    )
    naming.add_argument("--shrink", action="store_true", help="let Hypothesis make each history small")
    naming.add_argument("--json", type=Path, help="write what was named, and by which history")
    commands.add_parser("choose", parents=shared, help="choose histories that show planted ones")
    examples = commands.add_parser("examples", help="compute the examples of rules")
    examples.add_argument("names", nargs="*", metavar="RULE", help="only of these")
    _add_jobs(examples.add_argument)
    examples.add_argument("--missing", action="store_true", help="only those that there are not")
    examples.add_argument("--again", action="store_true", help="make those that there are smaller")
    commands.add_parser("pages", help="make the pages from docs/evidence.json")
    return parser.parse_args(arguments)


def _add_kinds(trying: ArgumentParser) -> None:
    trying.set_defaults(part="", keep=False)
    kinds = trying.add_subparsers(dest="kind", required=True)
    selecting, sharing, keeping = [_names(), _selecting()], [_sharing()], [_keeping()]
    planted = kinds.add_parser("planted", parents=[*selecting, *sharing, *keeping])
    planted.add_argument(
        "--part", choices=tuple(PROFILES), help="those that can be one, judged as with --only"
    )
    for kind in ("configured", "mutants"):
        kinds.add_parser(kind, parents=[*selecting, *sharing, *keeping])
    kinds.add_parser("fields", parents=[*selecting, *sharing])
    kinds.add_parser("go", parents=[*selecting, *keeping])
    written = kinds.add_parser("written", parents=[*selecting, *sharing, *keeping])
    written.add_argument(
        "--from", dest="file", type=Path, metavar="FILE", required=True, help="written as planted ones are"
    )
    written.add_argument("--seed", default="0", help="of what they are tried with (default: 0)")


def _names() -> ArgumentParser:
    parser = ArgumentParser(add_help=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    return parser


def _sharing() -> ArgumentParser:
    parser = ArgumentParser(add_help=False)
    either = parser.add_mutually_exclusive_group()
    _add_jobs(either.add_argument)
    either.add_argument("--scheduler", metavar="tcp://…", help="the workers of this Dask scheduler instead")
    return parser


def _add_jobs(add: Callable[..., object]) -> None:
    add("--jobs", type=number_from(1), default=2, help="processes on this machine (default: 2)")


def _selecting() -> ArgumentParser:
    parser = ArgumentParser(add_help=False)
    parser.add_argument("--sample", type=number_from(1), help="this many of them, the same each time")
    parser.add_argument("--skip", type=number_from(0), default=0, help="without the first this many")
    parser.add_argument("--limit", type=float, help="seconds for one")
    parser.add_argument("--rows", type=Path, help="keep each result here; those that it has are not tried")
    return parser


def _keeping() -> ArgumentParser:
    parser = ArgumentParser(add_help=False)
    parser.add_argument("--keep", action="store_true", help="write docs/evidence.json and the pages anew")
    return parser


def number_from(least: int) -> Callable[[str], int]:
    """Returns what reads an option as a number that is not less. It raises ArgumentTypeError otherwise."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"expected a number from {least}, found {text!r:.60}")
        return int(text)

    return read


def check_names(names: Iterable[str], known: Collection[str], what: str = "wrong scheduler") -> None:
    """Raises InputError if one of the names is none of those that are known."""
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise InputError(f"there is no {what} {unknown!r}")
