# SPDX-License-Identifier: Apache-2.0
"""Garbage collection: how often Python looks for objects that only refer to each other."""

from __future__ import annotations

import gc

YOUNG = 50_000
"""Python looks once this many more objects have been created than freed: with its own 700 a start would look a
hundred times."""


def look_seldom() -> None:
    """Makes Python look for garbage only after YOUNG new objects."""
    gc.set_threshold(YOUNG)


def keep_what_there_is() -> None:
    """Makes Python look seldom, and never among what has been imported and made so far: what is kept to the end of
    the process need not be looked through each time."""
    look_seldom()
    gc.freeze()
