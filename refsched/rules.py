# SPDX-License-Identifier: Apache-2.0
"""Rules: how the code that decides says which rule it applies, and how a listener is called.

A rule has a permanent id (``R-PORTS-03``), and the docstring of what implements it has the sentence. Where it
decides, the code names it in one of three ways:

* ``applies("R-PORTS-01")`` in the branch that the rule describes, or ``applies("R-NOM-01", when=counted)`` where
  the rule decides only under a condition for which the code needs no branch; a function that answers whether it
  decides returns that: ``return applies("R-TAINT-06", when=after.uid == pod.uid)``;
* a ``Reason`` for a rejection, or an ``ErrorReason``, whose rule is applied when a status is made of it
  (framework/status.py);
* a row of a table: a transition of the queue names its rule, and the rule of an event that a plugin registered
  for is named after the row (queue/transitions.py; queue/hint_table.py, event_rule).

Without a listener this costs one test of an empty list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

Listener = Callable[[str], None]

_listeners: list[Listener] = []


def applies(rule: str, when: object = True) -> bool:
    """Reports that the rule with this id decides here; with ``when``, only if that is true. Returns whether it
    decides."""
    if _listeners and when:
        for listener in _listeners:
            listener(rule)
    return bool(when)


class listening:  # noqa: N801  (it is used as a function)
    """While the block runs, ``listener`` is called with the id of each rule that is applied, in order."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def __enter__(self) -> None:
        _listeners.append(self._listener)

    def __exit__(self, *raised: object) -> None:
        _listeners.remove(self._listener)


def is_heard() -> bool:
    """Returns whether there is a listener."""
    return bool(_listeners)


class Reason(str):
    """A Reason says why a node or a pod is rejected, in the words of a status, and has the id of the rule by
    which it is.

    A reason with a blank is a template: ``Reason("Insufficient {}", "R-FIT-02").of("cpu")``. One that only puts
    words round another reason takes its values by ``format``, which returns a text without a rule: that of the
    other reason has been applied.
    """

    __slots__ = ("rule",)
    rule: str

    def __new__(cls, text: str, rule: str) -> Self:
        reason = super().__new__(cls, text)
        reason.rule = rule
        return reason

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.rule

    def of(self, *values: object) -> Self:
        """Returns the same reason with values in its blanks."""
        return type(self)(self.format(*values), self.rule)


class ErrorReason(Reason):
    """An ErrorReason says why a call failed. It rejects nothing: an attempt, or a binding, ends with it."""

    __slots__ = ()
