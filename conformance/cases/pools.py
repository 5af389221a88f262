# SPDX-License-Identifier: Apache-2.0
"""Cases of pools of devices: in which order they are tried, and slices of one pool that disagree."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    ONE,
    all_there_are,
    claim_user,
    claimed,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import HOSTNAME, node, with_spec
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_CLASS = device_class("any")
_RARE = all_there_are(f"device.attributes['{DRIVER}'].rare")


def _slices_disagree() -> History:
    cluster = HistoryBuilder()
    cluster.add(_CLASS)
    for slice_, count, names in (("s0", 1, ("d0", "e0")), ("s1", 2, ("d1", "e1"))):
        devices = [{"name": name, "attributes": {"rare": {"bool": name == "e0"}}} for name in names]
        cluster.add(resource_slice(slice_, devices, pool={"name": "p", "resourceSliceCount": count}))
    cluster.add_node(node(""))
    asked = [
        request(name, [{**one, "adminAccess": True}]) for name, one in (("r0", exactly(1)), ("r1", _RARE))
    ]
    for name in ("c1", "c2", "c3"):
        cluster.add(resource_claim(name, {"requests": asked}))
        cluster.add_pod(claim_user(name))
    cluster.schedule()
    return cluster.history()


def _slices_disagree_about_a_node(of_the_node: int, of_all: int) -> History:
    """A pool of two slices says one number of slices in the one that names the node, and another in the other."""
    cluster = HistoryBuilder()
    cluster.add(_CLASS, resource_claim("c1", ONE))
    for name, where, count in (("s0", {"nodeName": "n1"}, of_the_node), ("s1", {"allNodes": True}, of_all)):
        pool = {"name": "p", "resourceSliceCount": count}
        cluster.add(resource_slice(name, [{"name": f"d-{name}"}], where, pool))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


def _drivers_and_pools() -> History:
    """One driver has two pools, whose names come after that of the pool of another driver, and its own before."""
    cluster = HistoryBuilder()
    cluster.add(_CLASS)
    for number, (driver, pool) in enumerate((("a.example", "y"), ("a.example", "z"), ("b.example", "w"))):
        made = resource_slice(f"s{number}", [{"name": "d"}], pool={"name": pool})
        cluster.add(with_spec(made, driver=driver))
    cluster.add_node(node("", {"cpu": "9", "pods": "9"}))
    for name in ("c1", "c2", "c3"):
        cluster.add(resource_claim(name, ONE))
        cluster.add_pod(claim_user(name))
        cluster.schedule(1)
    return cluster.history()


def _all_of_one_name() -> History:
    """Each of two pools has a device of one name, and a claim wants all devices, of which one is taken then."""
    cluster = HistoryBuilder()
    cluster.add(_CLASS)
    for name in ("s1", "s2"):
        cluster.add(resource_slice(name, [{"name": "d"}], pool={"name": name}))
    cluster.add_node(node("", {"cpu": "9", "pods": "9"}))
    everything = {"requests": [request("r0", [all_there_are()])]}
    claimed(cluster, [everything, everything])
    return cluster.history()


def _one_device_in_two_slices(count: int = 2) -> History:
    """Two slices of a pool of so many have a device of the same name, and one has another device, too."""
    cluster = HistoryBuilder()
    pool = {"name": "p", "resourceSliceCount": count}
    cluster.add(_CLASS, resource_claim("c1", ONE))
    cluster.add(resource_slice("s0", [{"name": "d0"}], pool=pool))
    cluster.add(resource_slice("s1", [{"name": "d0"}, {"name": "d1"}], pool=pool))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


def _where_hosts_bear_other_names() -> History:
    """Each of two nodes has the other's name in the label of its host, and a slice of its own."""
    cluster = HistoryBuilder()
    cluster.add(_CLASS)
    for name, host in (("n1", "n2"), ("n2", "n1")):
        cluster.add_node(node(labels={HOSTNAME: host}, unschedulable=name == "n2"))
    cluster.add(resource_slice("s1", [{"name": "d"}], {"nodeName": "n1"}))
    for name in ("c1", "c2"):
        cluster.add(resource_claim(name, ONE))
        cluster.add_pod(claim_user(name))
        cluster.schedule(1)
    return cluster.history()


def _slices_of_two_generations(elsewhere: int) -> History:
    """The slice that the node reaches, of generation 2, says that the pool has two. Another node alone reaches the
    other slice, of this generation."""
    cluster = HistoryBuilder()
    cluster.add(_CLASS, resource_claim("c1", ONE))
    for number, generation in ((1, 2), (2, elsewhere)):
        pool = {"name": "p", "generation": generation, "resourceSliceCount": 2}
        cluster.add(resource_slice(f"s{number}", [{"name": f"d{number}"}], {"nodeName": f"n{number}"}, pool))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


def _cordoned_node_comes() -> History:
    """A pod is rejected for its claim, and then a cordoned node comes, and gets a label."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_CLASS, resource_claim("c1", ONE))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    for change in ("comes", "is labelled"):
        if change == "comes":
            cluster.add_node(node("", unschedulable=True))
        else:
            cluster.change_node(1, node("", labels={"disk": "ssd"}, unschedulable=True))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"slice_elsewhere_of_generation_{generation}_of_a_pool_of_two",
            "A pool of generation 2 is complete where the slices of that generation are as many as it says, of"
            f" which a node need not reach all; the other slice is of generation {generation}.",
            _slices_of_two_generations(generation),
            ("R-DRA-21",) if generation == 1 else (),
        )
        for generation in (1, 2, 3)
    ),
    Case(
        "slice_of_a_node_where_hosts_bear_other_names",
        "A slice is for the node that it names, whatever the label of a host is.",
        _where_hosts_bear_other_names(),
        ("R-DRA-25",),
    ),
    Case(
        "cordoned_node_comes_for_a_pod_with_a_claim",
        "A node that comes or gets a label requeues a pod that was rejected for its claim, even if it is"
        " cordoned.",
        _cordoned_node_comes(),
    ),
    Case(
        "all_devices_of_one_name_in_two_pools",
        "A request for all devices is for each device of a name that devices of two pools bear.",
        _all_of_one_name(),
        ("R-DRA-43",),
    ),
    Case(
        "one_device_in_two_slices",
        "No device of a pool is allocated in which two devices have one name.",
        _one_device_in_two_slices(),
        ("R-DRA-27",),
    ),
    Case(
        "one_device_in_two_of_three_slices",
        "The release says what comes of a pool of which a slice is missing and in which two devices have one"
        " name.",
        _one_device_in_two_slices(3),
    ),
    Case(
        "slices_of_a_pool_disagree",
        "The slices of a pool disagree on how many there are: the first one counts, which may be any of them.",
        _slices_disagree(),
    ),
    *(
        Case(
            f"slice_of_the_node_says_{of_the_node}_and_that_of_all_nodes_{of_all}",
            "Where a slice names the node, the number of slices that it says counts, and not that of one for all"
            f" nodes: there are two, and they say {of_the_node} and {of_all}.",
            _slices_disagree_about_a_node(of_the_node, of_all),
            ("R-DRA-124",),
        )
        for of_the_node, of_all in ((2, 3), (3, 2), (2, 1), (1, 2))
    ),
    Case(
        "pools_of_two_drivers",
        "Pools are tried by the names of their drivers, and those of one driver by their own.",
        _drivers_and_pools(),
    ),
)
