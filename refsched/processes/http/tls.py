# SPDX-License-Identifier: Apache-2.0
"""TLS to extenders: the settings of a configuration, as client-go uses them.

Source: pkg/scheduler/extender.go, makeTransport; client-go/transport/transport.go, TLSConfigFor,
loadTLSFiles, rootCertPool; client-go/transport/config.go, HasCA, HasCertAuth.
"""

from __future__ import annotations

import ssl
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from refsched.config.types import Extender as ExtenderConfig
from refsched.config.types import ExtenderTLSConfig
from refsched.errors import InputError

_FIELD = "extenders.tlsConfig"


@frozen
class Tls:
    """``server_name`` replaces the host of the address in the certificate's check; ``""`` stands for that host
    itself. ``context`` is made anew for each call, as a pair of files may have changed; it raises OSError if
    they cannot be used any more."""

    server_name: str
    context: Callable[[], ssl.SSLContext]


def tls_of(config: ExtenderConfig) -> Tls:
    """Reads the files at once. Raises InputError if one of them cannot be read, or has no usable content."""
    settings = config.tls_config or ExtenderTLSConfig()
    authority = _either(settings.ca_data, settings.ca_file, "caFile")
    verifies = bool(authority) or not (settings.insecure or config.enable_https)
    identify = _identification(settings)

    def context() -> ssl.SSLContext:
        made = _trusting(authority, verifies=verifies)
        identify(made)
        return made

    try:
        if config.tls_config is not None:
            context()
    except (OSError, ValueError) as problem:
        if not _is_pair_of_files(settings):
            raise InputError(f"cannot be used: {problem}", _FIELD) from None
    return Tls(settings.server_name, context)


def _trusting(authority: bytes, *, verifies: bool) -> ssl.SSLContext:
    """Returns a context that trusts this authority. Like Go it checks only a certificate's alternative names,
    and requires at least TLS 1.2."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.hostname_checks_common_name = False
    if not verifies:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    elif authority:
        made.load_verify_locations(cadata=authority.decode("ascii", "replace"))
    else:
        made.load_default_certs()
    return made


# --- Who calls ------------------------------------------------------------------------------------


def _identification(settings: ExtenderTLSConfig) -> Callable[[ssl.SSLContext], None]:
    """Returns a function that loads the client's certificate. A certificate without a key, or a key without a
    certificate, is not used."""
    certificate = _either(settings.cert_data, settings.cert_file, "certFile")
    key = _either(settings.key_data, settings.key_file, "keyFile")
    if not (settings.cert_data or settings.cert_file) or not (settings.key_data or settings.key_file):
        return lambda context: None
    if _is_pair_of_files(settings):
        return lambda context: context.load_cert_chain(settings.cert_file, settings.key_file)
    return lambda context: _load(context, certificate, key)


def _is_pair_of_files(settings: ExtenderTLSConfig) -> bool:
    """Returns whether certificate and key are both files. These are read for each call, and are not checked
    before."""
    return bool(settings.cert_file and settings.key_file) and not (settings.cert_data or settings.key_data)


def _load(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Loads a certificate and its key. OpenSSL takes them from files alone; these are private and removed at
    once."""
    with TemporaryDirectory(prefix="refsched-") as folder:
        pair = Path(folder, "certificate.pem"), Path(folder, "key.pem")
        for path, data in zip(pair, (certificate, key), strict=True):
            path.write_bytes(data)
        context.load_cert_chain(*pair)


def _either(data: str, file: str, member: str) -> bytes:
    """Returns the data in the configuration, or else that of the file."""
    if data or not file:
        return b64decode(data)
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{file}: {problem}", f"{_FIELD}.{member}") from None
