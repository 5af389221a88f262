# SPDX-License-Identifier: Apache-2.0
"""``refsched conformance``: pytest on the suite, which this installation contains or the checkout has.

It runs in a process of its own, as ``python -m pytest`` from the working directory would, so that ``--impl``
finds a module there. A configuration or a folder ``conformance/`` in the working directory is ignored.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from refsched.suite.session.options import CALLED_AS
from refsched.tools.shipped_files import tests_folder

COMMAND = "refsched conformance"
_MODULE = re.compile(r"test_\w+\.py(::.*)?")
"""An argument that matches selects tests: a module of the suite, or one test of it."""


def conformance(arguments: Sequence[str]) -> int:
    """Returns the exit code: 0 passed, 1 failed, 2 could not be judged."""
    return subprocess.run(pytest_command(arguments), check=False).returncode


def pytest_command(arguments: Sequence[str]) -> list[str]:
    """Returns the call of pytest for arguments of ``refsched conformance``."""
    folder = tests_folder()
    selected = [each for each in arguments if _MODULE.fullmatch(each)]
    options = [each for each in arguments if each not in selected]
    return [
        *(sys.executable, "-m", "pytest"),
        *(f"--config-file={os.devnull}", f"--rootdir={folder.parent}"),
        *("-o", f"cache_dir={Path.cwd() / '.pytest_cache'}"),
        f"{CALLED_AS}={COMMAND}",
        *([str(folder / each) for each in selected] or [str(folder)]),
        *options,
    ]
