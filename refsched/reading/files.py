# SPDX-License-Identifier: Apache-2.0
"""Files: a file that a user has named is opened if it is a regular one, and never one that could keep a reader
waiting."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from refsched.errors import InputError

MAX_SHOWN = 300
"""This many characters of a path are shown."""


def open_file(path: str | Path) -> BinaryIO:
    """Opens a regular file, or a pipe such as the shell's ``<(…)``, which is like an empty file if nobody writes
    to it. Raises InputError for anything else: reading a device may never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        mode = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            os.close(descriptor)
            raise InputError("is neither a regular file nor a pipe", where=shown_path(path))
        os.set_blocking(descriptor, True)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=shown_path(path)) from None
    except ValueError as error:
        raise InputError(str(error), where=shown_path(path)) from None
    return os.fdopen(descriptor, "rb")


def is_pipe(path: str | Path) -> bool:
    """Returns whether the file can be read only once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def shown_path(path: str | Path) -> str:
    """Returns a path as an error shows it: only its end if it is long."""
    text = str(path)
    return text if len(text) <= MAX_SHOWN else f"…{text[-MAX_SHOWN:]}"
