# SPDX-License-Identifier: Apache-2.0
"""conforms: what a test of the suite says of itself."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest
from attrs import frozen
from hypothesis.stateful import RuleBasedStateMachine

Test = TypeVar("Test", bound=Callable[..., None])
HISTORY = "history"
REPLAY = "replay"
"""The area of the one test that takes its history from the file of ``--replay``."""


@frozen
class Claim:
    """``area`` is what histories are drawn from (none: the test brings its own); ``rules`` what the test is there
    to decide; ``needs`` the capabilities without which it cannot."""

    function: Callable[..., None]
    rules: tuple[str, ...]
    area: str | None = None
    examples: int = 1
    needs: tuple[str, ...] = ()
    machine: Callable[..., RuleBasedStateMachine] | None = None
    """Made for each example with a function that begins a history; it draws what the area's histories are of, and
    has every step done as soon as it is drawn."""


def conforms(
    *,
    rules: Sequence[str],
    area: str | None = None,
    examples: int = 40,
    needs: Sequence[str] = (),
    machine: Callable[..., RuleBasedStateMachine] | None = None,
) -> Callable[[Test], Test]:
    """Make a test of the suite. It asks for ``check``, and with an ``area`` for ``history``, which is drawn:

    >>> @conforms(area="taints", rules=("R-TAINT-01", "R-TAINT-02"), needs=("filter",))
    ... def test_taints(check, history):
    ...     check(history)

    Whatever rule a history shows to be broken fails the test, also one that it does not name. ``examples`` is the
    number of histories of the default profile; without an ``area`` the test runs once, as any other. With a
    ``machine`` the histories are drawn by that one, step by step.
    """

    def decorate(function: Test) -> Test:
        number = examples if area is not None else 1
        claim = Claim(function, tuple(rules), area, number, tuple(needs), machine)
        marked: Test = pytest.mark.conforms(claim)(_without_history(function) if area else function)
        return marked

    return decorate


def _without_history(function: Callable[..., None]) -> Callable[..., None]:
    """pytest would take ``history`` for a fixture."""

    @functools.wraps(function)
    def test(**_: Any) -> None:
        raise TypeError(f"{function.__name__} is run by pytest with the suite's plugin")

    signature = inspect.signature(function)
    if HISTORY not in signature.parameters:
        raise TypeError(f"{function.__name__} has an area, and no parameter named {HISTORY!r}")
    kept = [parameter for name, parameter in signature.parameters.items() if name != HISTORY]
    del test.__wrapped__
    test.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return test


def claim_of(item: pytest.Item) -> Claim | None:
    marker = item.get_closest_marker("conforms")
    return marker.args[0] if marker is not None else None
