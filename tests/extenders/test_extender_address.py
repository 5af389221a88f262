# SPDX-License-Identifier: Apache-2.0
"""Extenders of a history are told where they are when it is done."""

from __future__ import annotations

from typing import Any

from refsched.suite.histories.extender_address import EXTENDERS, with_extender_address
from refsched.suite.histories.history import DEFAULT_CONFIG, History


def asking(*addresses: str) -> History:
    extenders: list[dict[str, Any]] = [{"urlPrefix": address} for address in addresses]
    return History((), {**DEFAULT_CONFIG, "extenders": extenders})


def addresses(history: History) -> list[str]:
    return [extender["urlPrefix"] for extender in history.config["extenders"]]


def test_an_extender_that_is_nowhere_is_reached_at_a_server_of_this_process() -> None:
    (one, other) = addresses(with_extender_address(asking(f"{EXTENDERS}/a", f"{EXTENDERS}/b")))

    assert one.startswith("http://127.0.0.1:")
    assert one.removesuffix("/a") == other.removesuffix("/b")


def test_an_extender_that_has_an_address_keeps_it() -> None:
    history = asking("http://127.0.0.1:1/a", f"{EXTENDERS}/b")

    assert addresses(with_extender_address(history))[0] == "http://127.0.0.1:1/a"


def test_a_history_without_extenders_is_left_as_it_is() -> None:
    history = History(())

    assert with_extender_address(history) is history
