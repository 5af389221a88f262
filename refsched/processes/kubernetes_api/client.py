# SPDX-License-Identifier: Apache-2.0
"""Client: requests to an API server that a kubeconfig names, with objects as JSON.

The client for Python of the Kubernetes project reads the kubeconfig and authenticates; what is sent and received
stays as it is, since the suite sends objects that a typed client would not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from attrs import frozen

from refsched.errors import InputError
from refsched.objects.kinds import KINDS, ApiKind
from refsched.reading.objects import key_of

Json = dict[str, Any]

TIMEOUT = 60.0
"""One request may take this many seconds."""

CONNECT_TIMEOUT = 10.0
CONNECTIONS = 64

_JSON_PATCH = "application/json-patch+json"
_STRATEGIC_PATCH = "application/strategic-merge-patch+json"
_MERGE_PATCH = "application/merge-patch+json"
_BY_KIND: Mapping[str, ApiKind] = {kind.name: kind for kind in KINDS}


@frozen
class ApiError(Exception):
    """An ApiError is an answer with which the API server refuses a request."""

    status: int
    reason: str
    message: str

    def __str__(self) -> str:
        return self.message or f"{self.status} {self.reason}"

    @property
    def is_forbidden(self) -> bool:
        return self.status == 403

    @property
    def is_missing(self) -> bool:
        return self.status == 404


class UnreachableError(Exception):
    """An UnreachableError says why there is no answer."""


def kind_named(name: str) -> ApiKind:
    """Returns the row of the table of kinds. Raises InputError if scheduling does not read this kind."""
    if name not in _BY_KIND:
        raise InputError(f"{name!r:.60} is no kind that scheduling reads", "kind")
    return _BY_KIND[name]


def path_of(kind: ApiKind, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """Returns the path of an object, or of all objects of the kind. The newest version of the kind is used."""
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.api_version}"
    within = f"/namespaces/{namespace}" if kind.namespaced and namespace else ""
    rest = "".join(f"/{part}" for part in (name, subresource) if part)
    return f"{root}{within}/{plural(kind.name)}{rest}"


def plural(kind: str) -> str:
    word = kind.lower()
    if word.endswith("y"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith("s") else f"{word}s"


class Client:
    """A Client sends requests to one API server. Threads may share it."""

    def __init__(self, kubeconfig: Path | str) -> None:
        """Reads the kubeconfig. Raises InputError if it cannot be used."""
        try:
            from kubernetes.client import Configuration
            from kubernetes.config import ConfigException, new_client_from_config
        except ImportError:
            raise InputError(
                "needs the client of Kubernetes: python -m pip install 'refsched[cluster]'"
            ) from None
        configuration = Configuration()
        configuration.connection_pool_maxsize = CONNECTIONS
        try:
            client = new_client_from_config(
                str(kubeconfig), client_configuration=configuration, persist_config=False
            )
        except (ConfigException, OSError, ValueError) as problem:
            raise InputError(f"cannot be used: {problem}", where=str(kubeconfig)) from None
        self._configuration = client.configuration
        self._pool = client.rest_client.pool_manager

    # --- Objects ----------------------------------------------------------------------------------

    def create(self, object: Json, **query: str) -> Json:
        kind, namespace, _ = address_of(object)
        return self.request("POST", path_of(kind, namespace), object, **query)

    def replace(self, object: Json, subresource: str = "") -> Json:
        kind, namespace, name = address_of(object)
        return self.request("PUT", path_of(kind, namespace, name, subresource), object)

    def patch(self, kind: str, namespace: str, name: str, patch: Json, subresource: str = "") -> Json:
        """Merges the patch into the object (RFC 7386)."""
        path = path_of(kind_named(kind), namespace, name, subresource)
        return self.request("PATCH", path, patch, content_type=_MERGE_PATCH)

    def patch_lists(self, kind: str, namespace: str, name: str, patch: Json, subresource: str = "") -> Json:
        """Merges the patch into the object, and of lists such as conditions each item into its own."""
        path = path_of(kind_named(kind), namespace, name, subresource)
        return self.request("PATCH", path, patch, content_type=_STRATEGIC_PATCH)

    def replace_status(self, kind: str, namespace: str, name: str, status: Json) -> Json:
        """Replaces the status, whichever version the object has by now (RFC 6902)."""
        path = path_of(kind_named(kind), namespace, name, "status")
        patch = [{"op": "add", "path": "/status", "value": status}]
        return self.request("PATCH", path, patch, content_type=_JSON_PATCH)

    def get(self, kind: str, namespace: str, name: str) -> Json:
        return self.request("GET", path_of(kind_named(kind), namespace, name))

    def delete(self, kind: str, namespace: str, name: str, options: Json | None = None) -> Json:
        return self.request("DELETE", path_of(kind_named(kind), namespace, name), options or {})

    def list_of(self, kind: ApiKind) -> Json:
        return self.request("GET", path_of(kind))

    # --- Requests ---------------------------------------------------------------------------------

    def request(
        self,
        method: str,
        path: str,
        body: Json | list[Json] | None = None,
        content_type: str = "application/json",
        **query: str,
    ) -> Json:
        """Returns the answer. Raises ApiError if it is a refusal, and UnreachableError if there is none."""
        response = self._send(method, path, body, content_type, query)
        return _read(response.status, response.data)

    def watch(self, kind: ApiKind, resource_version: str) -> Watch:
        """Begins to watch all objects of the kind."""
        query = {"watch": "true", "resourceVersion": resource_version, "allowWatchBookmarks": "true"}
        response = self._send("GET", path_of(kind), None, "", query, preload_content=False)
        if response.status != 200:
            _read(response.status, response.data)
        return Watch(response)

    def _send(
        self,
        method: str,
        path: str,
        body: Json | list[Json] | None,
        content_type: str,
        query: Mapping[str, str],
        *,
        preload_content: bool = True,
    ) -> Any:
        from urllib3 import Timeout
        from urllib3.exceptions import HTTPError

        url = f"{self._configuration.host}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {"Accept": "application/json", "User-Agent": "refsched"}
        if body is not None:
            headers["Content-Type"] = content_type
        for each in self._configuration.auth_settings().values():
            headers[each["key"]] = each["value"]
        try:
            return self._pool.request(
                method,
                url,
                headers=headers,
                body=None if body is None else json.dumps(body),
                preload_content=preload_content,
                retries=False,
                timeout=Timeout(connect=CONNECT_TIMEOUT, read=TIMEOUT if preload_content else None),
            )
        except (HTTPError, OSError) as problem:
            raise UnreachableError(f"the API server does not answer: {problem}") from None


class Watch:
    """A Watch is a stream of events, each with ``type`` and ``object``."""

    def __init__(self, response: Any) -> None:
        self._response = response

    def __iter__(self) -> Iterator[Json]:
        """Yields events until the stream ends, by whichever side."""
        from urllib3.exceptions import HTTPError

        said = b""
        try:
            for chunk in self._response.stream(1 << 16):
                *lines, said = (said + chunk).split(b"\n")
                yield from (json.loads(line) for line in lines if line.strip())
        except (HTTPError, OSError, ValueError, AttributeError):
            return

    def close(self) -> None:
        """Ends the stream, also while another thread waits for its next event."""
        try:
            self._response.shutdown()
        except (OSError, ValueError, AttributeError):
            self._response.close()


def address_of(object: Json) -> tuple[ApiKind, str, str]:
    """Returns the kind, the namespace and the name of an object."""
    kind, namespace, name = key_of(object)
    return kind_named(kind), namespace, name


def _read(status: int, data: bytes) -> Json:
    try:
        answer: Json = json.loads(data)
    except ValueError:
        answer = {"message": data.decode(errors="replace")[:500]}
    if status >= 400:
        raise ApiError(status, str(answer.get("reason", "")), str(answer.get("message", "")))
    return answer
