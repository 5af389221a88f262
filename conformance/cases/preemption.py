# SPDX-License-Identifier: Apache-2.0
"""Cases of preemption: which of two nodes is picked, which pods are reprieved, and when the search for candidates
ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.cases.pod_affinity import zones
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    all_there_are,
    claim_user,
    device_class,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    REQUIRED,
    START_TIMES,
    ZONE,
    cpu,
    default_profile,
    leaving,
    near,
    node,
    pod,
    profile_config,
    with_metadata,
)
from conformance.vocabulary.victims import (
    ONE_NODE,
    TWO_NODES,
    Preemption,
    Victims,
    a_budget,
    one_after_the_other,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}
_OF_A: Json = {"matchLabels": _A}

# --- Which node, and which pods -------------------------------------------------------------------


def _protections(nodes: Sequence[Victims]) -> Sequence[str]:
    labels = {label for victims in nodes for label, *_ in victims}
    if "" in labels:
        return ("without labels",)
    return ("strict last", "disrupted already") if "a" in labels else ("",)


def _picked() -> Iterator[Case]:
    for name, (says, nodes) in TWO_NODES.items():
        yield Case(
            f"candidate_{name}",
            f"Of two candidate nodes, in either order: {says}.",
            one_after_the_other(
                [
                    preemption
                    for protection in _protections(nodes)
                    for preemption in (
                        Preemption(nodes, protection, "2"),
                        Preemption(nodes[::-1], protection, "2", scheduler="other"),
                    )
                ]
            ),
            ("R-PREEMPT-11",),
        )


def _reprieved() -> Iterator[Case]:
    for name, (says, victims) in ONE_NODE.items():
        yield Case(
            f"reprieve_{name}",
            f"Of the pods of one node: {says}.",
            one_after_the_other(
                [
                    Preemption((victims,), protection, amount)
                    for protection in _protections((victims,))
                    for amount in ("500m", "1")
                ]
            ),
            ("R-PREEMPT-08",),
        )


# --- Candidates -----------------------------------------------------------------------------------


def _affinity_to_victims(key: str) -> History:
    cluster = zones("a", "b", "a")
    for home in (0, 0, 2):
        cluster.add_pod(pod("", cpu("2"), labels=_A if home == 0 else _B), home)
    cluster.add_pod(pod("", cpu("2")), 2)
    cluster.add_pod(pod("", cpu("3"), priority=10, affinity=near("podAffinity", REQUIRED, _OF_A, key)))
    cluster.schedule()
    return cluster.history()


def _needing(percentage: int, absolute: int) -> Json:
    """Returns a configuration whose dry run needs this percentage of the nodes as candidates, and at least so
    many."""
    args = {"minCandidateNodesPercentage": percentage, "minCandidateNodesAbsolute": absolute}
    return profile_config(default_profile(("DefaultPreemption", args)), parallelism=1)


def _one_unprotected(candidates: int, nodes: int) -> History:
    cluster = HistoryBuilder()
    cluster.add(a_budget(_OF_A, 0, "", ()))
    for number in range(nodes):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1"), labels=_B if number == 1 else _A), number)
    cluster.add_pod(pod("", cpu("1"), priority=10))
    cluster.schedule()
    return cluster.history(_needing(0, candidates))


def _lowest_of(nodes: int, percentage: int, absolute: int) -> History:
    """The pods that fill the nodes are the less important the later their node came, and the dry run needs so many
    candidates."""
    cluster = HistoryBuilder()
    for number in range(nodes):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1"), priority=nodes - number), number)
    cluster.add_pod(pod("", cpu("1"), priority=nodes + 1))
    cluster.schedule()
    return cluster.history(_needing(percentage, absolute))


def _dry_run_finds_no_devices(nodes: int) -> History:
    """Full nodes, the pool of the first of which is incomplete; a pod needs all devices of a pool."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"))
    for number in range(1, nodes + 1):
        pool = {"name": f"s{number}", "resourceSliceCount": 3 - number}
        cluster.add(resource_slice(f"s{number}", [{"name": "d"}], {"nodeName": f"n{number}"}, pool))
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1"), status={"startTime": START_TIMES[0]}), number - 1)
    cluster.add(resource_claim("c1", {"requests": [request("r0", [all_there_are()])]}))
    cluster.add_pod(claim_user("c1", priority=10))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _two_budgets(allowed: tuple[int, int]) -> History:
    """Two budgets select the pod of the first of two full nodes, and none selects that of the second, which has a
    higher priority."""
    cluster = HistoryBuilder()
    for number, evictions in enumerate(allowed):
        cluster.add(with_metadata(a_budget(_OF_A, evictions, "", ()), name=f"b{number}"))
    for number, (labels, priority) in enumerate(((_A, 0), (_B, 5))):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1"), labels=labels, priority=priority), number)
    cluster.add_pod(pod("", cpu("1"), priority=10))
    cluster.schedule()
    return cluster.history()


def _victim_with_two_terms() -> History:
    """A pod keeps two kinds of pods off its node, and one of higher priority is of both kinds."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    terms = [
        {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {key: "a"}}} for key in ("app", "tier")
    ]
    cluster.add_pod(pod("", affinity={"podAntiAffinity": {REQUIRED: terms}}), 0)
    cluster.add_pod(pod("", labels={"app": "a", "tier": "a"}, priority=10))
    cluster.schedule()
    return cluster.history()


def _candidates() -> Iterator[Case]:
    yield Case(
        "victim_that_keeps_the_pod_away_by_two_terms",
        "The eviction of a pod takes back all of its required anti-affinity, two terms about one pod included.",
        _victim_with_two_terms(),
        ("R-PODAFF-03",),
    )
    for which, allowed in (("first", (0, 5)), ("last", (5, 0))):
        yield Case(
            f"{which}_of_two_budgets_is_violated",
            "A pod that two budgets select violates one if either allows no eviction; here it is the"
            f" {which} one.",
            _two_budgets(allowed),
            ("R-PREEMPT-07", "R-PREEMPT-11"),
        )
    for key, domain in ((HOSTNAME, "host"), (ZONE, "zone")):
        yield Case(
            f"victim_that_the_pod_has_affinity_to_by_{domain}",
            f"Pods to which the preemptor has required affinity by {domain} are not all evicted.",
            _affinity_to_victims(key),
        )
    for candidates, nodes in ((1, 6), (2, 7), (1, 4)):
        yield Case(
            f"search_for_{candidates}_of_{nodes}_candidates_goes_on_to_one_without_violation",
            f"A search of {nodes} nodes that needs {candidates} goes on until it has a candidate that violates no"
            " budget.",
            _one_unprotected(candidates, nodes),
            ("R-PREEMPT-11",),
        )
    for percentage, absolute in ((25, 4), (100, 1), (25, 3), (75, 2)):
        yield Case(
            f"candidates_of_{percentage}_percent_and_at_least_{absolute}",
            "The dry run ends with as many candidates as both the percentage of the nodes and the absolute number"
            f" ask for; of four nodes, {percentage} percent and {absolute}.",
            _lowest_of(4, percentage, absolute),
            ("R-PREEMPT-09",),
        )
    for nodes in (1, 2):
        yield Case(
            f"dry_run_on_{nodes}_full_nodes_with_an_incomplete_pool",
            "Where an earlier plugin ended Filter, the dry run of preemption is the first to look for devices, and"
            f" an incomplete pool makes its node infeasible there; full nodes: {nodes}.",
            _dry_run_finds_no_devices(nodes),
            needs=("devices",),
        )


def _leaving(status: str, reason: str) -> History:
    """A pod is being deleted on the node that is nominated to another one, which could preempt a third."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    condition = {"type": "DisruptionTarget", "status": status, "reason": reason}
    disrupted = pod("", cpu("1"), status={"conditions": [condition]})
    cluster.add_pod(with_metadata(disrupted, deletionTimestamp=AN_AGE_AGO), 0)
    cluster.add_pod(pod("", cpu("1")), 0)
    cluster.add_pod(pod("", cpu("1"), priority=10, status={"nominatedNodeName": "n1"}))
    cluster.schedule()
    return cluster.history()


def _leaving_with_priority(priority: int) -> History:
    """A pod of this priority, which preemption has evicted, leaves the node that is nominated to a pod of priority
    10. That pod could preempt another one on the second node."""
    cluster = HistoryBuilder()
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    evicted = pod("", cpu("1"), priority=priority, status={"conditions": [condition]})
    for home, value in enumerate((leaving(evicted), pod("", cpu("1")))):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(value, home)
    cluster.add_pod(pod("", cpu("1"), priority=10, status={"nominatedNodeName": "n1"}))
    cluster.schedule()
    return cluster.history()


def _victim_that_leaves() -> History:
    """The only pod that could be preempted is being deleted already, by a user."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(leaving(pod("", cpu("1"))), 0)
    cluster.add_pod(pod("", cpu("1"), priority=10))
    cluster.schedule()
    return cluster.history()


def _one_of_two_victims_leaves(allowed: int) -> History:
    """One of the pods of the first node is being deleted, and its budget allows so many disruptions. Those of the
    other node have a higher priority, and no budget."""
    cluster = HistoryBuilder()
    cluster.add(a_budget(_OF_A, allowed, "", ()))
    for number, (labels, priority) in enumerate(((_A, 1), (_B, 2))):
        cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
        for is_leaving in (labels is _A, False):
            victim = pod("", cpu("1"), labels=labels, priority=priority)
            cluster.add_pod(leaving(victim) if is_leaving else victim, number)
    cluster.add_pod(pod("", cpu("2"), priority=10))
    cluster.schedule()
    return cluster.history()


def _tolerates_the_cordon() -> History:
    """The only node is cordoned and full, and the pod tolerates that."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}, unschedulable=True))
    cluster.add_pod(pod("", cpu("1")), 0)
    cluster.add_pod(pod("", cpu("1"), priority=10, tolerations=[{"operator": "Exists"}]))
    cluster.schedule()
    return cluster.history()


def _one_has_not_started(nodes: int) -> History:
    """Of two victims one was created long ago and has not started, and the other has, lately."""
    cluster = HistoryBuilder()
    for _ in range(nodes):
        cluster.add_node(node("", {"cpu": str(2 // nodes), "pods": "9"}))
    cluster.add_pod(with_metadata(pod("", cpu("1")), creationTimestamp=START_TIMES[0]), 0)
    started = pod("", cpu("1"), status={"startTime": START_TIMES[2]})
    cluster.add_pod(with_metadata(started, creationTimestamp=START_TIMES[1]), nodes - 1)
    cluster.add_pod(pod("", cpu("1"), priority=10))
    cluster.schedule()
    return cluster.history()


def _of_leaving_pods() -> Iterator[Case]:
    yield Case(
        "victim_on_a_node_whose_cordon_the_pod_tolerates",
        "A cordoned node is a candidate for preemption by a pod that tolerates the cordon.",
        _tolerates_the_cordon(),
        ("R-PREEMPT-03",),
    )
    yield Case(
        "victim_that_was_created_long_ago_and_has_not_started",
        "A victim that has not started counts as started now, whenever it was created.",
        _one_has_not_started(nodes=2),
        ("R-PREEMPT-11",),
    )
    yield Case(
        "one_of_two_victims_was_created_long_ago_and_has_not_started",
        "Of two pods of a node the one that has started is more important than one that was only created before.",
        _one_has_not_started(nodes=1),
        ("R-PREEMPT-06",),
    )
    for allowed in (1, 2):
        yield Case(
            f"victim_that_is_being_deleted_and_{allowed}_allowed",
            "A victim that is being deleted takes a disruption from its budget like any other one; the budget"
            f" allows {allowed}.",
            _one_of_two_victims_leaves(allowed),
            ("R-PREEMPT-07",),
        )
    yield Case(
        "victim_that_is_being_deleted",
        "The release says whether a victim that is being deleted is deleted once more.",
        _victim_that_leaves(),
    )
    for which, priority in (("a_lower", 9), ("the_same", 10), ("a_higher", 11)):
        yield Case(
            f"evicted_pod_of_{which}_priority_leaves_the_nominated_node",
            "A pod waits for a pod that leaves its nominated node only if that is of lower priority; here it is of"
            f" {which.replace('_', ' ')} one.",
            _leaving_with_priority(priority),
            ("R-PREEMPT-02",),
        )
    for status in ("True", "False"):
        for reason in ("PreemptionByScheduler", "DeletionByTaintManager"):
            yield Case(
                f"disruption_{status.lower()}_{reason}".lower(),
                "A pod waits for a terminating pod on its nominated node only if that is disrupted by preemption:"
                f" the condition's status is {status} and its reason {reason}.",
                _leaving(status, reason),
            )


CASES: tuple[Case, ...] = (*_of_leaving_pods(), *_picked(), *_reprieved(), *_candidates())
