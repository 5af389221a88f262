# SPDX-License-Identifier: Apache-2.0
"""Cases of node selectors that name a node instead of its labels: those of slices, of devices, of claims that are
allocated, and of volumes."""

from __future__ import annotations

from typing import Any

from conformance.cases.volumes import wanted
from conformance.vocabulary.allocations import allocated, node_condition, node_selector
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import node, pod
from conformance.vocabulary.storage import a_claim, a_volume, bound_pair, storage_class, using, with_some
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _by_name(operator: str, name: str) -> Json:
    return node_selector(fields=[node_condition(name, key="metadata.name", operator=operator)])


def _devices_for(where: str, selector: Json) -> History:
    """Of two nodes, the second of which is cordoned, the selector leaves one to a slice, to its device, or to the
    claim, which is allocated."""
    cluster = HistoryBuilder(hosts=True)
    reach: Json = {"allNodes": True}
    device: Json = {"name": "d0"}
    if where == "slice":
        reach = {"nodeSelector": selector}
    elif where == "device":
        reach, device = {"perDeviceNodeSelection": True}, {"name": "d0", "nodeSelector": selector}
    status = allocated("d0", selector) if where == "claim" else None
    cluster.add(device_class("any"), resource_slice("s1", [device], reach), resource_claim("c1", ONE, status))
    for is_cordoned in (False, True):
        cluster.add_node(node("", unschedulable=is_cordoned))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


def _reaching_by_name(operator: str, name: str) -> Json:
    return {"nodeAffinity": {"required": _by_name(operator, name)}}


def _volume_for(is_bound: bool, operator: str, name: str) -> History:
    """A claim is bound to the only volume, or may get it. The volume is for nodes by name, and there is one
    node."""
    claim, volume = bound_pair("c1", "v1") if is_bound else (a_claim(), a_volume("v1"))
    return wanted(storage_class("hand"), claim, with_some(volume, spec=_reaching_by_name(operator, name)))


def _volume_for_each(operator: str) -> History:
    """Each of two nodes has a volume, by its name, and a claim may get either."""
    cluster = HistoryBuilder()
    cluster.add(storage_class("hand"), a_claim("c1"))
    for name in ("n1", "n2"):
        cluster.add(a_volume(f"v-{name}", spec=_reaching_by_name(operator, name)))
        cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


OF_DEVICES: tuple[Case, ...] = tuple(
    Case(
        f"{where}_with_a_selector_by_name_{operator.lower()}_{name}",
        f"The node selector of a {where} may name nodes, here with {operator} {name}.",
        _devices_for(where, _by_name(operator, name)),
        ("R-DRA-29",) if where == "device" else (),
    )
    for where in ("slice", "device", "claim")
    for operator in ("In", "NotIn")
    for name in ("n1", "n2")
)

OF_VOLUMES: tuple[Case, ...] = tuple(
    Case(
        f"{'bound' if is_bound else 'unbound'}_volume_with_a_selector_by_name_{operator.lower()}_{name}",
        "The node affinity of a volume is not compared with the names of nodes, but in v1.19 with an empty"
        f" name; it says {operator} {name}.",
        _volume_for(is_bound, operator, name),
    )
    for operator, name in (("In", "n2"), ("NotIn", "n1"))
    for is_bound in (True, False)
)

OF_EMPTY_NAMES: tuple[Case, ...] = tuple(
    Case(
        f"volumes_for_nodes_by_name_{operator.lower()}",
        f"A volume whose node affinity names nodes with {operator} is for {nodes}.",
        _volume_for_each(operator),
        ("R-VOLBIND-55",),
        ("volumes",),
    )
    for operator, nodes in (("In", "no node"), ("NotIn", "every node"))
)
"""Cases of v1.19 alone."""
