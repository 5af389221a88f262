# SPDX-License-Identifier: Apache-2.0
"""Extender address: where the extenders of a history are reached while it is run.

A history names its extenders at ``EXTENDERS``, a host that does not exist, so that the history is the same
whenever and wherever it is drawn. When it is run, the implementation and the specification are both given the
address of one server, which runs as long as this process.
"""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any, TypeVar

from attrs import evolve

from refsched.suite.histories.extender_server import serving
from refsched.suite.histories.history import History

Json = dict[str, Any]
H = TypeVar("H", bound=History)

EXTENDERS = "http://extenders.test"


def with_extender_address(history: H) -> H:
    """Returns the same history, with an address for its extenders if it leaves the address open."""
    return reached_at(_address(), history) if leaves_extenders_open(history) else history


def leaves_extenders_open(history: History) -> bool:
    """Returns whether any extender of this history is at the address that stands for none."""
    return any(_is_nowhere(extender) for extender in _configured(history))


def reached_at(address: str, history: H) -> H:
    """Returns the same history, with this address for those of its extenders that have none."""
    reached = [
        _moved(extender, address) if _is_nowhere(extender) else extender for extender in _configured(history)
    ]
    return evolve(history, config={**history.config, "extenders": reached})


def as_written(text: str) -> str:
    """Returns the text with the address that histories give for the server of this process."""
    return text.replace(_address(), EXTENDERS) if _address.cache_info().currsize else text


def _configured(history: History) -> Sequence[Json]:
    return history.config.get("extenders") or ()


def _is_nowhere(extender: Json) -> bool:
    return str(extender.get("urlPrefix", "")).startswith(f"{EXTENDERS}/")


def _moved(extender: Json, address: str) -> Json:
    return {**extender, "urlPrefix": address + extender["urlPrefix"].removeprefix(EXTENDERS)}


@cache
def _address() -> str:
    """Returns the address of the server, which is started when it is first needed."""
    running = ExitStack()
    address = running.enter_context(serving())
    atexit.register(running.close)
    return address
