# SPDX-License-Identifier: Apache-2.0
"""Names: how devices and pools are named in full."""

from __future__ import annotations

from typing import NamedTuple


class PoolID(NamedTuple):
    """A PoolID is a pool's full name; str() spells it as messages do."""

    driver: str
    pool: str

    def __str__(self) -> str:
        return "/".join(self)


class DeviceID(NamedTuple):
    """A DeviceID is a device's full name; str() spells it as messages do."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return "/".join(self)
