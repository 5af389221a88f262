# SPDX-License-Identifier: Apache-2.0
"""The HTTP driver, against a server on the loopback interface."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import parse_headers
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from refsched.config.scalars import Seconds
from refsched.config.types import Extender as ExtenderConfig
from refsched.extenders.failures import Failure
from refsched.processes.http import over_http as over_http_module
from refsched.processes.http.over_http import over_http


class Server(ThreadingHTTPServer):
    status, answer, delay = 200, b"{}", 0.0
    asked: tuple[str, str, Any] | None = None


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked = self.path, self.headers["Content-Type"], body
        time.sleep(self.server.delay)
        self.send_response(self.server.status)
        self.end_headers()
        with suppress(BrokenPipeError):
            self.wfile.write(self.server.answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def url_of(server: Server, path: str = "") -> str:
    return f"http://127.0.0.1:{server.server_address[1]}{path}"


def _read_the_call(connection: socket.socket) -> None:
    """Reads a call to its end, which may come in more than one piece. A connection that is closed before that is
    reset, which is another failure than one that ends."""
    with connection.makefile("rb") as call:
        call.readline()
        call.read(int(parse_headers(call)["Content-Length"]))


def ask(prefix: str, timeout: float = 5.0) -> object:
    return over_http(ExtenderConfig(prefix, http_timeout=Seconds(timeout)))("filter", {"Pod": None})


def test_a_call_is_a_post_of_json_to_the_verb_below_the_prefix(server: Server) -> None:
    server.answer = b'{"NodeNames": ["n"]}\n'

    assert ask(url_of(server, "/deep//")) == {"NodeNames": ["n"]}
    assert server.asked == ("/deep/filter", "application/json", {"Pod": None})


def test_a_query_in_the_prefix_stays_one(server: Server) -> None:
    ask(url_of(server, "/deep?of=it"))

    assert server.asked is not None
    assert server.asked[0] == "/deep?of=it/filter"


def test_what_follows_the_first_value_is_not_looked_at(server: Server) -> None:
    server.answer = b' [1] {"half'

    assert ask(url_of(server)) == [1]


def test_a_status_other_than_200_is_a_failure(server: Server) -> None:
    server.status = 500
    url = url_of(server)

    assert ask(url) == Failure(f"failed filter with extender at URL {url}/filter, code 500")


def test_an_empty_answer_is_a_failure(server: Server) -> None:
    server.answer = b"\n"

    assert ask(url_of(server)) == Failure("EOF")


@pytest.mark.parametrize("answer", [b"{", b"no", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_not_json_is_a_failure(server: Server, answer: bytes) -> None:
    server.answer = answer

    failure = ask(url_of(server))

    assert isinstance(failure, Failure)
    assert failure.message.startswith("the answer is not JSON: ")


def test_an_answer_that_does_not_come_is_a_failure(server: Server) -> None:
    server.delay = 0.2
    url = url_of(server)

    waited = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    assert ask(url, 0.02) == Failure(f'Post "{url}/filter": {waited}')


def test_nobody_listening_is_a_failure() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        url = f"http://127.0.0.1:{port}"

        refused = f'Post "{url}/filter": dial tcp 127.0.0.1:{port}: connect: connection refused'
        assert ask(url) == Failure(refused)


def test_a_connection_that_is_closed_without_a_word_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"

        def hang_up() -> None:
            connection, _ = listening.accept()
            with connection:
                _read_the_call(connection)

        thread = Thread(target=hang_up)
        thread.start()
        assert ask(url) == Failure(f'Post "{url}/filter": EOF')
        thread.join()


@pytest.mark.parametrize("prefix", ["http://127.0.0.1:port", "http://", "http://a b"])
def test_a_place_that_cannot_be_is_a_failure(prefix: str) -> None:
    failure = ask(prefix)

    assert isinstance(failure, Failure)
    assert failure.message.startswith(f'Post "{prefix}/filter": ' if prefix != "http://" else 'Post "http:/')


def test_another_scheme_is_a_failure() -> None:
    assert ask("extender") == Failure('Post "extender/filter": unsupported protocol scheme ""')


# --- However slow, and however long ----------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\n"
"""What begins an answer."""


def _drip(first: bytes, more: bytes, seconds: float = 0.05) -> Iterator[str]:
    """The address of a server that says ``first`` and then ``more`` again and again, until nobody listens."""

    def serve() -> None:
        with suppress(OSError):
            connection, _ = listening.accept()
            with connection:
                _read_the_call(connection)
                connection.sendall(first)
                while True:
                    connection.sendall(more)
                    time.sleep(seconds)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(
    ("first", "more"),
    [
        (HEAD + b"\r\n", b" "),
        (HEAD, b"A: b\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b"x"),
    ],
    ids=["a slow body", "slow headers", "endless Continue", "a slow body of a known length"],
)
def test_the_timeout_is_for_the_whole_exchange(first: bytes, more: bytes) -> None:
    for address in _drip(first, more):
        began = time.monotonic()
        answer = ask(address, timeout=0.5)
        assert time.monotonic() - began < 20
        assert isinstance(answer, Failure)
        assert "context deadline exceeded" in str(answer)


def test_a_body_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_http_module, "MAX_ANSWER", 1024 * 1024)
    for address in _drip(HEAD + b"\r\n", b" " * 100_000, 0.0):
        assert "the answer is longer than 1 MiB" in str(ask(address))


@pytest.mark.parametrize("address", ["http://[::1", "http://n:port", "http://n:99999999"])
def test_an_address_that_is_none_is_a_failure(address: str) -> None:
    assert isinstance(ask(address), Failure)
