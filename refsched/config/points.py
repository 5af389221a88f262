# SPDX-License-Identifier: Apache-2.0
"""The extension points, as a configuration spells them."""

from __future__ import annotations

EXTENSION_POINTS = (
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
)
