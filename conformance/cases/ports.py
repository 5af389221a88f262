# SPDX-License-Identifier: Apache-2.0
"""Cases of NodePorts: which ports are taken, and ports of the pod alone, which claim nothing of the host."""

from __future__ import annotations

from itertools import product
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, cpu, node, pod, spread_by_default
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_OF_POD: Json = {"containerPort": 80}
_PORT = 80
_OF_HOST: Json = {"containerPort": 80, "hostPort": _PORT}


def _ports_of_pods_alone() -> History:
    """Pods with ports of their own and with a host port come to one node, with containers and sidecars that have
    them."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    for port in (_OF_POD, _OF_POD, _OF_HOST, _OF_POD, _OF_HOST):
        cluster.add_pod(pod("", containers=[container("c", ports=[port, {"containerPort": 81}])]))
        sidecar = {**container("i", ports=[port]), "restartPolicy": "Always"}
        cluster.add_pod(pod("", initContainers=[sidecar]))
    cluster.schedule()
    return cluster.history()


def _node_comes(**spec: Any) -> History:
    """A pod waits for a port, and a node comes that the pod cannot go to."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", containers=[container("c", ports=[_OF_HOST])]), 0)
    cluster.add_pod(pod("", containers=[container("c", ports=[_OF_HOST])]))
    cluster.schedule()
    cluster.add_node(node("", **spec))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _nominated_pod_is_deleted(port: int) -> History:
    """The only node has a port that waits for a nominated pod, which finds no cpu there. Another pod asks for the
    same port, until the nominated one is deleted."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1"), priority=100), 0)
    never: Json = {"preemptionPolicy": "Never"}
    holder = [container("c", cpu("1"), ports=[{"containerPort": 80, "hostPort": port}])]
    cluster.add_pod(pod("", containers=holder, priority=10, status={"nominatedNodeName": "n1"}, **never))
    cluster.add_pod(pod("", containers=[container("c", ports=[_OF_HOST])], **never))
    cluster.schedule()
    cluster.wait()
    cluster.remove_pod(1)
    cluster.schedule()
    return cluster.history()


def _ports_of_init_containers() -> History:
    """Pods come one after the other to two nodes, and differ in the host port of an init container alone."""
    cluster = HistoryBuilder()
    for _ in range(2):
        cluster.add_node(node(""))
    for port in (80, 80, 81, 81, 80):
        asked = [{"containerPort": 80, "hostPort": port}]
        cluster.add_pod(pod("", cpu("1"), initContainers=[container("i", ports=asked)]))
        cluster.schedule()
    return cluster.history(spread_by_default([]))


def _addresses_of_sidecars() -> History:
    """Two pods have a sidecar with the same host port, at two addresses of the only node, and a third at one."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    for address in ("10.0.0.1", "10.0.0.2", "10.0.0.1"):
        port = {**_OF_HOST, "hostIP": address}
        cluster.add_pod(pod("", initContainers=[{**container("i", ports=[port]), "restartPolicy": "Always"}]))
        cluster.schedule()
    return cluster.history()


def _pod_of_the_port_is_deleted(address: str, freed: str) -> History:
    """A pod waits for a port at the one address, and one that has this port at the other address is deleted."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    for at in (freed, address):
        port = {**_OF_HOST, **({"hostIP": at} if at else {})}
        cluster.add_pod(pod("", containers=[container("c", ports=[port])]))
        cluster.schedule()
    cluster.remove_pod(0)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _restarting(policy: str) -> History:
    """A pod has an init container with this restartPolicy, which has a host port and requests two of four cores.
    A pod with the rest of the cores, and one with the port, come after it."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    init = {**container("i", cpu("2"), ports=[_OF_HOST]), **({"restartPolicy": policy} if policy else {})}
    cluster.add_pod(pod("", cpu("1"), initContainers=[init]))
    cluster.add_pod(pod("", cpu("2")))
    cluster.add_pod(pod("", containers=[container("c", ports=[_OF_HOST])]))
    cluster.schedule()
    return cluster.history()


def _in_pairs(member: str, values: tuple[str, ...]) -> History:
    """Of each two of these values two pods with one host port come to the only node, where no other pod has it."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "99"}))
    for number, pair in enumerate(product(values, repeat=2)):
        for value in pair:
            port = {"containerPort": 80, "hostPort": 1000 + number, **({member: value} if value else {})}
            cluster.add_pod(pod("", containers=[container("c", ports=[port])]))
            cluster.schedule()
    return cluster.history()


CASES = (
    *(
        Case(
            f"{name}_node_comes_for_a_pod_that_waits_for_a_port",
            f"Any node that comes requeues a pod that NodePorts rejected, also one that is {name}.",
            _node_comes(**spec),
        )
        for name, spec in (
            ("tainted", {"taints": [{"key": "k", "effect": "NoSchedule"}]}),
            ("cordoned", {"unschedulable": True}),
        )
    ),
    *(
        Case(
            f"port_{name}_is_freed",
            "The deletion of a pod requeues one that waits for its host port, at whichever of two addresses that"
            f" conflict; {freed or 'no address'} is freed, and {address or 'no address'} is waited for.",
            _pod_of_the_port_is_deleted(address, freed),
            ("R-PORTS-04",),
        )
        for name, freed, address in (
            ("of_one_address_for_any", "10.0.0.1", ""),
            ("of_any_address_for_one", "", "10.0.0.1"),
            ("of_all_addresses_for_any", "0.0.0.0", ""),
            ("of_one_address_for_the_same", "10.0.0.1", "10.0.0.1"),
        )
    ),
    *(
        Case(
            f"init_container_with_restart_policy_{(policy or 'none').lower()}",
            "The host ports of an init container and its requests count beside those of containers only if its"
            f" restartPolicy is Always; here it is {policy or 'not given'}.",
            _restarting(policy),
            ("R-PORTS-05",) if policy == "Always" else (),
        )
        for policy in ("Always", "OnFailure", "Never", "")
    ),
    Case(
        "one_host_port_at_any_two_addresses",
        "One host port at two addresses is taken twice, unless one of them is 0.0.0.0, or is not given.",
        _in_pairs("hostIP", ("", "0.0.0.0", "::", "10.0.0.1", "127.0.0.1")),
        ("R-PORTS-02",),
    ),
    Case(
        "one_host_port_of_any_two_protocols",
        "One host port of two protocols is taken twice, and of one protocol it is TCP unless another is given.",
        _in_pairs("protocol", ("", "TCP", "UDP", "SCTP")),
        ("R-PORTS-02",),
    ),
    Case(
        "host_ports_of_sidecars_at_two_addresses",
        "Host ports of sidecars, as those of containers, conflict only at one address.",
        _addresses_of_sidecars(),
        ("R-PORTS-05",),
    ),
    Case(
        "pods_that_differ_in_the_port_of_an_init_container",
        "A pod is not equal to the one before it if the host port of an init container is another, though no such"
        " port is taken.",
        _ports_of_init_containers(),
        ("R-BATCH-27",),
    ),
    *(
        Case(
            f"port_{port}_of_a_nominated_pod_that_is_deleted",
            f"A pod with host port 80 comes while one with host port {port} is nominated to the only node, and is"
            " requeued when that pod is deleted if its ports kept it waiting.",
            _nominated_pod_is_deleted(port),
            ("R-PORTS-04",) if port == _PORT else (),
        )
        for port in (_PORT, 81)
    ),
    Case(
        "container_ports_without_host_port",
        "A container's port without a hostPort conflicts with no other port, be it of the host or of a pod.",
        _ports_of_pods_alone(),
        ("R-PORTS-01", "R-PORTS-03"),
    ),
)
