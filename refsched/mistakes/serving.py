# SPDX-License-Identifier: Apache-2.0
"""Serving: a wrong scheduler answers the wire protocol on stdin and stdout, or schedules in a cluster.

The specification is imported only when the mistake is in place, and must not have been imported before.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from runpy import run_module

from refsched.mistakes.mutation import compiled, mutants_of
from refsched.mistakes.planting import Change, plant, replacing
from refsched.mistakes.wrong import WrongScheduler

_FOLDER = Path(__file__).parents[2]


def serve_wrong(wrong: WrongScheduler) -> None:
    """Makes the edit, and serves until stdin ends."""
    plant(wrong.module, replacing(wrong.before, wrong.after))
    _serve(wrong.kubernetes)


def run_wrong(wrong: WrongScheduler, options: Sequence[str]) -> None:
    """Makes the edit, and schedules in a cluster as ``refsched run`` does with these options."""
    plant(wrong.module, replacing(wrong.before, wrong.after))
    from refsched.objects.pod import DEFAULT_SCHEDULER_NAME

    release = ["--kubernetes", wrong.kubernetes] if wrong.kubernetes else []
    sys.argv[1:] = ["run", "--scheduler-name", DEFAULT_SCHEDULER_NAME, *release, *options]
    run_module("refsched", run_name="__main__")


def is_mutant(name: str) -> bool:
    """Returns whether the specification has a mutant of this name."""
    path = _path_of(name)
    known = mutants_of(_module_of(name), path.read_text("utf-8")) if path.is_file() else ()
    return any(mutant.name == name for mutant in known)


def serve_mutant(name: str) -> None:
    """Serves the mutant of this name (mutation.py) until stdin ends."""
    module, path = _module_of(name), str(_path_of(name))
    plant(module, lambda source: compiled(source, name, module, path))
    _serve()


def serve_changed(sources: Mapping[str, str]) -> None:
    """Serves with these sources in the place of those of these modules until stdin ends."""
    for module, source in sources.items():
        plant(module, _becomes(source))
    _serve()


def _becomes(source: str) -> Change:
    return lambda _: source


def _module_of(mutant: str) -> str:
    return f"refsched.{mutant.partition(':')[0]}"


def _path_of(mutant: str) -> Path:
    return _FOLDER.joinpath(*_module_of(mutant).split(".")).with_suffix(".py")


def _serve(kubernetes: str = "") -> None:
    from refsched import reference
    from refsched.processes.serving import serve
    from refsched.releases import DEFAULT

    serve(reference.create, sys.stdin.buffer, sys.stdout.buffer, kubernetes or DEFAULT.name)
