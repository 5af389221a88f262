# SPDX-License-Identifier: Apache-2.0
"""Failures: how a call to an extender fails, in the words of kube-scheduler and of Go's HTTP client.

Source: pkg/scheduler/extender.go, send; net/http, Client.Do; net/url, Error.
"""

from __future__ import annotations

from refsched.extenders.extender import Failure

TIMED_OUT = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
CLOSED = "EOF"
"""The extender closed the connection without an answer."""
UNTRUSTED = "tls: failed to verify certificate: x509: certificate signed by unknown authority"

OK = 200


def other_status(url: str, verb: str, status: int) -> Failure:
    return Failure(f"failed {verb} with extender at URL {url}, code {status}")
