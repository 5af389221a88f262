# SPDX-License-Identifier: Apache-2.0
"""Cases of InterPodAffinity: terms of pods that are created, deleted or ignored between two attempts, and nodes
that join or leave a domain. Those of namespaces stand in namespaces.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.cases.namespaces import of_namespaces
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    ZONE,
    default_profile,
    near,
    node,
    pod,
    profile_config,
    with_metadata,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}
_OF_A, _OF_B = {"matchLabels": _A}, {"matchLabels": _B}


def zones(*names: str) -> HistoryBuilder:
    """Returns one node in each of these zones, with the label of its host; "" is no zone."""
    cluster = HistoryBuilder(hosts=True)
    for zone in names:
        cluster.add_node(node(labels={ZONE: zone} if zone else {}))
    return cluster


# --- Terms of pods that run ----------------------------------------------------------------------


def _anti_affinity_that_comes_later(first: Json, key: str) -> History:
    """A node has a pod with ``first``. After an attempt, a pod with required anti-affinity runs there too."""
    cluster = zones("a", "b")
    cluster.add_pod(pod("", labels=_A, affinity=first), 0)
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    cluster.schedule(1)
    cluster.add_pod(pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_B, key)), 0)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule(1)
    cluster.remove_pod(2)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule(1)
    return cluster.history()


def _term_that_ends(is_late: bool, affinity: Json) -> History:
    """The terms of a pod that runs count for a pod without terms, until the first one is deleted."""
    cluster = zones("a", "b")
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    if is_late:
        cluster.schedule(1)
    cluster.add_pod(pod("", affinity=affinity), 0)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule()
    cluster.remove_pod(1)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule()
    return cluster.history()


def _preferences_of_others_ignored(own: Json) -> History:
    cluster = zones("a", "a", "b")
    cluster.add_pod(pod("", labels=_A, affinity=near("podAffinity", PREFERRED, _OF_B)), 0)
    cluster.add_pod(pod("", labels=_B, affinity=own))
    cluster.schedule()
    args = ("InterPodAffinity", {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True})
    return cluster.history(profile_config(default_profile(args)))


def _two_required_terms() -> History:
    """A running pod requires pods of each of two apps beside it, and one of the second app comes."""
    cluster = zones("a", "b")
    terms = [{"topologyKey": ZONE, "labelSelector": selector} for selector in (_OF_A, _OF_B)]
    cluster.add_pod(pod("", affinity={"podAffinity": {REQUIRED: terms}}), 1)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule()
    return cluster.history()


def _two_anti_affinity_terms(first: str, second: str) -> History:
    """A running pod keeps the same pods off its host and off its zone, in which there is another node."""
    cluster = zones("a", "a")
    terms = [{"topologyKey": key, "labelSelector": _OF_B} for key in (first, second)]
    cluster.add_pod(pod("", affinity={"podAntiAffinity": {REQUIRED: terms}}), 0)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule()
    return cluster.history()


def _deleted_with_its_node(affinity: Json) -> History:
    """Between two attempts a pod is deleted, and then its node: the pod counts no more in their zone."""
    cluster = zones("a", "a", "b")
    cluster.add_pod(pod("", affinity=affinity), 0)
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    cluster.schedule()
    cluster.remove_pod(0)
    cluster.remove_node(0)
    for _ in range(2):
        cluster.add_pod(pod("", labels=_B))
        cluster.schedule()
    return cluster.history()


_TERMS = {
    "preferred_affinity": ("podAffinity", PREFERRED),
    "preferred_anti_affinity": ("podAntiAffinity", PREFERRED),
    "required_affinity": ("podAffinity", REQUIRED),
}


def _of_two_terms() -> Iterator[Case]:
    yield Case(
        "second_required_affinity_of_a_running_pod",
        "Each required affinity term of a running pod counts in the score of a pod that it matches, not only the"
        " first one.",
        _two_required_terms(),
        ("R-PODAFF-11",),
    )
    for first, second in ((HOSTNAME, ZONE), (ZONE, HOSTNAME)):
        yield Case(
            f"anti_affinity_by_{'host_and_zone' if first == HOSTNAME else 'zone_and_host'}_of_a_running_pod",
            "Each required anti-affinity term of a running pod that matches keeps a pod off, not only the first.",
            _two_anti_affinity_terms(first, second),
            ("R-PODAFF-06",),
        )


def _of_running_pods() -> Iterator[Case]:
    for key, domain in ((HOSTNAME, "host"), (ZONE, "zone")):
        for name, (kind, when) in _TERMS.items():
            yield Case(
                f"anti_affinity_by_{domain}_added_beside_{name}",
                f"Required anti-affinity by {domain} counts as soon as its pod runs, on a node where a pod with "
                f"{name.replace('_', ' ')} ran at the last attempt, and until that pod is deleted.",
                _anti_affinity_that_comes_later(near(kind, when, _OF_A), key),
                ("R-PODAFF-01",),
            )
    for is_late in (False, True):
        since = "added_between_attempts" if is_late else "there_from_the_start"
        for name, (kind, when) in _TERMS.items():
            yield Case(
                f"{name}_of_a_running_pod_{since}",
                f"A running pod's {name.replace('_', ' ')}, {since.replace('_', ' ')}, counts in the score of"
                " a pod without terms until the running pod is deleted.",
                _term_that_ends(is_late, near(kind, when, _OF_B)),
            )
    far = {"matchLabels": {"app": "c"}}
    for name, own in (
        ("required_anti_affinity", near("podAntiAffinity", REQUIRED, far)),
        ("required_affinity", near("podAffinity", REQUIRED, _OF_A, ZONE)),
        ("preferred_anti_affinity", near("podAntiAffinity", PREFERRED, far)),
        ("preferred_affinity", near("podAffinity", PREFERRED, _OF_A, "nowhere")),
    ):
        yield Case(
            f"ignored_preferences_of_existing_pods_with_own_{name}",
            "A profile ignores the preferred terms of existing pods only for a pod that prefers nothing itself; "
            f"this pod has {name.replace('_', ' ')}.",
            _preferences_of_others_ignored(own),
        )
    yield Case(
        "required_anti_affinity_of_a_pod_deleted_with_its_node",
        "Required anti-affinity of a pod ends when the pod and then its node are deleted between two attempts.",
        _deleted_with_its_node(near("podAntiAffinity", REQUIRED, _OF_B, ZONE)),
    )
    yield Case(
        "preferred_affinity_of_a_pod_deleted_with_its_node",
        "Preferred affinity of a pod ends when the pod and then its node are deleted between two attempts.",
        _deleted_with_its_node(near("podAffinity", PREFERRED, _OF_B, ZONE)),
    )


# --- Terms and nodes ------------------------------------------------------------------------------


def _by_both_keys(kind: str) -> Json:
    return {kind: {REQUIRED: [{"topologyKey": key, "labelSelector": _OF_A} for key in (HOSTNAME, ZONE)]}}


def _terms_of_two_keys() -> History:
    """A pod that is the first to match its own terms, and one that matches only the pod which runs then; one node
    has the label of one of the keys alone."""
    cluster = zones("a", "")
    for labels in (_A, {}):
        cluster.add_pod(pod("", labels=labels, affinity=_by_both_keys("podAffinity"), priority=len(labels)))
    cluster.schedule()
    return cluster.history()


def _one_of_two_sought_comes() -> History:
    """A pod seeks two apps by a term each, and pods of them are bound by somebody else, one after the other."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    terms = [{"topologyKey": HOSTNAME, "labelSelector": selector} for selector in (_OF_A, _OF_B)]
    cluster.add_pod(pod("", affinity={"podAffinity": {REQUIRED: terms}}))
    cluster.schedule()
    for labels in (_A, _B):
        cluster.wait()
        cluster.add_pod(pod("", labels=labels), 0)
        cluster.wait()
        cluster.schedule(1)
    return cluster.history()


def _first_of_one_key_alone() -> History:
    """A pod seeks pods of its own app by two keys. The one that runs is on a node that lacks the second key, and
    the other node is in the same domain of the first."""
    cluster = HistoryBuilder()
    for labels in ({ZONE: "a"}, {ZONE: "a", HOSTNAME: "n2"}):
        cluster.add_node(node(labels=labels))
    cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", labels=_A, affinity=_by_both_keys("podAffinity")))
    cluster.schedule()
    return cluster.history()


def _node_added(labels: Json) -> History:
    """The only node has a pod that the waiting pod avoids; then a node with these labels is added."""
    cluster = zones("a")
    cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A, ZONE)))
    cluster.schedule()
    cluster.wait()
    cluster.add_node(node(labels=labels))
    cluster.schedule()
    return cluster.history()


def _sought_on_a_closed_node(later: Json) -> History:
    """The pod that another one seeks runs on a node that is closed. It gets these labels."""
    cluster = zones("a", "b")
    cluster.change_node(0, node(labels={ZONE: "a"}, unschedulable=True))
    cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", affinity=near("podAffinity", REQUIRED, _OF_A, ZONE)))
    cluster.schedule()
    cluster.wait()
    cluster.change_pod(0, lambda value: with_metadata(value, labels=later))
    cluster.schedule()
    return cluster.history()


def _joins_one_of_two_domains(key: str) -> History:
    """The pod that another one seeks by two keys runs on a closed node; the other node gets its value of one."""
    cluster = HistoryBuilder()
    elsewhere = {HOSTNAME: "b", ZONE: "b"}
    cluster.add_node(node(labels={HOSTNAME: "a", ZONE: "a"}, unschedulable=True))
    cluster.add_node(node(labels=elsewhere))
    cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", affinity=_by_both_keys("podAffinity")))
    cluster.schedule()
    cluster.wait()
    cluster.change_node(1, node(labels={**elsewhere, key: "a"}))
    cluster.schedule()
    return cluster.history()


def _leaves_one_of_two_domains(key: str) -> History:
    """The pod that another one avoids by two keys runs on the only node, which gets another value of one."""
    cluster = HistoryBuilder()
    labels = {HOSTNAME: "a", ZONE: "a"}
    cluster.add_node(node(labels=labels))
    cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", affinity=_by_both_keys("podAntiAffinity")))
    cluster.schedule()
    cluster.wait()
    cluster.change_node(0, node(labels={**labels, key: "b"}))
    cluster.schedule()
    return cluster.history()


def _of_nodes() -> Iterator[Case]:
    for name, later in (("as_before", {**_A, "version": "2"}), ("no_more", _B)):
        yield Case(
            f"sought_pod_on_a_closed_node_matches_{name}",
            "A change of the labels of a pod that matched an affinity requeues no pod, whether it matches it"
            f" afterwards or not: {name.replace('_', ' ')}.",
            _sought_on_a_closed_node(later),
        )
    for key, name in ((HOSTNAME, "host"), (ZONE, "zone")):
        yield Case(
            f"node_joins_the_{name}_of_a_sought_pod_and_not_its_other_domain",
            "A node that joins a domain of one required affinity term requeues the pod, though it is in no domain"
            " of the other term.",
            _joins_one_of_two_domains(key),
            ("R-PODAFF-15",),
        )
        yield Case(
            f"node_leaves_the_{name}_of_an_avoided_pod_and_not_its_other_domain",
            "A node that leaves a domain of one required anti-affinity term requeues the pod, though it stays in"
            " that of the other term.",
            _leaves_one_of_two_domains(key),
            ("R-PODAFF-15",),
        )
    yield Case(
        "affinity_of_two_keys_where_a_node_has_one",
        "A node that lacks the label of one of two required affinity terms is rejected.",
        _terms_of_two_keys(),
        ("R-PODAFF-08",),
    )
    yield Case(
        "one_of_two_sought_pods_comes",
        "The release says whether a pod that matches one of two required affinity terms requeues the pod.",
        _one_of_two_sought_comes(),
    )
    yield Case(
        "first_pod_of_its_app_by_one_of_two_keys",
        "A pod that matches its own required affinity is the first one only if no such pod runs in any domain of"
        " any of its terms.",
        _first_of_one_key_alone(),
        ("R-PODAFF-07",),
    )
    for name, labels in (("another_zone", {ZONE: "b"}), ("no_zone", {}), ("the_same_zone", {ZONE: "a"})):
        yield Case(
            f"node_of_{name}_added_for_anti_affinity",
            "A pod with required anti-affinity that InterPodAffinity rejected is requeued by any node that is"
            f" added; this one is of {name.replace('_', ' ')}.",
            _node_added(labels),
            ("R-PODAFF-15",),
        )


def _near_many_and_near_few(kind: str) -> History:
    """Each of two nodes has pods that the pod prefers to be near, or not to be near: one has one, and the other
    three."""
    cluster = zones("a", "b")
    for home in (0, 1, 1, 1):
        cluster.add_pod(pod("", labels=_A), home)
    cluster.add_pod(pod("", affinity=near(kind, PREFERRED, _OF_A)))
    cluster.schedule()
    return cluster.history()


def _hundredth_that_floats_round() -> History:
    """The sums of the weights on three nodes are 100, 29 and 0. In float64, 100 times 0.29 is less than 29."""
    cluster = zones("a", "b", "c")
    for labels, home in ((_A, 0), (_B, 1)):
        cluster.add_pod(pod("", labels=labels), home)
    preferred = [
        {"weight": weight, "podAffinityTerm": {"topologyKey": HOSTNAME, "labelSelector": selector}}
        for weight, selector in ((100, _OF_A), (29, _OF_B))
    ]
    cluster.add_pod(pod("", affinity={"podAffinity": {PREFERRED: preferred}}))
    cluster.schedule()
    return cluster.history()


def _same_value_of_another_key(kind: str) -> History:
    """Of two nodes each has in the label of its rack what the other one has in that of its zone. Only the first
    has a pod that is sought."""
    cluster = HistoryBuilder()
    for zone, rack in (("a", "b"), ("b", "a")):
        cluster.add_node(node(labels={ZONE: zone, "rack": rack}))
    cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", affinity=near(kind, PREFERRED, _OF_A, ZONE)))
    cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"{kind.lower()}_to_a_zone_that_is_called_as_a_rack_is",
            "The weight of a preference counts on nodes with that value of its topologyKey, not of another label.",
            _same_value_of_another_key(kind),
            ("R-PODAFF-12",),
        )
        for kind in ("podAffinity", "podAntiAffinity")
    ),
    *(
        Case(
            f"sums_of_{kind.lower()}_on_each_node",
            "The node with the least sum of weights scores 0 and the one with the most 100, though no sum is 0.",
            _near_many_and_near_few(kind),
            ("R-PODAFF-13",),
        )
        for kind in ("podAffinity", "podAntiAffinity")
    ),
    Case(
        "preferred_affinity_whose_share_is_rounded_down",
        "A node's share of the highest sum of weights is computed in float64 and cut to an integer.",
        _hundredth_that_floats_round(),
        ("R-PODAFF-13",),
    ),
    *_of_running_pods(),
    *_of_two_terms(),
    *_of_nodes(),
    *of_namespaces(),
)
