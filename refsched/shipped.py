# SPDX-License-Identifier: Apache-2.0
"""Shipped: where the recordings and the Go recorder lie, in a checkout and in an installed package."""

from __future__ import annotations

from pathlib import Path

from refsched.errors import InputError

_HERE = Path(__file__).parent
_PLACES = (_HERE / "shipped_traces", _HERE.parent / "traces")
"""As the wheel has it (pyproject.toml, force-include), and as a checkout has it."""


def data_folder() -> Path:
    """The folder with ``recorder/`` and the recordings of each version."""
    for place in _PLACES:
        if (place / "recorder").is_dir():
            return place
    raise InputError(f"this installation has no recordings and no recorder (looked for {_PLACES[0]})")
