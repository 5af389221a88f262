# SPDX-License-Identifier: Apache-2.0
"""Memory: how much of it reading may use, so that no file, however large, uses all memory of a machine."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from refsched.errors import InputError

LIMIT = "REFSCHED_MEMORY"
"""This environment variable sets the limit, in GiB."""

DEFAULT_LIMIT = 4
"""This is in GiB. A cluster of 5,000 nodes and 50,000 pods, as kubectl prints it, takes less than 2."""

_GIB = 1024**3


def check_memory(where: str = "") -> None:
    """Raises InputError if this process holds more memory than it may."""
    limit = _limit()
    if _resident() > limit * _GIB:
        raise InputError(
            f"to read it takes more than {limit:g} GiB of memory: leave out what cannot matter,"
            f" or allow more by the environment variable {LIMIT}, in GiB",
            where=where,
        )


def _limit() -> float:
    text = os.environ.get(LIMIT, "")
    try:
        limit = float(text) if text else DEFAULT_LIMIT
        if limit > 0:
            return limit
    except ValueError:
        pass
    raise InputError(f"expected a number of GiB, found {text!r:.60}", where=LIMIT)


def _resident() -> int:
    """Returns the bytes that the process holds now or, if the system does not say so, the most that it ever
    held."""
    try:
        import resource
    except ImportError:  # in a browser, which has bounds of its own
        return 0
    with suppress(OSError), open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
