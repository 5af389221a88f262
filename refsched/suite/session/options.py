# SPDX-License-Identifier: Apache-2.0
"""Options of the suite, read once and checked before anything runs."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest
from attrs import frozen

from refsched.checking.trace import SUFFIXES
from refsched.errors import InputError
from refsched.reading.shipped_files import CALLED_AS
from refsched.releases import release_of
from refsched.suite.adapters.connecting import is_module
from refsched.suite.level import Level, read_level
from refsched.suite.session.requirements import newest
from refsched.suite.session.shards import Shard, read_shard
from refsched.suite.session.writing import is_open

DEFAULT_IMPLEMENTATION = "refsched.reference"
REPORT_SUFFIXES = (".json", ".html")
REPLAY_SUFFIXES = (*SUFFIXES, ".yaml", ".yml")
LONGEST = 30 * 24 * 3600.0
"""A time may have at most this many seconds: no timer of the system takes much more than a month."""

_SECONDS = {"ms": 0.001, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", re.ASCII)


@frozen
class Options:
    """Options are those of the command line. ``budget`` and ``adapter_timeout`` are in seconds; ``examples`` is
    the number for each property test."""

    implementation: str = DEFAULT_IMPLEMENTATION
    only: str = ""
    level: Level = Level.ALL
    budget: float | None = None
    examples: int | None = None
    thorough: bool = False
    baseline: Path | None = None
    requirements: str = newest()
    replay: Path | None = None
    reports: tuple[Path, ...] = ()
    adapter_timeout: float = 30.0
    in_process: bool = False
    seed: str = "0"
    shard: Shard | None = None


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance", "conformance of a scheduler")
    group.addoption(
        "--impl",
        default=DEFAULT_IMPLEMENTATION,
        metavar="WHAT",
        help="what is judged: a Python module, exec:COMMAND (the wire protocol), api:COMMAND (an API server) or"
        " kube-scheduler"
        " (default: %(default)s, the specification itself)",
    )
    group.addoption(
        "--only",
        metavar="WHAT[,WHAT]",
        help="the part of it that is judged: predicates, filter, scoring, preemption, queue or full, or names of"
        " capabilities and plugins (default: all that it says it can do)",
    )
    group.addoption(
        "--kubernetes",
        default="",
        metavar="RELEASE",
        help="the release by which a Python module decides, where it knows more than one",
    )
    group.addoption(
        "--level",
        default=Level.ALL.value,
        metavar="|".join(Level),
        help="which rules count: those that Kubernetes promises, what one version was observed to do,"
        " or all (the default)",
    )
    group.addoption(
        "--budget",
        metavar="TIME",
        help="about how long to run, such as 10s, 5m or 1h: a fixed selection of tests and numbers of examples,"
        " whatever the clock says (over an API, where time is real, none begins after that time)",
    )
    group.addoption("--examples", metavar="N", help="histories for each property test")
    group.addoption("--thorough", action="store_true", help="twenty times as many histories as by default")
    group.addoption(
        "--baseline",
        metavar="FILE",
        help="a file of rules that are known to fail, one on each line; the run fails if one of them passes",
    )
    group.addoption(
        "--requirements",
        default=newest(),
        metavar="RELEASE|all",
        help="the release of the suite whose rules must be kept; rules that came later are reported, and do not"
        " fail the run (default: %(default)s, the newest)",
    )
    group.addoption(
        "--replay", metavar="FILE", help="repeat one failure from its trace or scenario, and nothing else"
    )
    group.addoption(
        "--report",
        action="append",
        default=[],
        metavar="FILE",
        help="write a .json or .html report (repeatable); JSON goes to /dev/fd/N, too",
    )
    group.addoption(
        "--shard",
        metavar="N/OF",
        help="run one part of the tests, such as 3/8; `refsched report merge` makes one report of the JSON reports"
        " of all parts",
    )
    group.addoption(CALLED_AS, default="", help=argparse.SUPPRESS)
    group.addoption(
        "--adapter-timeout",
        default="30",
        metavar="SECONDS",
        help="how long an answer may take before the implementation counts as hanging (default: %(default)s)",
    )
    group.addoption(
        "--in-process",
        action="store_true",
        help="run a Python module in the process of the suite, where a debugger reaches it; by default it"
        " has a process of its own",
    )


SELECTING = ("-k", "-m", "--budget", "--examples", "--requirements")
"""These options have a value, and choose the tests, how many examples they have, or what fails the run."""


def selecting(config: pytest.Config) -> str:
    """Returns the given options that choose what is run, as on a command line."""
    given = {option: config.getoption(option) for option in SELECTING}
    if given["--requirements"] == newest():
        del given["--requirements"]
    words = [word for option, value in given.items() if value for word in (option, str(value))]
    return shlex.join([*words, *(["--thorough"] if config.getoption("--thorough") else [])])


def arguments_of(config: pytest.Config, options: Options) -> tuple[str, ...]:
    """Returns the arguments with which ``refsched conformance`` does the whole run again, but for its baseline. A
    replay has none."""
    if options.replay is not None:
        return ()
    only = [f"--only={options.only}"] if options.only else []
    level = [f"--level={options.level}"] if options.level is not Level.ALL else []
    given = [argument.partition("::") for argument in config.args]
    tests = [Path(module).name + colons + test for module, colons, test in given if module.endswith(".py")]
    here = [f"--impl={options.implementation}", *only, *level, *shlex.split(selecting(config)), *tests]
    return (*here, f"--hypothesis-seed={options.seed}")


def _with_release(implementation: str, kubernetes: str) -> str:
    """Returns ``MODULE:RELEASE``. Programs report themselves by which release they decide."""
    if not kubernetes:
        return implementation
    if not is_module(implementation):
        raise InputError("is for a Python module alone", where="--kubernetes")
    return f"{implementation}:{release_of(kubernetes).name}"


def read_options(config: pytest.Config) -> Options:
    """Reads and checks the options. Raises InputError if one makes no sense."""
    here = config.invocation_params.dir
    return Options(
        implementation=_with_release(config.getoption("--impl"), config.getoption("--kubernetes")),
        only=_only(config.getoption("--only")),
        level=read_level(config.getoption("--level")),
        budget=_duration("--budget", config.getoption("--budget")),
        examples=_count("--examples", config.getoption("--examples")),
        thorough=config.getoption("--thorough"),
        baseline=_file("--baseline", here, config.getoption("--baseline")),
        requirements=config.getoption("--requirements"),
        replay=_with_suffix(
            "--replay", _file("--replay", here, config.getoption("--replay")), REPLAY_SUFFIXES
        ),
        reports=tuple(_report(here, path) for path in config.getoption("--report")),
        adapter_timeout=_duration("--adapter-timeout", config.getoption("--adapter-timeout")) or 30.0,
        in_process=config.getoption("--in-process"),
        seed=str(config.getoption("--hypothesis-seed") or "0"),
        shard=_shard(config.getoption("--shard")),
    )


def _only(text: str | None) -> str:
    if text is not None and not text.strip():
        raise InputError("expected what is judged, such as predicates, found nothing", where="--only")
    return text or ""


def _shard(text: str | None) -> Shard | None:
    return None if text is None else read_shard(text)


def _duration(option: str, text: str | None) -> float | None:
    if text is None:
        return None
    found = _DURATION.fullmatch(text)
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not seconds:
        raise InputError(f"expected a time like 10s, 5m or 1h, found {text!r:.60}", where=option)
    if seconds > LONGEST:
        raise InputError(f"expected {LONGEST / 3600:g}h at most, found {text!r:.60}", where=option)
    return seconds


def _count(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(f"expected a number from 1, found {text!r:.60}", where=option)
    return int(text)


def _file(option: str, here: Path, text: str | None) -> Path | None:
    if text is None:
        return None
    path = here / text
    if not path.is_file():
        problem = "is not a file" if path.exists() else "there is no such file"
        raise InputError(problem, where=f"{option}: {text}")
    return path


def _report(here: Path, text: str) -> Path:
    path = here / text
    if not path.parent.is_dir():
        raise InputError("there is no such folder to write to", where=f"--report: {text}")
    if not is_open(path):
        _with_suffix("--report", path, REPORT_SUFFIXES)
    return path


def _with_suffix(option: str, path: Path | None, suffixes: tuple[str, ...]) -> Path | None:
    if path is not None and not path.name.endswith(suffixes):
        expected = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise InputError(f"expected a file that ends with {expected}", where=f"{option}: {path.name}")
    return path
