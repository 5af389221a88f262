# SPDX-License-Identifier: Apache-2.0
"""Extenders over HTTP, as kube-scheduler calls them: a POST to ``urlPrefix/verb``, JSON both ways.

This stands outside the machine, which knows nothing of a network. One connection serves one call; there is no
proxy, and no redirect is followed.
Source: pkg/scheduler/extender.go, NewHTTPExtender, makeTransport, send (v1.34.2).
"""

from __future__ import annotations

import json
import ssl
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from typing import Any
from urllib.parse import SplitResult, urlsplit

from refsched.config.types import Extender as ExtenderConfig
from refsched.extenders.extender import Ask, Failure
from refsched.extenders.failures import CLOSED, OK, TIMED_OUT, UNTRUSTED, no_answer, other_status, url_of
from refsched.tools.http.tls import Tls, tls_of

_PORTS = {"http": 80, "https": 443}


def over_http(config: ExtenderConfig) -> Ask:
    """How this extender is asked. InputError where its certificates cannot be used."""
    tls = tls_of(config)

    def ask(verb: str, request: dict[str, Any]) -> object:
        url = url_of(config.url_prefix, verb)
        return _post(url, verb, json.dumps(request).encode(), config.http_timeout, tls)

    return ask


def _post(url: str, verb: str, body: bytes, timeout: float, tls: Tls) -> object:
    """The answer, or a Failure in the words of the real client where they can be known."""
    place = urlsplit(url)
    if place.scheme not in _PORTS:
        return no_answer(url, f'unsupported protocol scheme "{place.scheme}"')
    try:
        connection = _connection(place, timeout, tls)
        try:
            target = place.path + (f"?{place.query}" if place.query else "")
            connection.request("POST", target, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, answer = response.status, response.read()
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as problem:
        return no_answer(url, _why(problem, place))
    if status != OK:
        return other_status(url, verb, status)
    return _decoded(answer)


def _connection(place: SplitResult, timeout: float, tls: Tls) -> HTTPConnection:
    host, port = place.hostname or "", place.port or _PORTS[place.scheme]
    if place.scheme == "http":
        return HTTPConnection(host, port, timeout=timeout)
    return _Secured(host, port, timeout, tls)


class _Secured(HTTPConnection):
    """Over TLS, with a server that may be called otherwise than its host is."""

    def __init__(self, host: str, port: int, timeout: float, tls: Tls) -> None:
        super().__init__(host, port, timeout=timeout)
        self._tls = tls

    def connect(self) -> None:
        context = self._tls.context()
        super().connect()
        self.sock = context.wrap_socket(self.sock, server_hostname=self._tls.server_name or self.host)


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
"""OpenSSL's X509_V_ERR_* of a certificate whose chain ends in nobody who is trusted."""


def _decoded(answer: bytes) -> object:
    """The first JSON value of the answer; what follows it is not looked at."""
    text = answer.decode("utf-8", "replace").lstrip(" \t\r\n")
    if not text:
        return Failure("EOF")
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError) as problem:
        return Failure(f"the answer is not JSON: {problem}")
