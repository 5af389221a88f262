# SPDX-License-Identifier: Apache-2.0
"""Failures: how a call to an extender fails, in the words of kube-scheduler and of Go's HTTP client.

Source: pkg/scheduler/extender.go, send; net/http, Client.Do; net/url, Error.
"""

from __future__ import annotations

from attrs import frozen

from refsched.rules import ErrorReason

NO_ANSWER = ErrorReason('Post "{}": {}', "R-EXTENDER-11")
TIMED_OUT = ErrorReason(
    "context deadline exceeded (Client.Timeout exceeded while awaiting headers)", "R-EXTENDER-11"
)
UNTRUSTED = ErrorReason(
    "tls: failed to verify certificate: x509: certificate signed by unknown authority", "R-EXTENDER-11"
)
OTHER_STATUS = ErrorReason("failed {} with extender at URL {}, code {}", "R-EXTENDER-11")
CLOSED = "EOF"
"""The extender closed the connection without an answer."""

OK = 200


@frozen
class Failure:
    """A Failure says that the call failed: there was no answer, or none that can be read."""

    message: str


def no_answer(url: str, why: str) -> Failure:
    return Failure(NO_ANSWER.format(url, why))


def other_status(url: str, verb: str, status: int) -> Failure:
    return Failure(OTHER_STATUS.format(verb, url, status))
