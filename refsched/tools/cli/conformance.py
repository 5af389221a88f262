# SPDX-License-Identifier: Apache-2.0
"""``refsched conformance``: pytest on the suite, which this installation contains or the checkout has.

It runs as ``python -m pytest`` from the working directory would, so that ``--impl`` finds a module there, and in
place of this process, so that whoever ends this one ends the run. A configuration or a folder ``conformance/`` in
the working directory is ignored.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from refsched.errors import InputError, did_you_mean
from refsched.reading.shipped_files import CALLED_AS, tests_folder

COMMAND = "refsched conformance"

_MODULE = re.compile(r"test_\w+\.py(::.*)?")
"""An argument that matches selects tests: a module of the suite, or one test of it."""

STDOUT, STDERR = 1, 2

_AS_JSON = ("-o", "json")


def conformance(arguments: Sequence[str]) -> int:
    """Ends with the exit code, or returns it: 0 passed, 1 failed, 2 could not be judged."""
    for index, pair in enumerate(pairwise(arguments)):
        if pair == _AS_JSON:
            arguments = [*arguments[:index], *arguments[index + 2 :], _report_on_stdout()]
            break
    command = pytest_command(arguments)
    sys.stdout.flush()
    return os.execv(command[0], command)


def _report_on_stdout() -> str:
    """Leaves standard output to the report, as the option that names it says, and standard error to all else."""
    stdout = os.dup(STDOUT)
    os.set_inheritable(stdout, True)
    os.dup2(STDERR, STDOUT)
    return f"--report=/dev/fd/{stdout}"


def pytest_command(arguments: Sequence[str]) -> list[str]:
    """Returns the call of pytest for arguments of ``refsched conformance``. Raises InputError if they name
    a module that the suite does not have."""
    folder = tests_folder()
    selected = [each for each in arguments if _MODULE.fullmatch(each)]
    modules = sorted(path.name for path in folder.glob("test_*.py"))
    for each in selected:
        module = each.partition("::")[0]
        if module not in modules:
            hint = did_you_mean(module, modules) or f"; there are {', '.join(modules)}"
            raise InputError(f"the suite has no such module{hint}", where=each)
    options = [each for each in arguments if each not in selected]
    return [
        *(sys.executable, "-m", "pytest"),
        *(f"--config-file={os.devnull}", f"--rootdir={folder.parent}", "--no-header"),
        *("-o", f"cache_dir={Path.cwd() / '.pytest_cache'}"),
        f"{CALLED_AS}={COMMAND}",
        *([str(folder / each) for each in selected] or [str(folder)]),
        *options,
    ]
