# SPDX-License-Identifier: Apache-2.0
"""Over HTTP: extenders are called as kube-scheduler calls them: a POST to ``urlPrefix/verb``, with JSON both
ways.

This is outside the machine, which knows nothing of a network. One connection serves one call; there is no proxy,
and no redirect is followed.
Source: pkg/scheduler/extender.go, NewHTTPExtender, makeTransport, send.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from typing import Any
from urllib.parse import SplitResult, urlsplit

from refsched.config.types import Extender as ExtenderConfig
from refsched.extenders.extender import Ask, url_of
from refsched.extenders.failures import CLOSED, OK, TIMED_OUT, UNTRUSTED, Failure, no_answer, other_status
from refsched.processes.http.tls import Tls, tls_of

_PORTS = {"http": 80, "https": 443}

MAX_ANSWER = 64 * 1024 * 1024
"""An answer may have this many bytes. One with 5,000 whole nodes has a tenth of them."""


def over_http(config: ExtenderConfig) -> Ask:
    """Returns the Ask for this extender. Raises InputError if its certificates cannot be used."""
    tls = tls_of(config)

    def ask(verb: str, request: dict[str, Any]) -> object:
        url = url_of(config.url_prefix, verb)
        return _post(url, verb, json.dumps(request).encode(), config.http_timeout, tls)

    return ask


def _post(url: str, verb: str, body: bytes, timeout: float, tls: Tls) -> object:
    """Returns the answer, or a Failure in the words of Go's client as far as they can be known. ``timeout`` is
    for the whole exchange, however slowly the answer comes; a timeout of zero is none, as in Go."""
    try:
        place = urlsplit(url)
        _ = place.port  # read here, because it may be no number
    except ValueError as problem:
        return no_answer(url, str(problem))
    if place.scheme not in _PORTS:
        return no_answer(url, f'unsupported protocol scheme "{place.scheme}"')
    try:
        connection = _connection(place, timeout, tls)
    except (OSError, HTTPException, ValueError) as problem:
        return no_answer(url, _why(problem, place))
    deadline = _Deadline(connection, timeout)
    try:
        with deadline:
            target = place.path + (f"?{place.query}" if place.query else "")
            connection.request("POST", target, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, answer = response.status, response.read(MAX_ANSWER + 1)
    except (OSError, HTTPException, ValueError) as problem:
        return no_answer(url, TIMED_OUT if deadline.has_passed else _why(problem, place))
    if deadline.has_passed:
        return no_answer(url, TIMED_OUT)
    if len(answer) > MAX_ANSWER:
        return Failure(f"the answer is longer than {MAX_ANSWER // 1024 // 1024} MiB")
    if status != OK:
        return other_status(url, verb, status)
    return _decoded(answer)


def _connection(place: SplitResult, timeout: float, tls: Tls) -> _Connection:
    host, port = place.hostname or "", place.port or _PORTS[place.scheme]
    return _Connection(host, port, timeout, tls if place.scheme == "https" else None)


class _Connection(HTTPConnection):
    """A _Connection uses TLS if ``tls`` is given, with a server whose name may differ from its host's. ``carrier``
    is the socket, also while only the answer holds it."""

    def __init__(self, host: str, port: int, timeout: float, tls: Tls | None) -> None:
        super().__init__(host, port, timeout=timeout)
        self._tls = tls
        self.carrier: socket.socket | None = None

    def connect(self) -> None:
        context = self._tls.context() if self._tls is not None else None
        super().connect()
        self.carrier = self.sock
        if context is not None and self._tls is not None:
            secured = context.wrap_socket(
                self.sock,
                server_hostname=self._tls.server_name or self.host,
                do_handshake_on_connect=False,
            )
            self.sock = self.carrier = secured
            secured.do_handshake()


class _Deadline:
    """A _Deadline is for the whole exchange, since the timeout of a socket is for each of its reads. When it has
    passed, the connection is shut, and the read ends."""

    def __init__(self, connection: _Connection, seconds: float) -> None:
        self._connection = connection
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True
        self.has_passed = False

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *raised: object) -> None:
        self._timer.cancel()
        self._connection.close()

    def _pass(self) -> None:
        self.has_passed = True
        carrier = self._connection.carrier
        if carrier is not None:
            with suppress(OSError):
                socket.socket.shutdown(carrier, socket.SHUT_RDWR)


def _why(problem: Exception, place: SplitResult) -> str:
    match problem:
        case ConnectionRefusedError():
            port = place.port or _PORTS[place.scheme]
            return f"dial tcp {place.hostname}:{port}: connect: connection refused"
        case TimeoutError():
            return TIMED_OUT
        case RemoteDisconnected():
            return CLOSED
        case ssl.SSLCertVerificationError(verify_code=code) if code in _UNKNOWN_AUTHORITY:
            return UNTRUSTED
        case _:
            return str(problem)


_UNKNOWN_AUTHORITY = frozenset({18, 19, 20, 21})
"""These are OpenSSL's X509_V_ERR_* for a certificate whose chain does not end in a trusted authority."""


def _decoded(answer: bytes) -> object:
    """Returns the first JSON value of the answer; what follows it is ignored."""
    text = answer.decode("utf-8", "replace").lstrip(" \t\r\n")
    if not text:
        return Failure("EOF")
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError) as problem:
        return Failure(f"the answer is not JSON: {problem}")
