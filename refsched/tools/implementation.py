# SPDX-License-Identifier: Apache-2.0
"""What an implementation written in Python is: the requests of docs/protocol.md as methods.

A module with ``create(config) -> Implementation``, named to the suite as ``--impl=its.path``. It may also take
``feature_gates`` (name to bool) and ``start`` (a datetime, at which the clock begins) as keywords; a history that
needs what it does not take is not supported. Instead of an implementation it may answer ``{"unsupported": why}``.

Objects, records and answers are the JSON of docs/protocol.md as Python values. Any method may answer
``{"unsupported": why}`` or ``{"error": what}``, and a method that is missing is not supported; an
exception is an error of the implementation.
"""

from __future__ import annotations

from typing import Any, Protocol

Json = dict[str, Any]


class Implementation(Protocol):
    """One scheduler of one cluster, which is empty at first and at time 0."""

    def hello(self) -> Json:
        """``{"name", "version", "kubernetes": "1.34", "capabilities": [...]}``."""
        ...

    def create(self, object: Json) -> Json:
        """An object is new. Answers ``{"records": [...]}``: what it caused."""
        ...

    def update(self, object: Json) -> Json:
        """An object has changed."""
        ...

    def delete(self, object: Json) -> Json:
        """``{apiVersion, kind, namespace?, name}`` was deleted."""
        ...

    def advance(self, seconds: float) -> Json:
        """The clock moves by so many seconds."""
        ...

    def permit(self, pod: str, decision: str, plugin: str = "") -> Json:
        """A pod that waits on Permit is decided: ``allow`` or ``reject``."""
        ...

    def release(self, pod: str) -> Json:
        """A scripted plugin that holds the pod goes on."""
        ...

    def schedule(self, pod: str | None = None) -> Json:
        """Pop a pod, or take this one, and try to place it; ``{"idle": True}`` where there is none."""
        ...

    def observe(self) -> Json:
        """``{"records": [{"queues": ...}, {"nodes": ...}]}``, as far as it can be seen."""
        ...
