# SPDX-License-Identifier: Apache-2.0
"""Cases of PodTopologySpread: labels that are missing or change, nodes where the pod cannot go, nominated pods,
and tolerations that come late."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from conformance.cases.pod_affinity import zones
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    REQUIRED,
    ZONE,
    node,
    pod,
    spread,
    with_metadata,
    with_spec,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}
_ACTIONS = {"filter": "DoNotSchedule", "score": "ScheduleAnyway"}


def _two_match_label_keys(when: str, changed: str) -> History:
    """One of the two labels that matchLabelKeys compares is changed before the pod is tried: of the pods that were
    like it, none is any more."""
    cluster = zones("a", "b")
    like = {**_A, "version": "1", "track": "x"}
    for home in (0, 0, 0, 1):
        cluster.add_pod(pod("", labels=like), home)
    constraint = spread(ZONE, 1, when, matchLabelKeys=["version", "track"])
    cluster.add_pod(pod("", labels=like, topologySpreadConstraints=[constraint]))
    cluster.change_pod(4, lambda value: with_metadata(value, labels={**like, changed: "new"}))
    cluster.schedule()
    return cluster.history()


def _others_counted(when: str) -> History:
    """The constraint of a pod is about pods of another app. A node lacks the key, and a zone has too many."""
    cluster = zones("a", "b", "")
    for _ in range(3):
        cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", labels=_B, topologySpreadConstraints=[spread(ZONE, 1, when)]))
    cluster.schedule()
    return cluster.history()


def _version_label_changes(when: str, gate: bool, merged: bool = False) -> History:
    """The label that matchLabelKeys compares is changed before the pod is tried. An API server may have ``merged``
    the old one into the selector."""
    cluster = zones("a", "b")
    for home, version in ((0, "2"), (1, "1"), (1, "1")):
        cluster.add_pod(pod("", labels={**_A, "version": version}), home)
    constraint = spread(ZONE, 1, when, matchLabelKeys=["version", "absent"])
    if merged:
        of_the_first = {"key": "version", "operator": "In", "values": ["1"]}
        constraint["labelSelector"] = {**constraint["labelSelector"], "matchExpressions": [of_the_first]}
    cluster.add_pod(pod("", labels={**_A, "version": "1"}, topologySpreadConstraints=[constraint]))
    cluster.change_pod(3, lambda value: with_metadata(value, labels={**_A, "version": "2"}))
    cluster.schedule()
    return cluster.history(gates={} if gate else {"MatchLabelKeysInPodTopologySpread": False})


def _exchanges_constraints(before: Json, after: Json, *, is_reversed: bool) -> History:
    """One constraint of a pod selects one label by zone, and one another label by host, or the other way round.
    The labels of the only pod that runs change, and the other zone has no node where the pod can go."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(labels={ZONE: "a"}))
    cluster.add_node(node(labels={ZONE: "b"}, taints=[{"key": "k", "effect": "NoSchedule"}]))
    cluster.add_pod(pod("", labels=before), 0)
    of_tier = {"labelSelector": {"matchLabels": {"tier": "b"}}}
    constraints = [spread(ZONE, 1, "DoNotSchedule"), {**spread(HOSTNAME, 1, "DoNotSchedule"), **of_tier}]
    if is_reversed:
        constraints.reverse()
    cluster.add_pod(pod("", labels=_A, topologySpreadConstraints=constraints))
    cluster.schedule()
    cluster.change_pod(0, partial(with_metadata, labels=after))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _version_label_is_emptied() -> History:
    """The label that matchLabelKeys compares gets the empty value after an API server has merged the old one into
    the selector. The pod can go where two pods of the old version are."""
    cluster = zones("a")
    cluster.add_node(node(labels={ZONE: "b"}, taints=[{"key": "k", "effect": "NoSchedule"}]))
    for _ in range(2):
        cluster.add_pod(pod("", labels={**_A, "version": "1"}), 0)
    constraint = spread(ZONE, 1, "DoNotSchedule", matchLabelKeys=["version"])
    cluster.add_pod(pod("", labels={**_A, "version": "1"}, topologySpreadConstraints=[constraint]))
    cluster.change_pod(2, lambda value: with_metadata(value, labels={**_A, "version": ""}))
    cluster.schedule()
    return cluster.history()


def _pods_where_the_pod_cannot_go(when: str, **policies: str) -> History:
    """In one zone the pods run on a node that does not match, in one on a node that is tainted, and in one where
    the pod can go. Each pair of policies leaves it another zone."""
    cluster = HistoryBuilder(hosts=True)
    for zone in ("a", "b", "c"):
        cluster.add_node(node(labels={ZONE: zone, "disk": "ssd"}))
    cluster.add_node(node(labels={ZONE: "a", "disk": "hdd"}))
    cluster.add_node(node(labels={ZONE: "b", "disk": "ssd"}, taints=[{"key": "k", "effect": "NoSchedule"}]))
    for home in (3, 3, 4, 4, 2):
        cluster.add_pod(pod("", labels=_A), home)
    constraint = spread(ZONE, 1, when, **policies)
    cluster.add_pod(pod("", labels=_A, nodeSelector={"disk": "ssd"}, topologySpreadConstraints=[constraint]))
    cluster.schedule()
    return cluster.history()


def _nominated_pods_count(nominated: int) -> History:
    """This many pods are nominated to the node with the fewest, so that another zone may have fewest then."""
    cluster = zones("a", "b")
    for home in (0, 0, 1):
        cluster.add_pod(pod("", labels=_A), home)
    for _ in range(nominated):
        stays: Json = {"nodeSelector": {ZONE: "c"}, "preemptionPolicy": "Never", "priority": 10}
        cluster.add_pod(pod("", labels=_A, status={"nominatedNodeName": "n2"}, **stays))
    cluster.add_pod(pod("", labels=_A, topologySpreadConstraints=[spread(ZONE, 1, "DoNotSchedule")]))
    cluster.schedule()
    return cluster.history()


def _toleration_added(policies: Json, tolerated: str, index: int) -> History:
    """Two pods find one domain too few, because they do not tolerate the taint of the other node; then one of the
    pods gets a toleration. The other node is cordoned, so that nothing fits there all the same."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(labels={ZONE: "a"}))
    taint = {"key": "k", "effect": "NoSchedule"}
    cluster.add_node(node(labels={ZONE: "b"}, taints=[taint], unschedulable=True))
    cluster.add_pod(pod("", labels=_A), 0)
    constraint = spread(ZONE, 1, "DoNotSchedule", minDomains=3, **policies)
    for _ in range(2):
        cluster.add_pod(pod("", labels=_A, topologySpreadConstraints=[constraint]))
    cluster.schedule()
    tolerations = [{"key": tolerated, "operator": "Exists"}]
    cluster.change_pod(index, lambda value: with_spec(value, tolerations=tolerations))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _neighbours_of_another_namespace(namespace: str) -> History:
    """A zone has one matching pod too many, and a pod of lower priority that bears the same label; the node of the
    other zone is cordoned."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(labels={ZONE: "a"}))
    cluster.add_node(node(labels={ZONE: "b"}, unschedulable=True))
    cluster.add_pod(pod("", labels=_A, priority=10), 0)
    cluster.add_pod(pod("", labels=_A, namespace=namespace), 0)
    constraint = spread(ZONE, 1, "DoNotSchedule")
    cluster.add_pod(pod("", labels=_A, priority=5, topologySpreadConstraints=[constraint]))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _many_feasible_nodes_without_a_zone() -> History:
    """Three nodes are in zones, and six that the pod could go to as well are in none."""
    cluster = HistoryBuilder(hosts=True)
    for zone in ("a", "a", "b"):
        cluster.add_node(node(labels={ZONE: zone}))
    for _ in range(6):
        cluster.add_node(node())
    for home in (0, 0, 2, 2, 2):
        cluster.add_pod(pod("", labels=_A), home)
    cluster.add_pod(
        pod("", labels=_A, topologySpreadConstraints=[spread(key, 1) for key in (HOSTNAME, ZONE)])
    )
    cluster.schedule()
    return cluster.history()


def _matching_pod_where_a_key_is_missing(when: str) -> History:
    """A zone has its one matching pod on a node that lacks the other key, and another zone has none."""
    cluster = HistoryBuilder()
    for name, zone in (("n1", "a"), ("", "a"), ("n3", "b")):
        cluster.add_node(node(labels={ZONE: zone, **({HOSTNAME: name} if name else {})}))
    cluster.add_pod(pod("", labels=_A), 1)
    constraints = [spread(ZONE, 1, when), spread(HOSTNAME, 1, when)]
    cluster.add_pod(pod("", labels=_A, topologySpreadConstraints=constraints))
    cluster.schedule()
    return cluster.history()


def _domain_where_the_pod_cannot_go(policy: str, selecting: Json) -> History:
    """A pod can go to the first of two zones alone, where a pod runs, and the constraint says so with this
    policy."""
    cluster = HistoryBuilder(hosts=True)
    for labels in ({ZONE: "a", "disk": "ssd"}, {ZONE: "b"}):
        cluster.add_node(node("", labels=labels))
    cluster.add_pod(pod("", labels=_A), 0)
    constraint = spread(ZONE, 1, "DoNotSchedule", nodeAffinityPolicy=policy)
    coming = pod("", labels=_A, topologySpreadConstraints=[constraint])
    cluster.add_pod(with_spec(coming, **selecting))
    cluster.schedule()
    return cluster.history()


_ON_A_DISK: Json = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]}


def _hosts_that_bear_other_names(when: str) -> History:
    """The label of each node's host is the name of another node."""
    cluster = HistoryBuilder()
    for host in ("n2", "n3", "n1"):
        cluster.add_node(node(labels={HOSTNAME: host}))
    for home in (0, 0, 1):
        cluster.add_pod(pod("", labels=_A), home)
    for _ in range(2):
        cluster.add_pod(pod("", labels=_A, topologySpreadConstraints=[spread(HOSTNAME, 1, when)]))
    cluster.schedule()
    return cluster.history()


_HONOR = {"nodeTaintsPolicy": "Honor"}


def _of_other_pods_and_nodes() -> Iterator[Case]:
    for point, when in _ACTIONS.items():
        yield Case(
            f"spread_counts_no_pod_where_a_key_is_missing_{point}",
            "A pod on a node that lacks the key of one of the pod's constraints counts for none of them"
            f" ({when}).",
            _matching_pod_where_a_key_is_missing(when),
            ("R-SPREAD-07",) if point == "filter" else ("R-SPREAD-13",),
        )
    for policy in ("Honor", "Ignore"):
        for name, selecting in (
            ("node_selector", {"nodeSelector": {"disk": "ssd"}}),
            ("node_affinity", {"affinity": {"nodeAffinity": {REQUIRED: _ON_A_DISK}}}),
        ):
            yield Case(
                f"spread_with_the_policy_{policy.lower()}_of_a_{name}",
                "The policy nodeAffinityPolicy concerns the nodeSelector of a pod as well as its required node"
                f" affinity; it says {policy}.",
                _domain_where_the_pod_cannot_go(policy, selecting),
            )
    yield Case(
        "spread_weighs_the_domains_of_nodes_with_all_keys",
        "The weight of a pod grows with the number of domains, of which those of feasible nodes that lack a key of"
        " another constraint are none.",
        _many_feasible_nodes_without_a_zone(),
        ("R-SPREAD-13", "R-SPREAD-14"),
    )
    for namespace, name in (("other", "another"), ("", "its_own")):
        yield Case(
            f"victim_of_{name}_namespace_in_a_full_zone",
            "Evicting a pod makes room in a zone that has too many matching pods only if the pod is of the"
            f" preemptor's namespace; here it is of {name.replace('_', ' ')}.",
            _neighbours_of_another_namespace(namespace),
            ("R-SPREAD-11",),
            needs=("preemption",),
        )


def _cases() -> Iterator[Case]:
    for point, when in _ACTIONS.items():
        yield Case(
            f"hosts_that_bear_other_names_{point}",
            f"Pods count in the domain that their host's label names ({when}), whatever their node is called.",
            _hosts_that_bear_other_names(when),
        )
        for gate in (True, False):
            yield Case(
                f"match_label_keys_after_a_label_changed_{point}{'' if gate else '_gate_off'}",
                f"By matchLabelKeys a constraint compares the label that the pod has when it is tried ({when}), "
                f"{'and counts' if gate else 'but does not count while its feature gate is off'}.",
                _version_label_changes(when, gate),
            )
        for affinity, taints in product(("Ignore", "Honor"), repeat=2):
            yield Case(
                f"spread_with_affinity_policy_{affinity.lower()}_and_taints_policy_{taints.lower()}_{point}",
                f"By nodeAffinityPolicy {affinity} pods on nodes that do not match count, or not, and by"
                f" nodeTaintsPolicy {taints} those on nodes that repel the pod ({when}).",
                _pods_where_the_pod_cannot_go(when, nodeAffinityPolicy=affinity, nodeTaintsPolicy=taints),
            )
    for nominated in (1, 2, 3):
        yield Case(
            f"spread_counts_{nominated}_nominated",
            f"A node's nominated pods ({nominated}) count for the skew there, and the smallest count may then be"
            " that of another zone.",
            _nominated_pods_count(nominated),
        )
    for name, says, policies, tolerated, index in (
        ("the_taint_first_pod", "the first pod tolerates the taint", _HONOR, "k", 1),
        ("the_taint_second_pod", "the second pod tolerates the taint", _HONOR, "k", 2),
        ("another_taint", "the first pod tolerates another taint", _HONOR, "other", 1),
        ("the_taint_running_pod", "a pod that runs tolerates the taint", _HONOR, "k", 0),
        ("the_taint_with_policy_ignore", "its constraint ignores taints anyway", {}, "k", 1),
    ):
        yield Case(
            f"toleration_added_for_{name}",
            "A pod rejected for too few domains is requeued when a toleration is added to it that matters to its "
            f"constraint: {says}.",
            _toleration_added(policies, tolerated, index),
        )


def _of_other_pods() -> Iterator[Case]:
    for point, when in _ACTIONS.items():
        yield Case(
            f"match_label_keys_merged_into_the_selector_{point}",
            "By matchLabelKeys a constraint compares the label that the pod has when it is tried, and by its"
            f" selector the one that it had when it was created ({when}).",
            _version_label_changes(when, gate=True, merged=True),
            ("R-SPREAD-03",),
        )
        yield Case(
            f"spread_from_pods_of_another_app_{point}",
            f"A constraint counts for a pod that its selector does not match, too ({when}).",
            _others_counted(when),
        )


def _of_two_keys() -> Iterator[Case]:
    both = _A | {"tier": "b"}
    for name, says, before, after in (
        ("from_one_constraint_to_another", "other one begins to", _A, {"tier": "b"}),
        ("out_of_one_of_two_constraints", "other one goes on to", both, {"tier": "b"}),
    ):
        for order, is_reversed in (("first", False), ("second", True)):
            yield Case(
                f"a_label_takes_a_pod_{name}_the_{order}",
                "A pod is requeued when another one changes so that a constraint selects it no more, whatever"
                f" other constraints do: the {order} of two does not, and the {says}.",
                _exchanges_constraints(before, after, is_reversed=is_reversed),
                ("R-SPREAD-16",),
            )
    yield Case(
        "match_label_key_gets_an_empty_value",
        "A label with an empty value is there, and by matchLabelKeys no pod with another value counts.",
        _version_label_is_emptied(),
        ("R-SPREAD-03",),
    )
    for point, when in _ACTIONS.items():
        for place, changed in (("first", "version"), ("second", "track")):
            yield Case(
                f"{place}_of_two_match_label_keys_changed_{point}",
                f"Both matchLabelKeys narrow which pods count ({when}); the pod's label of the {place} changes.",
                _two_match_label_keys(when, changed),
                ("R-SPREAD-03",),
            )


CASES: tuple[Case, ...] = (*_cases(), *_of_other_pods_and_nodes(), *_of_other_pods(), *_of_two_keys())
