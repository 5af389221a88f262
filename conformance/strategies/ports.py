# SPDX-License-Identifier: Apache-2.0
"""Host ports: which a pod claims, by address and protocol, and with which others that collides."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import with_few_changes
from conformance.strategies.drawn import combinations, sometimes
from conformance.vocabulary.objects import container, node, pod
from refsched.suite.histories.history import History

Json = dict[str, Any]


def _port(number: int, address: str, protocol: str, of_pod: bool) -> Json:
    """Returns a port; ``of_pod`` is one of the pod alone, which claims nothing of the host."""
    port: Json = {"containerPort": number}
    if not of_pod:
        port["hostPort"] = number
    if address:
        port["hostIP"] = address
    if protocol:
        port["protocol"] = protocol
    return port


_PORTS = st.lists(
    combinations(
        _port,
        (80, 1),
        ("", "10.0.0.1", "0.0.0.0", "10.0.0.2", "::"),
        ("", "UDP", "TCP", "SCTP"),
        (False, False, True),
    ),
    max_size=2,
)


def _pod(ports: list[Json], starting: list[Json], sidecars: tuple[bool, bool], shape: str) -> Json:
    """No two ports of a pod are the same; on the host's network, each is a host port. Init containers, of which
    some go on as sidecars, have one port each, and containers as many as they like."""
    distinct: dict[tuple[str, str, int], Json] = {
        (each.get("hostIP", ""), each.get("protocol", "TCP"), each["containerPort"]): each for each in ports
    }
    claimed = list(distinct.values())
    of_host = shape == "of host"
    if of_host:
        claimed = [{**each, "hostPort": each["containerPort"]} for each in claimed]
    init = [each for each in starting if "hostPort" in each and not of_host]
    before = [
        {**container(f"i{number}", ports=[each]), **({"restartPolicy": "Always"} if sidecar else {})}
        for number, (each, sidecar) in enumerate(zip(init, sidecars, strict=False))
    ]
    parts = [claimed[:1], claimed[1:]] if shape == "apart" else [claimed]
    containers = [container(name, ports=part) for name, part in zip("cd", parts, strict=False)]
    return pod("", containers=containers, initContainers=before, hostNetwork=of_host)


_PODS = st.builds(
    _pod,
    _PORTS,
    sometimes(st.permutations([_port(number, "", "", of_pod=False) for number in (80, 1, 81)]), []),
    st.sampled_from([(True, True), (False, False), (True, False), (False, True)]),
    st.sampled_from(["", "apart", "", "of host"]),
)
_NODES = st.just(node())


def histories() -> SearchStrategy[History]:
    return with_few_changes(_NODES, _PODS, most_nodes=3)
