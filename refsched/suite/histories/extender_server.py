# SPDX-License-Identifier: Apache-2.0
"""A scheduler extender for histories: what it answers stands in the pod, so that everybody is answered the same.

    python -m refsched.suite.histories.extender_server --port 8100

and in the configuration, for each extender a name of its own below the server:

    extenders:
    - urlPrefix: http://127.0.0.1:8100/a
      filterVerb: filter
      prioritizeVerb: prioritize
      weight: 1
      preemptVerb: preempt
      bindVerb: bind
      nodeCacheCapable: true

The pod's annotation ``refsched.dev/extender`` says, by extender and verb, how it answers about this pod:

    {"a": {"filter": {"n1": "Unschedulable", "n2": "UnschedulableAndUnresolvable"},
           "prioritize": {"n1": 7},
           "preempt": {"n1": "Refuse", "n2": 1},
           "bind": "Error"}}

- ``filter``: the code with which a node is refused; the reason is ``refused by a``. Others are left.
- ``prioritize``: a node's score, 0 where there is none.
- ``preempt``: ``Refuse`` leaves the node out, a number keeps this many victims, the first ones. Other nodes come
  back as they were sent.
- Any verb may be ``{"answer": …}`` instead, and answers just that, which may be what no extender should say.
- Any verb may be ``Error`` instead: it answers with ``Error: told to fail`` where the answer can say so (filter,
  bind), and with HTTP 500 where it cannot. ``Fail`` is always HTTP 500, ``Drop`` closes the connection and says
  nothing, and ``Hang`` says nothing until the other side has closed it.

Where nodes are sent whole (without nodeCacheCapable), what the annotation leaves open is read from a node's
labels: ``refsched.dev/extender-refuses`` is a code for filter, ``refsched.dev/extender-score`` a score.

A call to bind does not carry the pod: what holds is the annotation that the last other call about a pod of this
name carried. An extender that is only asked to bind always does.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from refsched.extenders.failures import CLOSED, TIMED_OUT

Json = dict[str, Any]

ANNOTATION = "refsched.dev/extender"
REFUSES = "refsched.dev/extender-refuses"
SCORE = "refsched.dev/extender-score"

_UNRESOLVABLE = "UnschedulableAndUnresolvable"
_SCRIPTED_FAILURE = {"Error": "told to fail"}


class ScriptedFailureError(Exception):
    """A ScriptedFailureError says that the answer is HTTP 500, or that there is none: then ``failed`` is the
    error that Go's HTTP client reports."""

    def __init__(self, failed: str = "") -> None:
        super().__init__(failed)
        self.failed = failed


_FAILING = {"Error": "", "Fail": "", "Drop": CLOSED, "Hang": TIMED_OUT}


# --- What it answers ------------------------------------------------------------------------------


def _filter(name: str, script: Mapping[str, Any], request: Json) -> Json:
    codes = {node: script.get(node, _labels(request, node).get(REFUSES)) for node in _nodes(request)}
    answer: Json = {"FailedNodes": {}, "FailedAndUnresolvableNodes": {}, "Error": ""}
    for node, code in codes.items():
        if code is not None:
            failed = "FailedAndUnresolvableNodes" if code == _UNRESOLVABLE else "FailedNodes"
            answer[failed][node] = f"refused by {name}"
    left = [node for node, code in codes.items() if code is None]
    if request.get("NodeNames") is not None:
        return answer | {"NodeNames": left}
    items = [node for node in request["Nodes"]["items"] if node["metadata"]["name"] in left]
    return answer | {"Nodes": {"metadata": {}, "items": items}}


def _prioritize(name: str, script: Mapping[str, Any], request: Json) -> list[Json]:
    return [
        {"Host": node, "Score": int(script.get(node, _labels(request, node).get(SCORE, 0)))}
        for node in _nodes(request)
    ]


def _preempt(name: str, script: Mapping[str, Any], request: Json) -> Json:
    sent = request.get("NodeNameToMetaVictims")
    if sent is None:
        sent = {node: _meta(victims) for node, victims in request["NodeNameToVictims"].items()}
    left: Json = {}
    for node, victims in sent.items():
        answer = script.get(node)
        if answer != "Refuse":
            left[node] = victims | {"Pods": victims["Pods"][:answer]}
    return {"NodeNameToMetaVictims": left}


def _bind(name: str, script: Mapping[str, Any], request: Json) -> Json:
    return {"Error": ""}


_VERBS: Mapping[str, Callable[[str, Mapping[str, Any], Json], Any]] = {
    "filter": _filter,
    "prioritize": _prioritize,
    "preempt": _preempt,
    "bind": _bind,
}


class ScriptedAnswers:
    """ScriptedAnswers are given by the annotations of pods. ``answer`` takes the path of a call and its body. It
    raises ScriptedFailureError if the annotation asks for a failure."""

    def __init__(self) -> None:
        self._scripts: dict[tuple[str, str], Json] = {}

    def answer(self, path: str, request: Json) -> Any:
        *_, name, verb = path.split("/")
        script = self._script(request).get(name, {}).get(verb, {})
        if script == "Error" and verb in ("filter", "bind"):
            return _SCRIPTED_FAILURE
        if isinstance(script, dict) and "answer" in script:
            return script["answer"]
        if isinstance(script, str):
            raise ScriptedFailureError(_FAILING[script])
        return _VERBS[verb](name, script, request)

    def _script(self, request: Json) -> Json:
        if "Pod" not in request:
            return self._scripts.get((request["PodNamespace"], request["PodName"]), {})
        metadata = request["Pod"]["metadata"]
        script: Json = json.loads(metadata.get("annotations", {}).get(ANNOTATION, "{}"))
        self._scripts[metadata.get("namespace", ""), metadata["name"]] = script
        return script


def _nodes(request: Json) -> list[str]:
    names = request.get("NodeNames")
    if names is None:
        return [node["metadata"]["name"] for node in request["Nodes"]["items"]]
    return list(names)


def _labels(request: Json, name: str) -> Mapping[str, str]:
    for node in (request.get("Nodes") or {"items": ()})["items"]:
        if node["metadata"]["name"] == name:
            labels: Mapping[str, str] = node["metadata"].get("labels", {})
            return labels
    return {}


def _meta(victims: Json) -> Json:
    return victims | {"Pods": [{"UID": pod["metadata"]["uid"]} for pod in victims["Pods"]]}


# --- How it is reached ----------------------------------------------------------------------------


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, heard: Callable[[Json], None]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers = ScriptedAnswers()
        self.heard = heard
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Prints nothing: what cannot be read is not answered, and a specification that is broken on purpose sends
        it, too."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        """Answers HTTP 400 to a call that kube-scheduler does not make or that an extender does not serve."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prefix, _, verb = self.path.rpartition("/")
        call: Json = {"extender": self.server.url + prefix, "verb": verb, "request": request}
        try:
            answer = self.server.answers.answer(self.path, request)
        except ScriptedFailureError as fails:
            self.server.heard(call | ({"failed": fails.failed} if fails.failed else {"status": 500}))
            self._fail(fails.failed)
        except (LookupError, TypeError):
            self.server.heard(call | {"status": 400})
            self._send(400, {})
        else:
            self.server.heard(call | {"answer": answer})
            self._send(200, answer)

    def _fail(self, how: str) -> None:
        if how == TIMED_OUT:
            self.rfile.read(1)
        elif not how:
            self._send(500, {})

    def _send(self, status: int, answer: object) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""


def _nobody(call: Json) -> None:
    """Ignores the call."""


@contextmanager
def serving(port: int = 0, heard: Callable[[Json], None] = _nobody) -> Iterator[str]:
    """Runs a server on the loopback interface, on any free port, and yields its URL. Before each answer
    ``heard`` is given the call in the form of a trace (docs/traces.md)."""
    with _Server(port, heard) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()


def main() -> None:
    parser = ArgumentParser(
        prog="refsched.suite.histories.extender_server", description="A scheduler extender for histories."
    )
    parser.add_argument("--port", type=int, default=8100)
    port = parser.parse_args().port
    with _Server(port, _nobody) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
