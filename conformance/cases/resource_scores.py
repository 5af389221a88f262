# SPDX-License-Identifier: Apache-2.0
"""Cases of the scores of NodeResourcesFit and NodeResourcesBalancedAllocation: their weight, containers without
requests, nodes that become full, and resources that the pod does not request, or that a node has no longer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, default_profile, limited, node, pod, profile_config
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_IMAGE: Json = {"names": ["large:1"], "sizeBytes": 900 * 1024 * 1024}


def _weight_of_a_default_plugin(weight: int) -> History:
    scored = {"enabled": [{"name": "NodeResourcesFit", "weight": weight}, {"name": "ImageLocality"}]}
    cluster = HistoryBuilder()
    for cores in ("4", "2"):
        images = [_IMAGE] if cores == "2" else []
        cluster.add_node(node("", {"cpu": cores, "memory": "8Gi", "pods": "9"}, images=images))
    cluster.add_pod(pod("", containers=[container("c", {"cpu": "1"}, image="large:1")]))
    cluster.schedule()
    return cluster.history(profile_config(default_profile(plugins={"score": scored})))


def _small_container_and_one_without_requests(which: str) -> History:
    """The one container requests less than what counts where nothing is requested, and an init container, or a
    sidecar, requests nothing. The nodes are small and of different sizes."""
    cluster = HistoryBuilder()
    for cores, memory in (("1", "1Gi"), ("500m", "2Gi"), ("2", "600Mi")):
        cluster.add_node(node("", {"cpu": cores, "memory": memory, "pods": "9"}))
    policy: Json = {"restartPolicy": "Always"} if which == "sidecar" else {}
    asking_nothing = container("init", **policy)
    for _ in range(2):
        cluster.add_pod(pod("", {"cpu": "10m", "memory": "10Mi"}, initContainers=[asking_nothing]))
    cluster.schedule()
    return cluster.history()


def _balanced(*resources: str) -> History:
    """The nodes differ in how much ephemeral storage and of an extended resource is used there, of which the pod
    requests nothing. These resources are balanced."""
    cluster = HistoryBuilder()
    amounts = {"cpu": "4", "memory": "4Gi", "ephemeral-storage": "10Gi", "x.y/a": "10", "pods": "9"}
    used_there: tuple[Json, ...] = ({"ephemeral-storage": "8Gi"}, {"x.y/a": "8"}, {})
    for home, used in enumerate(used_there):
        cluster.add_node(node("", amounts))
        cluster.add_pod(pod("", containers=[limited("c", {"cpu": "1", "memory": "1Gi", **used})]), home)
    cluster.add_pod(pod("", {"cpu": "2", "memory": "2Gi"}))
    cluster.schedule()
    args = {"resources": [{"name": name, "weight": 1} for name in resources]}
    return cluster.history(profile_config(default_profile(("NodeResourcesBalancedAllocation", args))))


def _balanced_with_a_scalar_resource(resource: str, wanted: str) -> History:
    """Half of the resource is used on the first of two nodes, and nothing on the second, which has more cpu. A pod
    wants this much of it."""
    cluster = HistoryBuilder()
    for home, (cores, used) in enumerate((("4", "1Gi"), ("8", "0"))):
        cluster.add_node(node("", {"cpu": cores, "memory": "4Gi", resource: "2Gi", "pods": "9"}))
        running = limited("c", {"cpu": "1", "memory": "1Gi", resource: used})
        cluster.add_pod(pod("", containers=[running]), home)
    asked = {"cpu": "2", "memory": "1Gi", resource: wanted}
    cluster.add_pod(pod("", containers=[limited("c", asked)]))
    cluster.schedule()
    args = {"resources": [{"name": name, "weight": 1} for name in ("cpu", "memory", resource)]}
    return cluster.history(profile_config(default_profile(("NodeResourcesBalancedAllocation", args))))


def _requesting_zero(resource: str) -> History:
    """Pods run on the first of two nodes, and one comes, that state a request of 0 for the resource."""
    cluster = HistoryBuilder()
    for _ in range(2):
        cluster.add_node(node("", {"cpu": "1", "memory": "1Gi", "pods": "9"}))
    asking = {"cpu": "100m", "memory": "100Mi", resource: "0"}
    for _ in range(2):
        cluster.add_pod(pod("", asking), 0)
    cluster.add_pod(pod("", asking))
    cluster.schedule()
    return cluster.history()


def _takes_the_last_of_a_node() -> History:
    """A pod takes all cpu of one node, all memory of another one, all of both of a third, and none of these of a
    fourth."""
    cluster = HistoryBuilder()
    for cores, memory in (("2", "8Gi"), ("8", "2Gi"), ("2", "2Gi"), ("3", "5Gi")):
        cluster.add_node(node("", {"cpu": cores, "memory": memory, "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "2", "memory": "2Gi"}))
    cluster.schedule()
    return cluster.history()


def _overhead_besides_pod_level_requests(resource: str, amount: str) -> History:
    """A pod requests one resource as a whole, and its overhead another one, or the same."""
    cluster = HistoryBuilder()
    for cores, memory in (("1", "2Gi"), ("2", "1Gi")):
        cluster.add_node(node("", {"cpu": cores, "memory": memory, "pods": "9"}))
    asked: Json = {"resources": {"requests": {"memory": "600Mi"}}, "overhead": {resource: amount}}
    for _ in range(2):
        cluster.add_pod(pod("", runtimeClassName="r", **asked))
        cluster.schedule(1)
    return cluster.history()


def _lists_a_resource_no_more(resource: str) -> History:
    """An update of the node no longer lists a resource that it had, and then a pod requests it."""
    cluster = HistoryBuilder()
    there = {"cpu": "4", "memory": "8Gi", "pods": "9", "ephemeral-storage": "8Gi", "x.y/a": "2"}
    cluster.add_node(node("", there))
    wanting = limited("c", {resource: "1"})
    cluster.add_pod(pod("", containers=[wanting]))
    cluster.schedule(1)
    cluster.change_node(0, node("", {name: amount for name, amount in there.items() if name != resource}))
    cluster.add_pod(pod("", containers=[wanting]))
    cluster.schedule(1)
    return cluster.history()


def _cases() -> Iterator[Case]:
    for resource, name in (
        ("memory", "memory"),
        ("ephemeral-storage", "ephemeral_storage"),
        ("x.y/a", "devices"),
    ):
        yield Case(
            f"{name}_that_a_node_lists_no_more",
            f"A node has nothing of a resource that its last update does not list; here that is {resource}.",
            _lists_a_resource_no_more(resource),
            ("R-CACHE-02",),
        )
    for resource, amount in (("cpu", "250m"), ("memory", "100Mi")):
        yield Case(
            f"{resource}_of_the_overhead_besides_pod_level_requests",
            "The overhead is a part of what a pod requests as a whole, so that no default counts for a resource of"
            f" it; here it is {resource}.",
            _overhead_besides_pod_level_requests(resource, amount),
            ("R-REQUEST-11",),
        )
    for which, here in (("init_container", "an init container"), ("sidecar", "a sidecar")):
        yield Case(
            f"score_with_{which}_without_requests",
            "For the score, any container that requests no cpu or memory counts with a default amount, here"
            f" {here}.",
            _small_container_and_one_without_requests(which),
        )
    yield Case(
        "pod_that_takes_the_last_of_a_node",
        "A node of which a pod takes the last of a resource scores as any other one.",
        _takes_the_last_of_a_node(),
        ("R-BALANCED-03",),
    )
    for weight in (1, 5):
        yield Case(
            f"default_plugin_with_weight_{weight}",
            f"A default plugin that is enabled at score with weight {weight} counts once, by that weight.",
            _weight_of_a_default_plugin(weight),
        )


def _of_requests_and_balance() -> Iterator[Case]:
    for resource in ("cpu", "memory"):
        yield Case(
            f"score_with_a_request_of_0_for_{resource}",
            f"A container that requests 0 of {resource} has a request, so that no default counts for it.",
            _requesting_zero(resource),
            ("R-REQUEST-08",),
        )
    for resource, name in (("ephemeral-storage", "ephemeral_storage"), ("x.y/a", "an_extended_resource")):
        yield Case(
            f"balance_of_{name}_that_is_not_requested",
            f"The release says whether the balance of {resource} counts for a pod that requests none of it.",
            _balanced("cpu", "memory", resource),
        )
    for resource, name in (
        ("hugepages-2Mi", "huge_pages"),
        ("attachable-volumes-csi-x.y", "attachable_volumes"),
        ("x.kubernetes.io/a", "a_resource_of_kubernetes"),
    ):
        for wanted in ("0", "512Mi"):
            yield Case(
                f"balance_of_{name}_of_which_{wanted.lower()}_is_requested",
                "Huge pages, attachable volumes and whatever has a domain in its name count for the balance of a"
                f" node only if the pod requests some; it requests {wanted} of {resource}.",
                _balanced_with_a_scalar_resource(resource, wanted),
            )


CASES: tuple[Case, ...] = (*_cases(), *_of_requests_and_balance())
