# SPDX-License-Identifier: Apache-2.0
"""Host ports: which a pod claims, by address and protocol, and with which others that collides."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import History
from conformance.strategies.objects import combinations, container, node, one_in, pod
from conformance.strategies.scenes import scenes

Json = dict[str, Any]


def _port(number: int, address: str, protocol: str, of_pod: bool) -> Json:
    """``of_pod``: a port of the pod alone, which claims nothing of the host."""
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
        (80, 81),
        ("", "10.0.0.1", "0.0.0.0", "10.0.0.2", "::"),
        ("", "UDP", "TCP", "SCTP"),
        (False, False, True),
    ),
    max_size=2,
)


def _pod(ports: list[Json], starting: list[Json], sidecar: bool, of_host: bool) -> Json:
    """No two ports of a pod are the same; on the host's network, each is a host port."""
    distinct: dict[tuple[str, str, int], Json] = {
        (each.get("hostIP", ""), each.get("protocol", "TCP"), each["containerPort"]): each for each in ports
    }
    claimed = list(distinct.values())
    if of_host:
        claimed = [{**each, "hostPort": each["containerPort"]} for each in claimed]
    init = [each for each in starting if "hostPort" in each and not of_host]
    first = {**container("c"), "ports": claimed} if claimed else container("c")
    before = {**container("i"), "ports": init[:1], **({"restartPolicy": "Always"} if sidecar else {})}
    return pod("", containers=[first], initContainers=[before] if init else [], hostNetwork=of_host)


_PODS = st.builds(
    lambda ports, init, kind: _pod(ports, init, *kind),
    _PORTS,
    one_in(4, _PORTS, []),
    st.sampled_from([(False, False), (False, False), (True, False), (False, True)]),
)
_NODES = st.just(node())


def histories() -> SearchStrategy[History]:
    return scenes(_NODES, _PODS, most_nodes=3)
