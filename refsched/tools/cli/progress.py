# SPDX-License-Identifier: Apache-2.0
"""Progress: what takes longer than a second says so on the terminal, in one line that goes away again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0
"""Nothing is shown for this many seconds."""

_BETWEEN = 0.2
"""The line is written anew every so many seconds."""

_CLEAR = "\r\x1b[K"


@contextmanager
def progress(doing: str, of_what: str) -> Iterator[Callable[[int], None]]:
    """Returns a function to be called with how many are done so far; it prints ``refsched: doing 1,000
    of_what``. If standard error is no terminal, nothing is ever shown."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield lambda done: None
        return
    following = time.monotonic() + PATIENCE
    is_shown = False

    def show(done: int) -> None:
        nonlocal following, is_shown
        if time.monotonic() >= following:
            stream.write(f"{_CLEAR}refsched: {doing} {done:,} {of_what} …")
            stream.flush()
            following, is_shown = time.monotonic() + _BETWEEN, True

    try:
        yield show
    finally:
        if is_shown:
            stream.write(_CLEAR)
            stream.flush()
