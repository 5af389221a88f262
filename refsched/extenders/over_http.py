# SPDX-License-Identifier: Apache-2.0
"""Extenders over HTTP, as kube-scheduler calls them: a POST to ``urlPrefix/verb``, JSON both ways.

This stands outside the machine, which knows nothing of a network. One connection serves one call; there is no
TLS, no proxy, and no redirect is followed.
Source: pkg/scheduler/extender.go, NewHTTPExtender, send (v1.34.2).
"""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from refsched.config.types import Extender as ExtenderConfig
from refsched.errors import InputError
from refsched.extenders.extender import Ask, Failure


def over_http(config: ExtenderConfig) -> Ask:
    """How this extender is asked. InputError where it can be reached over TLS only."""
    prefix = config.url_prefix.rstrip("/")
    if urlsplit(prefix).scheme == "https":
        raise InputError(
            f"{config.url_prefix} is reached over TLS, which is not followed here", "extenders.urlPrefix"
        )

    def ask(verb: str, request: dict[str, Any]) -> object:
        return _post(f"{prefix}/{verb}", verb, json.dumps(request).encode(), config.http_timeout)

    return ask


def _post(url: str, verb: str, body: bytes, timeout: float) -> object:
    """The answer, or a Failure in the words of the real client where they can be known."""
    place = urlsplit(url)
    if place.scheme != "http":
        return Failure(f'Post "{url}": unsupported protocol scheme "{place.scheme}"')
    try:
        connection = HTTPConnection(place.hostname or "", place.port, timeout=timeout)
        try:
            target = place.path + (f"?{place.query}" if place.query else "")
            connection.request("POST", target, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, answer = response.status, response.read()
        finally:
            connection.close()
    except ConnectionRefusedError:
        port = place.port or 80
        return Failure(f'Post "{url}": dial tcp {place.hostname}:{port}: connect: connection refused')
    except TimeoutError:
        waited = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        return Failure(f'Post "{url}": {waited}')
    except (OSError, HTTPException, ValueError) as problem:
        return Failure(f'Post "{url}": {problem}')
    if status != 200:
        return Failure(f"failed {verb} with extender at URL {url}, code {status}")
    return _decoded(answer)


def _decoded(answer: bytes) -> object:
    """The first JSON value of the answer; what follows it is not looked at."""
    text = answer.decode("utf-8", "replace").lstrip(" \t\r\n")
    if not text:
        return Failure("EOF")
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError) as problem:
        return Failure(f"the answer is not JSON: {problem}")
