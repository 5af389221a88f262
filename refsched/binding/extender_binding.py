# SPDX-License-Identifier: Apache-2.0
"""Bind: an extender binds the pod, or else the Bind plugins do.

Source: pkg/scheduler/schedule_one.go, bind, extendersBinding (v1.34.2).
"""

from __future__ import annotations

from refsched.cycle.cycle import Cycle
from refsched.cycle.reserve_and_bind import Runs, run_bind_plugins
from refsched.framework.status import SUCCESS, Status, error
from refsched.rules import applies


def bind(cycle: Cycle) -> Runs:
    """R-EXTENDER-13: An extender that binds goes before the Bind plugins, which are not called if it bound the
    pod or failed.
    R-EXTENDER-14: If an ignorable extender fails to bind, the next one that binds is called, and then the Bind
    plugins."""
    pod, node = cycle.on_node
    for extender in cycle.framework.extenders:
        if not extender.is_binder or not extender.is_interested(pod):
            continue
        failure = extender.bind(pod, node.name) or _bound(cycle)
        if failure is None or not extender.is_ignorable:
            applies("R-EXTENDER-13")
            return SUCCESS if failure is None else failure
        applies("R-EXTENDER-14")
    return (yield from run_bind_plugins(cycle))


def _bound(cycle: Cycle) -> Status | None:
    """Applies the binding of an extender, which can bind only in the machine's own API server."""
    pod, node = cycle.on_node
    refusal = cycle.scheduler.api.bind(pod.pod.metadata, node.name)
    return error(refusal) if refusal else None
