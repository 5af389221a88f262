# SPDX-License-Identifier: Apache-2.0
"""A small API server in Python, for tests that must run without Go, or that need one that fails.

It has what a scheduler and the suite use: objects by path, resource versions, lists, watches, status, binding,
merge patches. It checks nothing but names, versions and bindings.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

Json = dict[str, Any]
Refuse = Callable[[str, str, Json], tuple[int, str] | None]


_KINDS = {"nodes": "Node", "pods": "Pod", "namespaces": "Namespace", "leases": "Lease"}


class Refused(Exception):  # noqa: N818
    def __init__(self, status: int, reason: str, message: str = "") -> None:
        self.status, self.reason, self.message = status, reason, message or reason


class SmallApiServer:
    """``refuse`` may answer any request (method, path, body) with a status and a reason."""

    def __init__(self) -> None:
        self.objects: dict[str, Json] = {}
        self.events: list[tuple[int, str, str, Json]] = []
        self.changed = threading.Condition()
        self.version = 1
        self.refuse: Refuse = lambda method, path, body: None
        self.streams: list[Any] = []

    # --- Objects ----------------------------------------------------------------------------------

    def create(self, collection: str, object: Json) -> Json:
        path = f"{collection}/{object['metadata']['name']}"
        if path in self.objects:
            raise Refused(409, "AlreadyExists")
        object["metadata"]["uid"] = str(uuid4())
        object.setdefault("kind", _KINDS.get(collection.rpartition("/")[2], ""))
        if collection.endswith("/pods"):
            object.pop("status", None)  # of a node it is taken with the object
        if "/namespaces/" in collection:
            object["metadata"]["namespace"] = collection.split("/namespaces/")[1].split("/", 1)[0]
        return self._store("ADDED", path, object)

    def change(self, path: str, object: Json, subresource: str) -> Json:
        before = self.objects.get(path)
        if before is None:
            raise Refused(404, "NotFound")
        expected = object["metadata"].get("resourceVersion")
        if expected not in (None, before["metadata"]["resourceVersion"]):
            raise Refused(409, "Conflict")
        kept = {**before, "status": object.get("status", {})} if subresource else object
        metadata = {**kept["metadata"], "uid": before["metadata"]["uid"]}
        if "namespace" in before["metadata"]:
            metadata["namespace"] = before["metadata"]["namespace"]
        if not subresource:
            kept = {**kept, "status": before.get("status", {})}
        is_removed = before["metadata"].get("finalizers") and not metadata.get("finalizers")
        return self._store("DELETED" if is_removed else "MODIFIED", path, {**kept, "metadata": metadata})

    def bind(self, path: str, node: str) -> Json:
        pod = self.objects.get(path)
        if pod is None:
            raise Refused(404, "NotFound")
        if pod["spec"].get("nodeName"):
            raise Refused(409, "Conflict", f"pod is already assigned to node {pod['spec']['nodeName']}")
        self._store("MODIFIED", path, {**pod, "spec": {**pod["spec"], "nodeName": node}})
        return {}

    def delete(self, path: str, grace: int | None) -> Json:
        found = self.objects.get(path)
        if found is None:
            raise Refused(404, "NotFound")
        is_running = "/pods/" in path and grace != 0 and found["spec"].get("nodeName")
        if is_running or found["metadata"].get("finalizers"):
            metadata = {**found["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}
            return self._store("MODIFIED", path, {**found, "metadata": metadata})
        return self._store("DELETED", path, found)

    def _store(self, type: str, path: str, object: Json) -> Json:
        with self.changed:
            self.version += 1
            stored = {**object, "metadata": {**object["metadata"], "resourceVersion": str(self.version)}}
            if type == "DELETED":
                self.objects.pop(path)
            else:
                self.objects[path] = stored
            self.events.append((self.version, type, path, stored))
            self.changed.notify_all()
        return stored

    def of_kind(self, collection: str) -> Iterator[Json]:
        return (each for path, each in list(self.objects.items()) if _is_of(collection, path))

    def cut_watches(self) -> None:
        """Ends every watch in the middle."""
        for stream in self.streams:
            stream.shutdown(2)
        self.streams.clear()


def _is_of(collection: str, path: str) -> bool:
    root, _, plural = collection.rpartition("/")
    return path.startswith(f"{root}/") and path.split("/")[-2] == plural


def merged(base: Json, patch: Json) -> Json:
    out = dict(base)
    for name, value in patch.items():
        if value is None:
            out.pop(name, None)
        elif isinstance(value, dict):
            out[name] = merged(out.get(name) or {}, value)
        else:
            out[name] = value
    return out


# --- HTTP -----------------------------------------------------------------------------------------

_SUBRESOURCES = ("status", "binding", "finalize")


def _handler(api: SmallApiServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def log_message(self, *_: object) -> None: ...

        def _answer(self) -> None:
            url = urlsplit(self.path)
            query = parse_qs(url.query)
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            if "watch" in query:
                self._stream(url.path, int(query["resourceVersion"][0]))
                return
            status, answer = 200, {}
            try:
                if refused := api.refuse(self.command, url.path, body):
                    raise Refused(*refused)
                answer = {} if "dryRun" in query else self._done(url.path, body)
            except Refused as no:
                status, answer = no.status, {"reason": no.reason, "message": no.message}
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

        def _done(self, path: str, body: Json) -> Json:
            head, _, last = path.rpartition("/")
            subresource = last if last in _SUBRESOURCES else ""
            path = head if subresource else path
            match self.command:
                case "GET" if path in api.objects:
                    return api.objects[path]
                case "GET" if path.split("/")[-1].endswith("s"):
                    items = list(api.of_kind(path))
                    return {"items": items, "metadata": {"resourceVersion": str(api.version)}}
                case "POST" if subresource == "binding":
                    return api.bind(path, body["target"]["name"])
                case "POST":
                    return api.create(path, body)
                case "PUT":
                    return api.change(path, body, subresource)
                case "PATCH" if path in api.objects and isinstance(body, list):
                    return api.change(path, {**api.objects[path], "status": body[0]["value"]}, subresource)
                case "PATCH" if path in api.objects:
                    return api.change(path, merged(api.objects[path], body), subresource)
                case "DELETE":
                    return api.delete(path, body.get("gracePeriodSeconds"))
            raise Refused(404, "NotFound")

        def _stream(self, collection: str, since: int) -> None:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            api.streams.append(self.connection)
            self.close_connection = True
            try:
                for version, type, path, object in self._events():
                    if version > since and _is_of(collection, path):
                        line = json.dumps({"type": type, "object": object}).encode() + b"\n"
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                        self.wfile.flush()
            except OSError:
                return

        def _events(self) -> Iterator[tuple[int, str, str, Json]]:
            place = 0
            while True:
                with api.changed:
                    while place >= len(api.events):
                        api.changed.wait()
                    fresh = api.events[place:]
                place += len(fresh)
                yield from fresh

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Does nothing: a client that has ended is no news."""


@contextmanager
def small_api_server(folder: Path) -> Iterator[tuple[SmallApiServer, Path]]:
    """Yields a running one, and a kubeconfig for it."""
    api = SmallApiServer()
    server = _Server(("127.0.0.1", 0), _handler(api))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kubeconfig = folder / "kubeconfig"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    kubeconfig.write_text(json.dumps(config))
    try:
        yield api, kubeconfig
    finally:
        server.shutdown()
        server.server_close()
