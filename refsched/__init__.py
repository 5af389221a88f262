# SPDX-License-Identifier: Apache-2.0
"""The package refsched: an executable specification of how kube-scheduler decides.

``Cluster`` is the entry point for Python (docs/python.md). It returns records (docs/protocol.md), or an
``Explanation``, a ``Plan``, a ``Status``, a ``Capacity`` or a ``WhatIf``, and raises ``InputError`` for bad input.
Importing this package is fast: each name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refsched.errors import InputError
    from refsched.framework.status import Status
    from refsched.records import Attempt, Bind, Nodes, Queues, Write
    from refsched.tools.cluster import Cluster
    from refsched.tools.frames import frame
    from refsched.tools.planner.explanation import Explanation
    from refsched.tools.planner.fitting import Capacity
    from refsched.tools.planner.plan import Plan
    from refsched.tools.planner.what_if import WhatIf

__version__ = "0.1.0.dev0"
__all__ = [
    "Attempt",
    "Bind",
    "Capacity",
    "Cluster",
    "Explanation",
    "InputError",
    "Nodes",
    "Plan",
    "Queues",
    "Status",
    "WhatIf",
    "Write",
    "__version__",
    "frame",
]

_MODULES = {
    "Attempt": "refsched.records",
    "Bind": "refsched.records",
    "Capacity": "refsched.tools.planner.fitting",
    "Cluster": "refsched.tools.cluster",
    "Explanation": "refsched.tools.planner.explanation",
    "InputError": "refsched.errors",
    "Nodes": "refsched.records",
    "Plan": "refsched.tools.planner.plan",
    "Queues": "refsched.records",
    "Status": "refsched.framework.status",
    "WhatIf": "refsched.tools.planner.what_if",
    "Write": "refsched.records",
    "frame": "refsched.tools.frames",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
