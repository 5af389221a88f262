# SPDX-License-Identifier: Apache-2.0
"""Implementation: a scheduler written in Python, with the requests of docs/protocol.md as methods.

It is a module with ``create(config) -> Implementation``, and the suite is given its name: ``--impl=its.path``.
``create`` may also take ``feature_gates`` (name to bool) and ``start`` (a datetime, at which the clock begins)
as keywords; a history that needs one which it does not take is not supported. Instead of an implementation it
may return ``{"unsupported": why}``.

Objects, records and answers are the JSON of docs/protocol.md as Python values. Any method may return
``{"unsupported": why}`` or ``{"error": what}``, and a method that is missing is not supported; an exception is
an error of the implementation.
"""

from __future__ import annotations

from typing import Any, Protocol

Json = dict[str, Any]


class Implementation(Protocol):
    """An Implementation is one scheduler of one cluster, which is empty at first and at time 0."""

    def hello(self) -> Json:
        """Returns ``{"name", "version", "kubernetes": "1.37", "capabilities": [...]}``."""
        ...

    def create(self, object: Json) -> Json:
        """Creates an object, and returns ``{"records": [...]}``: what it caused."""
        ...

    def update(self, object: Json) -> Json:
        """Updates an object."""
        ...

    def delete(self, object: Json) -> Json:
        """Deletes the object ``{apiVersion, kind, namespace?, name}``."""
        ...

    def advance(self, seconds: float) -> Json:
        """Moves the clock by this many seconds."""
        ...

    def permit(self, pod: str, decision: str, plugin: str = "") -> Json:
        """Decides on a pod that waits on Permit: ``allow`` or ``reject``."""
        ...

    def release(self, pod: str) -> Json:
        """Releases the pod that a scripted plugin holds."""
        ...

    def schedule(self, pod: str | None = None) -> Json:
        """Pops a pod, or this one, and tries to place it; returns ``{"idle": True}`` if there is none."""
        ...

    def observe(self) -> Json:
        """Returns ``{"records": [{"queues": ...}, {"nodes": ...}]}``, as far as it can be seen."""
        ...
