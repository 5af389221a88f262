# SPDX-License-Identifier: Apache-2.0
"""Cases of extended resources that devices serve: by which class, and which claim of a pod is the special one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.vocabulary.allocations import allocated
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import device_class, exactly, request, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    leaving,
    limited,
    node,
    owned_by_pod,
    pod,
    with_metadata,
)
from refsched.suite.histories.history import History, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_GPU = "example.com/gpu"
_MARK = "resource.kubernetes.io/extended-resource-claim"
_UID = "uid-of-p1"


def _controlled_claim(annotations: Json) -> History:
    """The pod controls a claim, as it does that of a template, and requests a resource that devices serve."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any", extendedResourceName=_GPU))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add(resource_slice("s1", [{"name": "d1"}, {"name": "d2"}]))
    own = resource_claim("p1-own", {"requests": [request("container-0-request-0", [exactly(1)])]})
    cluster.add(with_metadata(own, annotations=annotations, ownerReferences=[owned_by_pod("p1", _UID)]))
    cluster.add_pod(with_metadata(_wanting(_GPU), uid=_UID))
    cluster.schedule()
    return cluster.history()


def _leaving_special_claim(status: Json | None) -> History:
    """The special claim of an earlier attempt is being deleted, with this status; then it is removed."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any", extendedResourceName=_GPU))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add(resource_slice("s1", [{"name": "d0"}, {"name": "d1"}]))
    made = resource_claim("p1-own", {"requests": [request("container-0-request-0", [exactly(1)])]}, status)
    marks = {"annotations": {_MARK: "true"}, "ownerReferences": [owned_by_pod("p1", _UID)]}
    special = leaving(with_metadata(made, **marks))
    cluster.add(special)
    cluster.add_pod(with_metadata(_wanting(_GPU), uid=_UID))
    cluster.schedule()
    cluster.steps.append(deleting(special))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _wanting(resource: str) -> Json:
    return pod("", containers=[limited("c", {"cpu": "1", resource: "1"})])


def _class_with_another_resource(created: Json) -> History:
    """A class that served one resource says that it serves another one, which a class of that time serves."""
    cluster = HistoryBuilder()
    made = {
        name: with_metadata(
            device_class(name, extendedResourceName=f"example.com/{name}"), creationTimestamp=time
        )
        for name, time in created.items()
    }
    cluster.add(*made.values())
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add(resource_slice("s1", [{"name": "d1"}, {"name": "d2"}]))
    spec = {**made["a"]["spec"], "extendedResourceName": "example.com/b"}
    cluster.steps.append(Update({**made["a"], "spec": spec}))
    for resource in ("example.com/a", "example.com/b"):
        cluster.add_pod(_wanting(resource))
        cluster.schedule(1)
    return cluster.history()


def _equally_old_classes(*names: str) -> History:
    """Classes that serve the same resource, and that were created in this order, within one second."""
    cluster = HistoryBuilder()
    for name in names:
        made = device_class(name, extendedResourceName=_GPU)
        cluster.add(with_metadata(made, creationTimestamp=AN_AGE_AGO))
    cluster.add(resource_slice("s1", [{"name": "d1"}]))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add_pod(_wanting(_GPU))
    cluster.schedule()
    return cluster.history()


def _class_for_an_init_container() -> History:
    """Only an init container requests the resource, which a class serves that comes after an attempt."""
    cluster = HistoryBuilder()
    cluster.add(resource_slice("s1", [{"name": "d1"}]))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}, initContainers=[limited("i", {_GPU: "1"})]))
    cluster.schedule()
    cluster.add(device_class("any", extendedResourceName=_GPU))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _class_is_renamed(before: str, after: str) -> History:
    """A pod waits for a resource that no class serves, and the only class says another extendedResourceName."""
    cluster = HistoryBuilder()
    made = device_class("any", **({"extendedResourceName": before} if before else {}))
    cluster.add(made, resource_slice("s1", [{"name": "d1"}]))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add_pod(_wanting(_GPU))
    cluster.schedule()
    cluster.steps.append(Update({**made, "spec": {"extendedResourceName": after}}))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _class_without_its_resource() -> History:
    """The class that served a resource names none any more, and a pod requests the resource, before and after."""
    cluster = HistoryBuilder()
    made = device_class("any", extendedResourceName=_GPU)
    cluster.add(made, resource_slice("s1", [{"name": "d1"}, {"name": "d2"}]))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add_pod(_wanting(_GPU))
    cluster.schedule(1)
    cluster.steps.append(Update({**made, "spec": {}}))
    cluster.add_pod(_wanting(_GPU))
    cluster.schedule(1)
    return cluster.history()


def _of_the_node_and_used_up() -> History:
    """The node has one of what a class serves, which a pod there uses, and another pod wants one."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any", extendedResourceName=_GPU), resource_slice("s1", [{"name": "d1"}]))
    cluster.add_node(node("", {"cpu": "4", "pods": "9", _GPU: "1"}))
    cluster.add_pod(_wanting(_GPU), 0)
    cluster.add_pod(_wanting(_GPU))
    cluster.schedule()
    return cluster.history()


def _cases() -> Iterator[Case]:
    yield Case(
        "class_for_what_an_init_container_requests",
        "A pod that was rejected for a resource of an init container is requeued by a class that serves it.",
        _class_for_an_init_container(),
        ("R-FIT-14",),
    )
    yield Case(
        "class_that_serves_a_resource_no_more",
        "A DeviceClass that names no extendedResourceName any more does not serve the one that it had.",
        _class_without_its_resource(),
    )
    yield Case(
        "resource_that_a_class_serves_and_the_node_has_no_more_of",
        "Where a node has an extended resource itself, no devices serve it there, even if it is used up.",
        _of_the_node_and_used_up(),
        ("R-FIT-13",),
    )
    for name, before, after in (
        ("from_another_resource", "example.com/other", _GPU),
        ("from_no_resource", "", _GPU),
        ("to_another_resource", "example.com/other", "example.com/another"),
    ):
        yield Case(
            f"class_is_renamed_{name}",
            "A pod that was rejected for an extended resource is requeued when a class gets its name, whichever"
            f" name it had; it had {before or 'none'} and gets {after}.",
            _class_is_renamed(before, after),
            ("R-FIT-14",) if after == _GPU else (),
        )


def _of_special_claims() -> Iterator[Case]:
    for name, says, status in (
        ("has_no_device", "has no device", None),
        ("has_a_device", "has a device", allocated("d0")),
    ):
        yield Case(
            f"special_claim_that_is_being_deleted_and_{name}",
            "A pod whose special claim of an earlier attempt is being deleted gets no other one until that one is"
            f" removed, which {says}.",
            _leaving_special_claim(status),
            ("R-DRA-91",),
        )
    for name, says, marked in (
        ("marked", "marked as one", {_MARK: "true"}),
        ("marked_as_none", "marked as none", {_MARK: "false"}),
        ("not_marked", "not marked", {}),
    ):
        yield Case(
            f"special_claim_{name}",
            f"A claim that the pod controls is its special claim only if it is marked so; it is {says}.",
            _controlled_claim(marked),
            ("R-DRA-157",),
        )


def _of_ages() -> Iterator[Case]:
    yield Case(
        "equally_old_classes",
        "Of equally old classes that serve a resource the first by name does, though another one came before it.",
        _equally_old_classes("z", "a"),
    )
    for name, says, created in (
        ("older", "older", {"a": "2025-02-01T00:00:00Z", "b": "2025-01-01T00:00:00Z"}),
        ("newer", "newer", {"a": "2025-01-01T00:00:00Z", "b": "2025-02-01T00:00:00Z"}),
    ):
        yield Case(
            f"class_gets_the_resource_of_a_class_that_is_{name}",
            f"A DeviceClass gets another extendedResourceName, which another class has that is {says}.",
            _class_with_another_resource(created),
        )


CASES: tuple[Case, ...] = (*_cases(), *_of_special_claims(), *_of_ages())
