# SPDX-License-Identifier: Apache-2.0
"""Frames: what a ``Cluster`` returns, as a pandas DataFrame, where pandas is installed (``refsched[pandas]``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refsched.errors import InputError
from refsched.tools.planner.explanation import Explanation
from refsched.tools.planner.fitting import Capacity
from refsched.tools.planner.plan import Plan
from refsched.tools.planner.what_if import WhatIf

OUTCOME = ("pod", "priority", "result", "node", "attempts", "message")
FIT = ("node", "pods")
COMPARED = ("pod", "seed", "before", "after")
JUDGED = ("node", "verdict", "plugin", "message", "total")
Found = Plan | Capacity | WhatIf | Explanation


def frame(found: Found) -> Any:
    """Returns a row for each pending pod of a plan, for each node of a capacity or an explanation, and for each
    pod and seed of a what-if. Raises InputError where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise InputError("is not installed: pip install 'refsched[pandas]'", where="pandas") from None
    columns, rows = _table(found)
    return pandas.DataFrame(list(rows), columns=list(columns))


def _table(found: Found) -> tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]:
    match found:
        case Plan():
            return OUTCOME, (tuple(getattr(each, name) for name in OUTCOME) for each in found.outcomes)
        case Capacity():
            return FIT, iter(found.nodes.items())
        case WhatIf():
            return COMPARED, _compared(found)
        case Explanation():
            rows = ((n.node, n.verdict, n.plugin, "; ".join(n.reasons), n.total) for n in found.nodes)
            return JUDGED, rows


def _compared(found: WhatIf) -> Iterator[tuple[Any, ...]]:
    for pod in found.pods:
        for seed, (before, after) in enumerate(zip(pod.before, pod.after, strict=True)):
            yield pod.pod, seed, before, after
