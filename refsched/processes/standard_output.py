# SPDX-License-Identifier: Apache-2.0
"""Standard output, once its reader is no more."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def give_up_stdout() -> None:
    """Replaces standard output: what it still holds could not be written, and would fail again at the end."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
