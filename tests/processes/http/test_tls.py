# SPDX-License-Identifier: Apache-2.0
"""TLS to extenders, against a server on the loopback interface whose certificate is made here."""

from __future__ import annotations

import json
import ssl
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trustme

from refsched.config.scalars import Base64, Seconds
from refsched.config.types import Extender as ExtenderConfig
from refsched.config.types import ExtenderTLSConfig
from refsched.errors import InputError
from refsched.extenders.failures import UNTRUSTED, Failure
from refsched.processes.http.over_http import over_http
from refsched.processes.http.tls import tls_of
from refsched.reading.configuration.read import read_config


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.connection, ssl.SSLSocket)
        shown = self.connection.getpeercert()
        answer = json.dumps({"Error": dict(shown["subject"][-1]).get("commonName", "") if shown else ""})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Who does not trust it hangs up."""


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def url(authority: trustme.CA) -> Iterator[str]:
    """It asks for a certificate of the same authority, and says whose it was shown."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "extender.test").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_OPTIONAL
    with Server(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture
def caller(authority: trustme.CA) -> trustme.LeafCert:
    return authority.issue_cert("scheduler", common_name="scheduler")


def text_of(*blobs: trustme.Blob) -> Base64:
    return Base64(b64encode(b"".join(blob.bytes() for blob in blobs)).decode())


def chain_of(certificate: trustme.LeafCert) -> Base64:
    return text_of(*certificate.cert_chain_pems)


def ask(url: str, *, enable_https: bool = True, **tls: Any) -> object:
    configured = ExtenderTLSConfig(**tls) if tls else None
    config = ExtenderConfig(url, enable_https=enable_https, tls_config=configured, http_timeout=Seconds(5.0))
    return over_http(config)("bind", {})


NOBODY = {"Error": ""}

# --- Who is trusted -------------------------------------------------------------------------------


def test_https_that_is_enabled_without_an_authority_is_not_verified(url: str) -> None:
    assert ask(url) == NOBODY


def test_a_server_that_is_configured_as_insecure_is_not_verified(url: str) -> None:
    assert ask(url, enable_https=False, insecure=True) == NOBODY


def test_an_address_alone_is_verified_by_the_authorities_of_the_system(url: str) -> None:
    assert ask(url, enable_https=False) == Failure(f'Post "{url}/bind": {UNTRUSTED}')


def test_a_configured_authority_is_the_only_one(url: str, authority: trustme.CA) -> None:
    assert ask(url, ca_data=text_of(authority.cert_pem)) == NOBODY
    assert ask(url, ca_data=text_of(trustme.CA().cert_pem)) == Failure(f'Post "{url}/bind": {UNTRUSTED}')


def test_an_authority_may_stand_in_a_file_which_gives_way_to_data(
    url: str, authority: trustme.CA, tmp_path: Path
) -> None:
    good, other = tmp_path / "good.pem", tmp_path / "other.pem"
    authority.cert_pem.write_to_path(good)
    trustme.CA().cert_pem.write_to_path(other)
    assert ask(url, ca_file=str(good)) == NOBODY
    assert isinstance(ask(url, ca_file=str(other)), Failure)
    assert ask(url, ca_file=str(other), ca_data=text_of(authority.cert_pem)) == NOBODY


def test_the_server_answers_to_its_configured_name(url: str, authority: trustme.CA) -> None:
    trusted = text_of(authority.cert_pem)
    assert ask(url, ca_data=trusted, server_name="extender.test") == NOBODY
    failure = ask(url, ca_data=trusted, server_name="other.test")
    assert isinstance(failure, Failure)
    assert "other.test" in failure.message


# --- Who calls ------------------------------------------------------------------------------------


def test_a_certificate_is_shown_to_who_asks_for_one(url: str, caller: trustme.LeafCert) -> None:
    key = text_of(caller.private_key_pem)
    assert ask(url, cert_data=chain_of(caller), key_data=key) == {"Error": "scheduler"}


def test_a_pair_of_files_is_read_again_for_each_call(
    url: str, caller: trustme.LeafCert, authority: trustme.CA, tmp_path: Path
) -> None:
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    write_pair(caller, certificate, key)
    configured = ExtenderTLSConfig(cert_file=str(certificate), key_file=str(key))
    ask_again = over_http(
        ExtenderConfig(url, enable_https=True, tls_config=configured, http_timeout=Seconds(5.0))
    )
    assert ask_again("bind", {}) == {"Error": "scheduler"}

    write_pair(authority.issue_cert("other", common_name="other"), certificate, key)
    assert ask_again("bind", {}) == {"Error": "other"}

    certificate.unlink()
    assert isinstance(ask_again("bind", {}), Failure)


def write_pair(pair: trustme.LeafCert, certificate: Path, key: Path) -> None:
    certificate.write_bytes(b"".join(blob.bytes() for blob in pair.cert_chain_pems))
    pair.private_key_pem.write_to_path(key)


def test_a_file_gives_way_to_data_beside_it(url: str, caller: trustme.LeafCert, tmp_path: Path) -> None:
    key = tmp_path / "k.pem"
    caller.private_key_pem.write_to_path(key)
    assert ask(url, cert_data=chain_of(caller), key_file=str(key)) == {"Error": "scheduler"}


def test_a_certificate_without_a_key_is_shown_to_nobody(url: str, caller: trustme.LeafCert) -> None:
    assert ask(url, cert_data=chain_of(caller)) == NOBODY
    assert ask(url, key_data=text_of(caller.private_key_pem)) == NOBODY


# --- What cannot be used --------------------------------------------------------------------------


@pytest.mark.parametrize("member", ["ca_file", "cert_file", "key_file"])
def test_a_file_that_is_not_there_is_reported_before_anybody_is_asked(member: str) -> None:
    with pytest.raises(InputError, match=r"^extenders\.tlsConfig\.\w+File: /nowhere/a\.pem: No such file"):
        tls_of(ExtenderConfig("https://e", tls_config=ExtenderTLSConfig(**{member: "/nowhere/a.pem"})))


@pytest.mark.parametrize("member", ["ca_data", "cert_data"])
def test_what_is_no_certificate_is_reported_before_anybody_is_asked(
    member: str, caller: trustme.LeafCert
) -> None:
    configured = {"key_data": text_of(caller.private_key_pem), member: Base64(b64encode(b"no").decode())}
    with pytest.raises(InputError, match=r"^extenders\.tlsConfig: cannot be used: "):
        tls_of(ExtenderConfig("https://e", tls_config=ExtenderTLSConfig(**configured)))


def test_a_pair_of_files_that_is_none_is_found_out_when_it_is_shown(url: str, tmp_path: Path) -> None:
    for name in ("c.pem", "k.pem"):
        (tmp_path / name).write_text("no", "utf-8")
    failure = ask(url, cert_file=str(tmp_path / "c.pem"), key_file=str(tmp_path / "k.pem"))
    assert isinstance(failure, Failure)


def test_all_of_it_stands_in_a_configuration(url: str, authority: trustme.CA) -> None:
    configured = {"caData": text_of(authority.cert_pem), "serverName": "extender.test"}
    config = read_config(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "extenders": [
                {"urlPrefix": url, "enableHTTPS": True, "httpTimeout": "5s", "tlsConfig": configured}
            ],
        }
    )
    assert over_http(config.extenders[0])("bind", {}) == NOBODY
