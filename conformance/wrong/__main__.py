# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong``: all that is done with wrong schedulers.

    python -m conformance.wrong                        # the planted ones
    python -m conformance.wrong NAME                   # serves one of them, or a mutant, over the wire
    python -m conformance.wrong try KIND [NAME ...]    # the default profile against them (kinds.py)
    python -m conformance.wrong naming [NAME ...]      # which rules the failures of planted ones name
    python -m conformance.wrong choose [NAME ...]      # chosen histories that show planted ones
    python -m conformance.wrong examples [RULE ...]    # the smallest history that shows a rule
    python -m conformance.wrong pages                  # the pages, from docs/evidence.json

``try`` of all kinds but ``go``, ``naming`` and ``choose`` share the work among ``--jobs`` processes, or the
workers of the Dask scheduler ``--scheduler`` (conformance/machines.py); ``examples`` shares it among processes.
Exit codes: 0 all is well, 1 a wrong scheduler survives, or nothing reaches or shows it, 2 it could not be tried.
"""

from __future__ import annotations

import sys
from importlib import import_module

from refsched.errors import InputError
from refsched.mistakes.__main__ import main as serve
from refsched.suite.adapters.faults import AdapterUnavailable

COMMANDS = {
    "try": "conformance.wrong.running",
    "naming": "conformance.wrong.naming",
    "choose": "conformance.wrong.chosen_for_planted",
    "examples": "conformance.wrong.smallest.command",
    "pages": "conformance.wrong.running",
}
"""The module of each command, whose ``main`` is given the options. They are imported when they are run: who serves
a wrong scheduler needs none of them."""


def main(arguments: list[str]) -> int:
    """Serves a wrong scheduler, or runs a command, and returns the exit code."""
    if not arguments or arguments[0] not in COMMANDS:
        return serve(arguments)
    options = import_module("conformance.wrong.options").read_options(arguments)
    try:
        done: int = import_module(COMMANDS[options.command]).main(options)
    except (InputError, AdapterUnavailable) as problem:
        print(problem, file=sys.stderr)
        return 2
    return done


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
