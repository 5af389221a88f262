# SPDX-License-Identifier: Apache-2.0
"""Cases of NodeResourcesFit: overcommitted nodes, resources that are ignored, allocatable that grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    ZONE,
    container,
    cpu,
    default_profile,
    limited,
    node,
    pod,
    profile_config,
    resized,
    with_spec,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_FEW: Json = {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", "x.y/a": "1", "pods": "9"}
_SMALL: Json = {"cpu": "1m", "memory": "1", "ephemeral-storage": "1", "x.y/a": "1"}


def _overcommitted(resource: str, requests: Json) -> History:
    """A node's pods request more of a resource than it has; others request something else, or nothing."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", _FEW))
    cluster.add_pod(pod("", {resource: "2Gi" if resource not in ("cpu", "x.y/a") else "2"}), 0)
    cluster.add_pod(pod("", requests))
    cluster.add_pod(pod(""))
    cluster.schedule()
    return cluster.history()


def _beside_cpu(room: Json, requests: Json) -> History:
    """The node has cpu and this, and a pod requests that."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", **room}))
    cluster.add_pod(pod("", requests))
    cluster.schedule()
    return cluster.history()


def _one_resource_grows_after_the_other() -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node("", _FEW))
    cluster.add_pod(pod("", {name: amount for name, amount in _FEW.items() if name != "pods"}), 0)
    for name in ("cpu", "memory", "ephemeral-storage"):
        cluster.add_pod(pod("", {name: _FEW[name]}))
    cluster.schedule()
    grown = dict(_FEW)
    for name, amount in (
        ("cpu", "1500m"),
        ("memory", "1500Mi"),
        ("ephemeral-storage", "1500Mi"),
        ("x.y/a", "2"),
    ):
        grown[name] = amount
        cluster.change_node(0, node("", grown))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def _cordoned_node_comes() -> History:
    """A pod is too large for the only node. A node that has room for it comes cordoned, and is opened later."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("2")))
    cluster.schedule()
    cluster.add_node(node("", unschedulable=True))
    cluster.wait()
    cluster.schedule()
    cluster.change_node(1, node(""))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _ignored_resources(amount: str) -> History:
    """One resource is ignored by its name, one by its group, and one is not ignored."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9", "x.y/a": "1", "z.w/b": "1"}))
    for resource in ("x.y/a", "z.w/b", "v.u/c"):
        resources = {"requests": {resource: amount}, "limits": {resource: amount}}
        cluster.add_pod(pod("", containers=[{"name": "c", "image": "i", "resources": resources}]))
    cluster.schedule()
    args = {"ignoredResources": ["x.y/a"], "ignoredResourceGroups": ["z.w"]}
    return cluster.history(profile_config(default_profile(("NodeResourcesFit", args))))


def _ignored_and_another() -> History:
    """A pod requests more of an ignored resource than a node has, and its cpu, which a pod of lower priority
    uses."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1")), 0)
    cluster.add_pod(pod("", containers=[limited("c", {"x.y/a": "1", "cpu": "1"})], priority=10))
    cluster.schedule()
    args = {"ignoredResources": ["x.y/a"]}
    return cluster.history(profile_config(default_profile(("NodeResourcesFit", args))))


def _resize_status_of_a_pending_pod(allocated: str) -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1500m")), 0)
    cluster.add_pod(resized(cpu("1"), cpu(allocated), cpu(allocated), "")(pod("", cpu("1"))))
    cluster.schedule()
    cluster.change_node(0, node("", {"cpu": "4", "pods": "9"}))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _request_is_removed(which: str) -> History:
    """A running pod or one that waits requests memory, and then requests none of it any more."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "memory": "1Gi", "pods": "9"}))
    both = {"cpu": "100m", "memory": "1Gi"}
    cluster.add_pod(pod("", both), 0)
    cluster.add_pod(pod("", both))
    cluster.schedule()
    containers = [container("c", cpu("100m"))]
    cluster.change_pod(int(which == "waits"), lambda value: with_spec(value, containers=containers))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _relabelled(label: str) -> History:
    """Nothing scores, so that the first node of the list is taken; a node's label changes before the last one
    comes."""
    cluster = HistoryBuilder(hosts=True)
    for _ in range(3):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.change_node(0, node("", {"cpu": "1", "pods": "9"}, labels={label: "a"}))
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    for _ in range(4):
        cluster.add_pod(pod("", cpu("1")))
    cluster.schedule()
    nothing = {"enabled": [], "disabled": [{"name": "*"}]}
    profile = default_profile(plugins={"score": nothing, "preScore": nothing})
    return cluster.history(profile_config(profile, parallelism=1))


def _fractions_of_a_byte(resource: str) -> History:
    """Two containers request 1.5 bytes each, on a node that has 3."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {resource: "3", "pods": "9"}))
    both = [container(name, {resource: "1500m"}) for name in ("c", "d")]
    cluster.add_pod(pod("", containers=both))
    cluster.add_pod(pod("", {resource: "1m"}))
    cluster.schedule()
    return cluster.history()


def _limits_below_a_thousandth() -> History:
    """Two containers are limited to 0.4 thousandths of a core each, on a node that has one thousandth."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1m", "pods": "9"}))
    limits = {"resources": {"limits": {"cpu": "400u"}}}
    cluster.add_pod(pod("", containers=[{**container(name, {}), **limits} for name in ("c", "d")]))
    cluster.schedule()
    return cluster.history()


def _zero_of_what_is_overcommitted(container_of: str) -> History:
    """The node has none of it, and a pod on it uses one."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1", "example.com/gpu": "1"}), 0)
    asking, other = container("a", {"cpu": "1", "example.com/gpu": "0"}), container("b", {"cpu": "1"})
    if container_of == "pod":
        cluster.add_pod(pod("", containers=[asking]))
    else:
        cluster.add_pod(pod("", containers=[other], initContainers=[asking]))
    cluster.schedule()
    return cluster.history()


def _sidecars_and_an_init_container() -> History:
    """A node has room for a sidecar and a container, and for an init container, but not for it beside a sidecar
    that started before."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2500m", "pods": "9"}))
    sidecar = container("sidecar", cpu("1"), restartPolicy="Always")
    init = container("init", cpu("2"))
    for order in ([sidecar, init], [init, sidecar]):
        cluster.add_pod(pod("", cpu("500m"), initContainers=order))
    cluster.schedule()
    return cluster.history()


def _two_sidecars_and_an_init_container() -> History:
    """A node has room for two sidecars and a container, and for an init container beside one of the sidecars, but
    not beside both."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    sidecars = [container(name, cpu("1"), restartPolicy="Always") for name in ("s1", "s2")]
    cluster.add_pod(pod("", cpu("1"), initContainers=[*sidecars, container("init", cpu("3"))]))
    cluster.schedule()
    return cluster.history()


def _huge_pages_of_a_pod_as_a_whole(which: str) -> History:
    """A pod says as a whole how much cpu it wants. One container of it, and an init container or a sidecar, are
    limited to 2Mi of huge pages each. The nodes have 2Mi and 4Mi."""
    pages = {"hugepages-2Mi": "2Mi"}
    cluster = HistoryBuilder()
    for amount in ("2Mi", "4Mi"):
        cluster.add_node(node("", {"cpu": "4", "memory": "1Gi", "pods": "9", "hugepages-2Mi": amount}))
    policy: Json = {"restartPolicy": "Always"} if which == "sidecar" else {}
    as_a_whole = {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}
    for _ in range(2):
        cluster.add_pod(
            pod(
                "",
                containers=[limited("c", pages)],
                initContainers=[limited("i", pages, **policy)],
                resources=as_a_whole,
            )
        )
    cluster.schedule()
    return cluster.history()


def _of_changes() -> Iterator[Case]:
    for label, place in (("disk", "keeps its place"), (ZONE, "goes to the end of its new zone")):
        yield Case(
            f"node_relabelled_{label.rpartition('/')[2]}",
            f"In the list of nodes a node whose label {label} changes {place}.",
            _relabelled(label),
        )
    for which in ("runs", "waits"):
        yield Case(
            f"request_removed_from_a_pod_that_{which}",
            f"A pod that {which} requests less if it requests none of a resource any more: one rejected for it"
            " is requeued.",
            _request_is_removed(which),
            ("R-CHANGE-03",),
        )


def _pods_before_their_node() -> History:
    """A pod is created on a node that does not exist yet, with all its cpu; then come the node and another pod."""
    cluster = HistoryBuilder()
    cluster.add_pod(pod("", cpu("1"), nodeName="n1"))
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1")))
    cluster.schedule()
    return cluster.history()


def _of_what_the_node_lacks() -> Iterator[Case]:
    for name, room in (("none", {"pods": "0"}), ("nothing_said", {})):
        yield Case(
            f"room_for_pods_{name}",
            "A node without room for pods rejects each pod as Unschedulable, whether it says 0 or nothing.",
            _beside_cpu(room, {}),
            ("R-FIT-03",),
        )
    for name, has, wants in (
        ("storage", "storage", "ephemeral-storage"),
        ("huge_pages", "hugepages-1Gi", "hugepages-2Mi"),
        ("extended_resources", "x.y/a", "x.y/b"),
    ):
        yield Case(
            f"{name}_of_another_name",
            f"A resource that a node has counts for requests of that name alone; it has {has}, and the pod wants"
            f" {wants}.",
            _beside_cpu({"pods": "9", has: "4Gi"}, {wants: "2Mi"}),
        )


def _cases() -> Iterator[Case]:
    yield Case(
        "pod_that_comes_before_its_node",
        "A pod that was created on a node which did not exist counts there once it does.",
        _pods_before_their_node(),
        ("R-EVENT-02",),
    )
    for resource in _SMALL:
        name = {"x.y/a": "extended_resource"}.get(resource, resource.replace("-", "_"))
        yield Case(
            f"overcommitted_{name}",
            f"A node that is overcommitted on {name.replace('_', ' ')} is feasible for pods that request other "
            "resources only.",
            _overcommitted(resource, {other: _SMALL[other] for other in _SMALL if other != resource}),
            ("R-FIT-02",),
        )
    yield Case(
        "overcommitted_cpu_and_an_extended_resource_alone",
        "The release says whether a node that is overcommitted on cpu is feasible for a pod that requests an"
        " extended resource and no cpu.",
        _overcommitted("cpu", {"x.y/a": "1"}),
    )
    yield Case(
        "overcommitted_extended_resource_requested_as_zero",
        "A node that is overcommitted on an extended resource is feasible for a pod that requests 0 of it.",
        _overcommitted("x.y/a", {"cpu": "1m", "x.y/a": "0"}),
        ("R-FIT-02",),
    )
    for amount in ("2", "1"):
        yield Case(
            f"ignored_resources_request_of_{amount}",
            "A resource that the profile ignores by name or by group rejects no node, and one that is not ignored "
            f"does; each pod requests {amount}.",
            _ignored_resources(amount),
            ("R-FIT-02",),
        )
    yield Case(
        "ignored_resource_and_one_that_a_victim_uses",
        "A node that is rejected for another resource is a candidate for preemption, though it has less of an"
        " ignored one than the pod requests.",
        _ignored_and_another(),
        ("R-FIT-04",),
    )


def _of_growing_nodes() -> Iterator[Case]:
    yield Case(
        "cordoned_node_with_room_comes",
        "A node that has room for a pod requeues it when it comes, even if it is cordoned.",
        _cordoned_node_comes(),
        ("R-FIT-11",),
    )
    yield Case(
        "allocatable_grows_one_resource_after_the_other",
        "A pod is requeued only when a resource grows that it requests, even if that is still too little.",
        _one_resource_grows_after_the_other(),
    )


def _of_sums() -> Iterator[Case]:
    for allocated in ("9", "100m"):
        yield Case(
            f"resize_status_of_a_pending_pod_{allocated}",
            f"Of a pod that is not bound the requests count, and not the {allocated} of cpu in its status.",
            _resize_status_of_a_pending_pod(allocated),
        )
    for name, resource in (("a_byte", "memory"), ("a_byte_of_ephemeral_storage", "ephemeral-storage")):
        yield Case(
            f"fractions_of_{name}",
            "The requests of two containers are fractions of a byte, which are rounded up.",
            _fractions_of_a_byte(resource),
            ("R-REQUEST-09",),
        )
    yield Case(
        "limits_below_a_thousandth_of_a_core",
        "The limits of two containers, which are their requests, are rounded up to thousandths, and then added.",
        _limits_below_a_thousandth(),
        ("R-DEFAULTS-07",),
    )
    for which in ("init_container", "sidecar"):
        yield Case(
            f"huge_pages_of_a_pod_as_a_whole_with_a_{which}",
            "A pod as a whole wants as many huge pages as its containers are limited to, those of an init"
            " container instead of the others' and those of a sidecar besides them; it has one"
            f" {which.replace('_', ' ')}.",
            _huge_pages_of_a_pod_as_a_whole(which),
        )
    for container_of in ("pod", "init"):
        yield Case(
            f"zero_of_what_is_overcommitted_{container_of}",
            "A container requests zero of an extended resource, of which its node has none and another pod uses "
            "one.",
            _zero_of_what_is_overcommitted(container_of),
        )
    yield Case(
        "sidecar_before_and_after_an_init_container",
        "A sidecar counts beside an init container that starts after it, and not beside one that starts "
        "before it.",
        _sidecars_and_an_init_container(),
        ("R-REQUEST-03",),
    )
    yield Case(
        "two_sidecars_before_an_init_container",
        "All sidecars that started before an init container count beside it, and not only the largest.",
        _two_sidecars_and_an_init_container(),
        ("R-REQUEST-03",),
    )


CASES: tuple[Case, ...] = (
    *_of_what_the_node_lacks(),
    *_cases(),
    *_of_growing_nodes(),
    *_of_sums(),
    *_of_changes(),
)
