# SPDX-License-Identifier: Apache-2.0
"""Extenders in v1.19: an extender rejects a node as Unschedulable only.

Promised: what is asked and answered is documented with the API of extenders, k8s.io/kube-scheduler/extender/v1.
Shows in: extenders.
Source: pkg/scheduler/core/extender.go, Filter, send; k8s.io/kube-scheduler/extender/v1/types.go,
ExtenderFilterResult.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from attrs import frozen

from refsched.extenders import extender as current
from refsched.extenders.wire import FilterResult
from refsched.framework.status import Status, error
from refsched.rules import ErrorReason, applies

_FOR_GOOD = "failedandunresolvablenodes"
OTHER_STATUS = ErrorReason("Failed {} with extender at URL {}, code {}", "R-EXTENDER-52")

T = TypeVar("T")


@frozen
class Extender(current.Extender):
    """This Extender is that of later releases except for the methods that it overrides."""

    def _read_filter_result(self, answer: object) -> FilterResult:
        """R-EXTENDER-51 (instead of R-EXTENDER-04): In v1.19 failedAndUnresolvableNodes is not a field of an
        extender's answer: a node that is only named there is not among the feasible ones, and has no reason."""
        if not isinstance(answer, Mapping):
            return super()._read_filter_result(answer)
        known = {name: value for name, value in answer.items() if str(name).lower() != _FOR_GOOD}
        applies("R-EXTENDER-51", when=len(known) < len(answer))
        return super()._read_filter_result(known)

    def _ask(self, verb: str, request: dict[str, Any], read: Callable[[object], T]) -> T | Status:
        """R-EXTENDER-52 (observed: the wording of reasons and messages is not part of the API): In v1.19 the error
        of a call that is answered with a status other than 200 begins with a capital letter."""
        answer = super()._ask(verb, request, read)
        if not isinstance(answer, Status) or not answer.message.startswith("failed "):
            return answer
        code = answer.message.rpartition(" ")[2]
        return error(OTHER_STATUS.of(verb, current.url_of(self.config.url_prefix, verb), code))
