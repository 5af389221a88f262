# SPDX-License-Identifier: Apache-2.0
"""Adapter: an implementation under test, whatever carries the requests to it.

It returns an ``Answer`` or raises an ``AdapterFault``. After a fault no request is sent to the implementation
until the next ``reset``, which starts it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Protocol, Self

from attrs import frozen

from refsched.errors import InputError
from refsched.processes.serving import PROTOCOL
from refsched.reading.record_json import start_text
from refsched.suite.adapters.answers import Answer, Hello, read_answer, read_hello
from refsched.suite.adapters.faults import AdapterFault, quoted
from refsched.suite.adapters.selection import EVERYTHING, Selection

Json = dict[str, Any]


class Transport(Protocol):
    """A Transport carries requests to an implementation, and its answers back, both as JSON."""

    def open(self) -> None:
        """Starts the implementation. Raises TransportError if this is impossible."""

    def ask(self, request: Json) -> Any:
        """Returns the answer, whatever it is. Raises TransportError if there is none."""

    def close(self, *, at_once: bool = False) -> None:
        """Ends the implementation, and all that it has started. It may be called more than once."""

    def log(self) -> tuple[str, ...]:
        """Returns the last lines that the implementation printed besides its answers."""


class TransportError(Exception):
    """A TransportError says why there is no answer."""


class NotSentError(TransportError):
    """A NotSentError is about an implementation to which no request is sent, so that none is quoted."""


@frozen
class ResetRefused(Exception):  # noqa: N818
    """A ResetRefused says that the implementation does not support the configuration, or answers that it is an
    error."""

    answer: Answer

    def __str__(self) -> str:
        return (
            f"unsupported: {self.answer.unsupported}" if self.answer.unsupported else f"{self.answer.error}"
        )


class Adapter:
    """An Adapter asks one implementation. ``hello`` is its answer to hello. Only one session runs at a time."""

    def __init__(
        self, what: str, transport: Transport, kubernetes: str = "", only: Selection = EVERYTHING
    ) -> None:
        """Starts the implementation. ``kubernetes`` is the release that is asked for, of an implementation that
        knows more than one; ``only`` is the part of it that is to be judged."""
        self._hello: Json = {"protocol": PROTOCOL} | ({"kubernetes": kubernetes} if kubernetes else {})
        self.what = what
        self._only = only
        self._transport = transport
        self._fault: AdapterFault | None = None
        self._session: Session | None = None
        self.hello = self._start()

    def reset(
        self,
        config: Mapping[str, Any],
        feature_gates: Mapping[str, bool] | None = None,
        start: datetime | None = None,
    ) -> Session:
        """Returns a session of an empty cluster at time 0. Raises ResetRefused if it is refused."""
        if self._fault is not None:
            self.restart()
        self._session = None
        body: Json = {"config": config}
        if feature_gates:
            body["featureGates"] = dict(feature_gates)
        if start is not None:
            body["start"] = start_text(start)
        answer = self._ask({"reset": body})
        if answer.unsupported is not None or answer.error is not None:
            raise ResetRefused(answer)
        self._session = Session(self)
        return self._session

    def restart(self) -> None:
        """Starts the implementation anew, as after a fault."""
        self._session = None
        self._transport.close()
        self._fault = None
        hello = self._start()
        if hello != self.hello:
            raise self._broken({"hello": self._hello}, f"it was {self.hello}, and now is {hello}")

    def close(self) -> None:
        """Ends the implementation. It can be restarted."""
        self._session = None
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    # --- Requests ---------------------------------------------------------------------------------

    def ask(self, session: Session, request: Json) -> Answer:
        """Sends a request of a session, which must be the last one."""
        if self._fault is not None:
            raise self._fault
        if session is not self._session:
            raise RuntimeError("this session is over: another has begun, or the adapter is closed")
        return self._ask(request)

    def _start(self) -> Hello:
        request = {"hello": self._hello}
        try:
            self._transport.open()
        except TransportError as error:
            raise self._broken(None, str(error)) from None
        value = self._value(request)
        try:
            return self._only.of(read_hello(value))
        except InputError as problem:
            raise self._misspoken(request, value, problem) from None

    def _ask(self, request: Json) -> Answer:
        value = self._value(request)
        try:
            return read_answer(request, value, self.hello.capabilities)
        except InputError as problem:
            raise self._misspoken(request, value, problem) from None

    def _value(self, request: Json) -> Any:
        try:
            return self._transport.ask(request)
        except TransportError as error:
            sent = None if isinstance(error, NotSentError) else request
            raise self._broken(sent, str(error)) from None

    # --- Faults -----------------------------------------------------------------------------------

    def _misspoken(self, request: Json, value: Any, problem: InputError) -> AdapterFault:
        return self._broken(request, f"{problem}\n  answer   {quoted(value)}")

    def _broken(self, request: Json | None, problem: str) -> AdapterFault:
        """Notes the fault, and ends the implementation, since its state is unknown."""
        self._transport.close(at_once=True)
        self._fault = AdapterFault(self.what, problem, request, self._transport.log())
        return self._fault


class Session:
    """A Session is one scheduler of one cluster: the methods of refsched/processes/implementation.py, with their
    answers read. Each of them raises AdapterFault if there is no answer, or none that docs/protocol.md allows."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    @property
    def hello(self) -> Hello:
        return self._adapter.hello

    def create(self, object: Json) -> Answer:
        return self._ask("create", object)

    def update(self, object: Json) -> Answer:
        return self._ask("update", object)

    def delete(self, object: Json) -> Answer:
        return self._ask("delete", object)

    def advance(self, seconds: float) -> Answer:
        return self._ask("advance", seconds)

    def permit(self, pod: str, decision: str, plugin: str = "") -> Answer:
        named = {"plugin": plugin} if plugin else {}
        return self._ask("permit", {"pod": pod, "decision": decision, **named})

    def release(self, pod: str) -> Answer:
        return self._ask("release", {"pod": pod})

    def schedule(self, pod: str | None = None) -> Answer:
        return self._ask("schedule", {} if pod is None else {"pod": pod})

    def observe(self) -> Answer:
        return self._ask("observe", {})

    def _ask(self, verb: str, body: Any) -> Answer:
        return self._adapter.ask(self, {verb: body})
