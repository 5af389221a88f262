# SPDX-License-Identifier: Apache-2.0
"""Cases of CEL selectors: every expression of ``cel_expressions`` is evaluated for one device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.cases.cel_expressions import (
    BEFORE_1_37,
    DEVICE,
    DO_NOT_COMPILE,
    ERRORS,
    FALSE,
    SINCE_1_37,
    TRUE,
)
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    Json,
    claim_user,
    device_class,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

_AT_MOST = 16
"""This many pods are in one history."""


def _request(expressions: Sequence[str]) -> Json:
    """With admin access each request may get the device, whichever claim holds it already."""
    asked = {"deviceClassName": "any", "allocationMode": "ExactCount", "count": 1, "adminAccess": True}
    selectors = [{"cel": {"expression": each}} for each in expressions]
    return {"name": "r0", "exactly": {**asked, "selectors": selectors}}


def _selecting(*requests: Sequence[str]) -> History:
    """For each request a claim and a pod, on a node that has the device."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [DEVICE]))
    cluster.add_node(node("", {"cpu": "32", "pods": "32"}))
    for place, expressions in enumerate(requests):
        cluster.add(resource_claim(f"c{place}", {"requests": [_request(expressions)]}))
        cluster.add_pod(claim_user(f"c{place}"))
    cluster.schedule()
    return cluster.history()


def _cases() -> Iterator[Case]:
    for topic, expressions in TRUE.items():
        yield Case(
            f"cel_true_{topic}",
            f"A pod gets a device for which all expressions of a request hold: {topic.replace('_', ' ')}.",
            _selecting(expressions),
            ("R-DRA-40",),
        )
    wrong = (
        *((f"errors_in_{topic}", "is an error", "R-DRA-41", group) for topic, group in ERRORS.items()),
        ("not_compiling", "does not compile", "R-DRA-41", DO_NOT_COMPILE),
        ("false", "does not hold", "R-DRA-40", FALSE),
    )
    for name, says, rule, group in wrong:
        for first in range(0, len(group), _AT_MOST):
            part = f"_{first // _AT_MOST + 1}" if len(group) > _AT_MOST else ""
            yield Case(
                f"cel_{name}{part}",
                f"A pod gets no device by a request whose one expression {says}.",
                _selecting(*([each] for each in group[first : first + _AT_MOST])),
                (rule,),
            )
    yield Case(
        "cel_since_1_37",
        "An attribute is of type dyn, orValue is called on optionals alone, and a field may be in backquotes.",
        _selecting(*([each] for each in SINCE_1_37)),
        ("R-DRA-140", "R-DRA-141", "R-DRA-142", "R-DRA-146", "R-DRA-148", "R-DRA-151"),
    )
    yield Case(
        "cel_before_1_37",
        "An attribute is not of type dyn, and orValue of anything but an optional is the value itself.",
        _selecting(*([each] for each in BEFORE_1_37)),
        ("R-DRA-143", "R-DRA-144", "R-DRA-145", "R-DRA-147", "R-DRA-149"),
    )


CASES: tuple[Case, ...] = tuple(_cases())
