# SPDX-License-Identifier: Apache-2.0
"""The exit codes that all commands share."""

from __future__ import annotations

AGREED = 0
"""The scheduler agreed, the suite passed, or every pod was placed."""

DISAGREED = 1
"""The scheduler disagreed, the suite failed, or a pod was not placed."""

NOT_JUDGED = 2
"""Nothing could be judged, since the input is bad."""
