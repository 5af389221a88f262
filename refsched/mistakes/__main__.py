# SPDX-License-Identifier: Apache-2.0
"""``python -m refsched.mistakes NAME``: a wrong scheduler, or a mutant, behind the wire protocol.

Without a name it prints the list of the wrong schedulers.

``python -m refsched.mistakes NAME --kubeconfig FILE`` is a wrong scheduler in a cluster, with the options of
``refsched run`` (docs/running.md).

``python -m refsched.mistakes --sources FILE`` is the specification with other sources of some modules: those in
FILE, a JSON object of sources by the names of modules.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from refsched.mistakes.serving import is_mutant, run_wrong, serve_changed, serve_mutant, serve_wrong
from refsched.mistakes.wrong import WrongScheduler, all_wrong
from refsched.processes.standard_output import give_up_stdout


def main(arguments: list[str]) -> int:
    """Does what the arguments say. Returns the exit code: 2 if they name no scheduler."""
    known = all_wrong()
    if not arguments:
        return _print_list(known.values())
    if arguments[0] == "--sources" and len(arguments) == 2:
        serve_changed(json.loads(Path(arguments[1]).read_text("utf-8")))
        return 0
    name = " ".join(arguments)
    if arguments[0] in known and "--kubeconfig" in arguments:
        run_wrong(known[arguments[0]], arguments[1:])
    elif name in known:
        serve_wrong(known[name])
    elif is_mutant(name):
        serve_mutant(name)
    else:
        print(f"there is no wrong scheduler {name!r}", file=sys.stderr)
        return 2
    return 0


def _print_list(known: Iterable[WrongScheduler]) -> int:
    """Returns 0, or 2 where the reader of a pipe does not read to the end."""
    try:
        for wrong in known:
            print(f"{wrong.name}: {wrong.says}")
        sys.stdout.flush()
    except BrokenPipeError:
        give_up_stdout()
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
