# SPDX-License-Identifier: Apache-2.0
"""Binding conditions: what the driver of a device has to report before a pod that uses the device is bound.

Promised: binding conditions are documented with the ResourceClaim API, KEP-5007.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go, isPodReadyForBinding, isClaimReadyForBinding,
isClaimTimeout, hasBindingConditions, getAllocatedDeviceStatus.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from attrs import frozen

from refsched.config.scalars import Seconds
from refsched.framework.interface import Api, WaitFor
from refsched.framework.status import Status, error
from refsched.objects.dra import DeviceRequestAllocationResult, ResourceClaim
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_args import DEFAULT_BINDING_TIMEOUT
from refsched.rules import ErrorReason, Reason, applies

WAIT_IS_OVER = ErrorReason("device binding timeout: context deadline exceeded", "R-DRA-97")
CLAIM_IS_TOO_OLD = ErrorReason("device binding timeout: claim={}", "R-DRA-99")
FAILED = ErrorReason("device binding failed: claim={}, reason={}, message={}", "R-DRA-98")
NOT_FOUND = ErrorReason('could not find ResourceClaim "{}"', "R-DRA-97")

POLL = timedelta(seconds=5)
"""PreBind looks at the claims this often."""


class BindingFailedError(Exception):
    """A BindingFailedError has the reason why a device cannot be used."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason


@frozen
class BindingConditions:
    """PreBind waits until the binding conditions are met, for ``timeout`` seconds at most."""

    timeout: Seconds = DEFAULT_BINDING_TIMEOUT

    def allocation_time(self, api: Api) -> datetime | None:
        """Returns the time that is written into an allocation, to the second."""
        return api.clock.time.replace(microsecond=0)

    def failed(self, claims: Iterable[ResourceClaim], now: datetime) -> frozenset[str]:
        """R-DRA-98: A claim of which an allocated device reports that one of its binding failure conditions is
        true makes every node unavailable.
        R-DRA-99: A claim whose binding conditions are not met makes every node unavailable once it has been
        allocated for longer than bindingTimeout.

        Returns the keys of these claims."""
        return frozenset(claim.key for claim in claims if self._has_failed(claim, now))

    def _has_failed(self, claim: ResourceClaim, now: datetime) -> bool:
        try:
            return not is_ready(claim) and applies("R-DRA-99", when=self._is_too_old(claim, now))
        except BindingFailedError:
            return applies("R-DRA-98")

    def _is_too_old(self, claim: ResourceClaim, now: datetime) -> bool:
        allocation = claim.status.allocation
        if allocation is None or allocation.allocation_timestamp is None or not has_conditions(claim):
            return False
        return (now - allocation.allocation_timestamp).total_seconds() > self.timeout

    def wait(
        self, claims: Sequence[tuple[str, str]], api: Api, bound: Callable[[], Status]
    ) -> Status | WaitFor:
        """R-DRA-97: PreBind of DynamicResources waits until all binding conditions of the devices that are
        allocated to the pod are true; it fails with an error after bindingTimeout, and as soon as a binding
        failure condition is true.

        ``claims`` are by namespace and name. What ``bound`` returns is the end of PreBind."""
        found = [api.objects.latest(ResourceClaim, name, namespace) for namespace, name in claims]
        if not any(has_conditions(claim) for claim in found if claim is not None):
            return bound()
        applies("R-DRA-97")
        began, looks = api.clock.time, ceil(self.timeout / POLL.total_seconds())

        def last_look() -> datetime:
            """Returns when PreBind looked last; when its time is up it does not look again."""
            return began + POLL * min((api.clock.time - began) // POLL, looks - 1)

        def check(objects: ObjectStore) -> Status | None:
            for namespace, name in claims:
                claim = objects.latest(ResourceClaim, name, namespace)
                if claim is None:
                    return error(NOT_FOUND.of(f"{namespace}/{name}"))
                try:
                    if is_ready(claim):
                        continue
                except BindingFailedError as problem:
                    return error(problem.reason)
                is_too_old = self._is_too_old(claim, last_look())
                return error(CLAIM_IS_TOO_OLD.of(name)) if is_too_old else None
            return bound()

        return WaitFor(check, self.timeout, error(WAIT_IS_OVER))


def has_conditions(claim: ResourceClaim) -> bool:
    allocation = claim.status.allocation
    return allocation is not None and any(result.binding_conditions for result in allocation.devices.results)


def is_ready(claim: ResourceClaim) -> bool:
    """Returns whether all devices of the claim, in their order, report what they have to. Raises
    BindingFailedError if one reports a failure before that."""
    if claim.status.allocation is None:
        return False
    for result in claim.status.allocation.devices.results:
        if not result.binding_conditions:
            continue
        conditions = _reported(claim, result)
        if conditions is None:
            return False
        for name in result.binding_failure_conditions:
            said = conditions.get(name, {})
            if said.get("status") == "True":
                reason, message = said.get("reason", ""), json.dumps(said.get("message", ""))
                raise BindingFailedError(FAILED.of(claim.name, reason, message))
        if any(conditions.get(name, {}).get("status") != "True" for name in result.binding_conditions):
            return False
    return True


def _reported(
    claim: ResourceClaim, result: DeviceRequestAllocationResult
) -> Mapping[str, Mapping[str, Any]] | None:
    """Returns the conditions of a device by type, or None if its driver has not reported any status."""
    wanted = (result.driver, result.pool, result.device)
    for device in claim.status.devices:
        if (device.get("driver"), device.get("pool"), device.get("device")) == wanted:
            return {said["type"]: said for said in reversed(device.get("conditions") or ())}
    return None
