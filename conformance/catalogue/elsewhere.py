# SPDX-License-Identifier: Apache-2.0
"""Elsewhere: rules that no test of the suite is about, each with the reason and where it is checked instead.

Longest beginning of an id first, as with levels. A rule that is in no test's list must be found here.
"""

from __future__ import annotations

_ELSEWHERE = {
    "R-CONFIG": (
        "what is refused of a configuration is said before there is a scheduler to ask: tests/config, which were"
        " held against kube-scheduler's own loader"
    ),
    "R-ARGS": "as R-CONFIG: the arguments of plugins are refused, or not, when they are read: tests/config",
    "R-FEATURE": "which gates are known is the specification's own limit: tests/config",
    "R-DEFAULTS": (
        "an API server applies them before a scheduler sees an object; they count when what follows is compared:"
        " tests/objects/test_defaults.py"
    ),
}


def why_elsewhere(rule: str) -> str | None:
    """Why no test of the suite names this rule; None where one should."""
    found = [start for start in _ELSEWHERE if rule.startswith(start)]
    return _ELSEWHERE[max(found, key=len)] if found else None
