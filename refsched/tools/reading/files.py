# SPDX-License-Identifier: Apache-2.0
"""Opening what a user has named: a regular file, and nothing that could keep a reader waiting."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from refsched.errors import InputError

MAX_SHOWN = 300
"""Characters of a path."""


def open_file(path: str | Path) -> BinaryIO:
    """InputError where it is no regular file: a pipe without a writer, for one, would never be opened."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InputError("is no regular file", where=shown_path(path))
        os.set_blocking(descriptor, True)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=shown_path(path)) from None
    except ValueError as error:
        raise InputError(str(error), where=shown_path(path)) from None
    return os.fdopen(descriptor, "rb")


def shown_path(path: str | Path) -> str:
    """A path as an error shows it: the end of one that is long."""
    text = str(path)
    return text if len(text) <= MAX_SHOWN else f"…{text[-MAX_SHOWN:]}"
