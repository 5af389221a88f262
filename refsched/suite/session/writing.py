# SPDX-License-Identifier: Apache-2.0
"""Writing a file as a whole: whoever reads it finds all of it, or what stood there before."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Writes beside the file, and renames it. A pipe or a terminal is written as it is, and so is what the process
    has open already, as /dev/fd/3 says. Raises OSError if it cannot be written."""
    data = text.encode("utf-8", "backslashreplace")
    if is_open(path):
        with open(int(path.name), "wb", closefd=False) as stream:
            stream.write(data)
        return
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        path.write_bytes(data)
        return
    target = path.resolve()
    beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    try:
        with open(beside, "wb") as file:
            file.write(data)
        if target.exists():
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def is_open(path: Path) -> bool:
    """Returns whether the path is the number of what the process has open already, as /dev/fd/3."""
    return path.parent == Path("/dev/fd") and path.name.isdecimal()
