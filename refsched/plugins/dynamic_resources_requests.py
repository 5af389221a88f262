# SPDX-License-Identifier: Apache-2.0
"""What DynamicResources requires of the requests in a claim before it looks for devices.

Promised: how claims are allocated is documented with dynamic resource allocation, KEP-4381.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go, PreFilter.
"""

from __future__ import annotations

from refsched.devices.claims import is_being_allocated
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects.dra import DeviceClass, DeviceRequest, ResourceClaim
from refsched.objects.store import ObjectStore
from refsched.rules import ErrorReason, Reason, applies

BEING_ALLOCATED = Reason("resource claim {} is in the process of being allocated", "R-DRA-02")
UNKNOWN_REQUEST = Reason("resource claim {}, request {}: unknown request type", "R-DRA-12")
UNSUPPORTED_REQUEST = ErrorReason("request {}: unsupported request type", "R-DRA-12")
CLASS_NOT_FOUND = Reason("request {}: device class {} does not exist", "R-DRA-12")


def may_be_allocated(claim: ResourceClaim, objects: ObjectStore) -> Status:
    """R-DRA-12: A pod is rejected as UnschedulableAndUnresolvable if the DeviceClass of a request in an
    unallocated claim, or of one of its alternatives, does not exist; a request without a class is an error.
    R-DRA-82: A claim whose allocation is about to be written for another pod is not allocated again."""
    if is_being_allocated(claim, objects):
        applies("R-DRA-82")
        return unresolvable(BEING_ALLOCATED.of(claim.key))
    for request in claim.spec.devices.requests:
        if request.exactly is None and not request.first_available:
            return unresolvable(UNKNOWN_REQUEST.of(claim.key, request.name))
        for name, device_class in _classes_of(request):
            if not device_class:
                return error(UNSUPPORTED_REQUEST.of(name))
            if objects.get(DeviceClass, device_class) is None:
                return unresolvable(CLASS_NOT_FOUND.of(name, device_class))
    return SUCCESS


def _classes_of(request: DeviceRequest) -> tuple[tuple[str, str], ...]:
    """Returns the names of a request, or of its alternatives, each with the name of its class."""
    if request.exactly is not None:
        return ((request.name, request.exactly.device_class_name),)
    return tuple((f"{request.name}/{sub.name}", sub.device_class_name) for sub in request.first_available)
