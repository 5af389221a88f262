# SPDX-License-Identifier: Apache-2.0
"""Memory: how much of it reading may take, so that no file, however large, takes all that a machine has."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress

from refsched.errors import InputError

LIMIT = "REFSCHED_MEMORY"
"""The environment variable that sets the limit, in GiB."""

DEFAULT_LIMIT = 4
"""GiB. A cluster of 5,000 nodes and 50,000 pods, as kubectl prints it, takes less than 2."""

_GIB = 1024**3


def check_memory(where: str = "") -> None:
    """InputError where this process holds more memory than it may."""
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
    """Bytes; where the system does not say what is held now, the most that was ever held."""
    with suppress(OSError), open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
