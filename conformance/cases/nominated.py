# SPDX-License-Identifier: Apache-2.0
"""Cases of nominations that are withdrawn while others wait: which pods may now take the place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    HOSTNAME,
    REQUIRED,
    container,
    cpu,
    default_profile,
    leaving,
    near,
    node,
    pod,
    profile_config,
    spread,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from conformance.vocabulary.storage import bound_pair, csi_node, storage_class, using
from refsched.suite.histories.history import History, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_AFTER: dict[str, str] = {
    "is_withdrawn": "loses its nomination",
    "goes_to_another_node": "is nominated to another node",
    "stays": "gets another condition",
    "ends_with_the_pod": "is deleted",
    "ends_with_the_pod_in_two_steps": "is marked for deletion, and deleted after that",
}


_NEVER: Json = {"preemptionPolicy": "Never"}
_OF_A: Json = {"matchLabels": {"app": "a"}}


def _after(cluster: HistoryBuilder, number: int, ends: str) -> None:
    """Lets happen to this pod, which is nominated, what ``_AFTER`` says."""
    changed: Json = {
        "is_withdrawn": {"nominatedNodeName": ""},
        "goes_to_another_node": {"nominatedNodeName": "n2"},
        "stays": {"conditions": [{"type": "Ready", "status": "False"}]},
    }
    if ends in changed:
        cluster.change_pod(number, partial(with_status, **changed[ends]))
        return
    if ends == "ends_with_the_pod_in_two_steps":
        cluster.change_pod(number, leaving)
    cluster.remove_pod(number)


def _nomination_that(ends: str) -> History:
    """Every node is full, and no pod may preempt. Of the pods that wait beside the nominated one, one has a lower
    priority, one the same and one a higher."""
    cluster = HistoryBuilder()
    for home in range(2):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1"), priority=100), home)
    cluster.add_pod(pod("", cpu("1"), priority=10, status={"nominatedNodeName": "n1"}, **_NEVER))
    for priority in (5, 10, 20):
        cluster.add_pod(pod("", cpu("1"), priority=priority, **_NEVER))
    cluster.schedule()
    cluster.wait()
    _after(cluster, 2, ends)
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _nominated_and_bound_to(home: str) -> History:
    """One pod is nominated to the first node, and somebody else binds it. Then come three pods of lower priority,
    of which only two fit."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "2"}))
    cluster.add_node(node("", {"cpu": "1", "pods": "1"}))
    cluster.add_pod(pod("", cpu("1"), priority=10, status={"nominatedNodeName": "n1"}))
    cluster.change_pod(0, partial(with_spec, nodeName=home))
    for priority in (0, -1, -2):
        cluster.add_pod(pod("", cpu("1"), priority=priority, **_NEVER))
    cluster.schedule()
    return cluster.history()


def _bound_while_another_waits(home: str) -> History:
    """A pod needs more room than is left anywhere, and is rejected. Another one comes that is nominated to the
    first node, which is full, and somebody else binds it."""
    cluster = HistoryBuilder()
    for number, amount in enumerate(("1", "2")):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
        cluster.add_pod(pod("", cpu("1")), number)
    cluster.add_pod(pod("", cpu("2"), **_NEVER))
    cluster.schedule(1)
    cluster.add_pod(pod("", cpu("1"), status={"nominatedNodeName": "n1"}))
    cluster.change_pod(3, partial(with_spec, nodeName=home))
    cluster.wait()
    cluster.schedule(1)
    return cluster.history()


def _tried_in_vain(obstacle: str, config: Json | None = None) -> History:
    """A nominated pod is tried in vain, its node becomes free again, and a pod of lower priority comes."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}, unschedulable=obstacle == "cordoned"))
    running = pod("", cpu("1"), nodeName="n1")
    if obstacle == "full":
        cluster.add(with_metadata(running, name="running"))
    cluster.add_pod(pod("", cpu("1"), priority=10, status={"nominatedNodeName": "n1"}))
    cluster.schedule(1)
    if obstacle == "full":
        cluster.steps.append(deleting(with_metadata(running, name="running")))
    else:
        cluster.change_node(0, node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1")))
    cluster.schedule()
    return cluster.history(config)


def _nominated_to_a_missing_node(config: Json | None) -> History:
    """A pod that fits nowhere is nominated to a node that does not exist. The node comes after the attempt, and
    a pod of lower priority that wants all of it."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("2"), priority=10, status={"nominatedNodeName": "n2"}))
    cluster.schedule(1)
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", cpu("2")))
    cluster.schedule()
    return cluster.history(config)


_NO_POST_FILTER = profile_config(default_profile(plugins={"postFilter": {"disabled": [{"name": "*"}]}}))


def _bound_by_the_scheduler(result: str) -> History:
    """A pod is rejected for its cpu. One of a higher priority, which its status nominates to the only node, is
    bound there, or its binding fails; a pod that came later fits beside it, or in its place."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", cpu("3")))
    cluster.schedule(1)
    answers = script(("ScriptedB", "preBind", "Error")) if result == "fails" else None
    nominated = pod("", cpu("1"), priority=10, status={"nominatedNodeName": "n1"}, script=answers)
    cluster.add_pod(nominated)
    cluster.schedule(1)
    cluster.add_pod(pod("", cpu("2")))
    cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


# --- A nominated pod that others keep away from --------------------------------------------------

_KEPT_AWAY: dict[str, Json] = {
    "spread": {"topologySpreadConstraints": [spread(HOSTNAME, 1, "DoNotSchedule")]},
    "avoided": {"affinity": near("podAntiAffinity", REQUIRED, _OF_A)},
}


def _kept_away_until_it(ends: str, how: str, namespace: str) -> History:
    """A pod cannot go to the only open node, since one of its app runs there, and another of that app, perhaps of
    another namespace, is nominated there until its nomination ends."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}, unschedulable=True))
    cluster.add_pod(pod("", labels={"app": "a"}), 0)
    nominated: Json = {
        "namespace": namespace,
        "priority": 10,
        "status": {"nominatedNodeName": "n1"},
        **_NEVER,
    }
    cluster.add_pod(pod("", labels={"app": "a"}, nodeSelector={"disk": "ssd"}, **nominated))
    cluster.add_pod(pod("", cpu("1"), labels={"app": "a"}, **_KEPT_AWAY[how], **_NEVER))
    cluster.schedule()
    cluster.wait()
    _after(cluster, 1, ends)
    cluster.schedule()
    return cluster.history()


# --- A pod that is nominated and gated, as somebody else can see it -------------------------------


_OF_A_PORT: Json = {"containers": [container("c", ports=[{"containerPort": 80, "hostPort": 80}])]}


def _gated(cluster: HistoryBuilder, **of: Any) -> None:
    status, gates = {"nominatedNodeName": "n1"}, [{"name": "example.com/g"}]
    cluster.add_pod(pod("", cpu("1"), priority=10, status=status, schedulingGates=gates, **_NEVER, **of))


def _gated_and_nominated() -> History:
    """Beside the nominated pod there is room for one pod of its priority or less, and for another one of more."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    _gated(cluster)
    for priority in (0, 10, 9, 11):
        cluster.add_pod(pod("", cpu("1"), priority=priority, **_NEVER))
        cluster.schedule(1)
    return cluster.history()


def _nominated_before_its_node() -> History:
    """A gated pod is nominated to a node that is created afterwards, where another pod wants all there is."""
    cluster = HistoryBuilder()
    _gated(cluster)
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1"), **_NEVER))
    cluster.schedule()
    return cluster.history()


def _gated_and_sought() -> History:
    """One pod must run beside the nominated pod, which does not run yet, and the other must not."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    _gated(cluster, labels={"app": "a"})
    for kind in ("podAffinity", "podAntiAffinity"):
        cluster.add_pod(pod("", cpu("1"), affinity=near(kind, REQUIRED, _OF_A), **_NEVER))
        cluster.schedule(1)
    return cluster.history()


_TAKEN: dict[str, tuple[str, Json, Json]] = {
    "": ("1", {}, {}),
    "_with_a_port": ("4", _OF_A_PORT, _OF_A_PORT),
    "_with_a_volume": ("4", {"volumes": using("c1")}, {"volumes": using("c2")}),
}
"""How much of a CPU the node has, and what the nominated pod and the others have of which it has only one."""


def _gated_nomination_that(ends: str, taken: str) -> History:
    """The nominated pod keeps all of the node, or the only port or volume, until its nomination ends."""
    amount, its, of_others = _TAKEN[taken]
    cluster = HistoryBuilder(hosts=True)
    if "volumes" in its:
        cluster.add(storage_class("hand"), *bound_pair("c1", "v1"), *bound_pair("c2", "v2"))
        cluster.add(csi_node("n1", {"count": 1}))
    cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
    _gated(cluster, **its)
    cluster.add_pod(pod("", cpu("1"), **of_others, **_NEVER))
    cluster.schedule()
    _after(cluster, 0, ends)
    cluster.add_pod(pod("", cpu("1"), priority=-1, **of_others, **_NEVER))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _waits_for_its_claim() -> History:
    """Two pods wait for the only place. The second one is nominated to it, and its claim is created last."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]))
    cluster.add_node(node("", {"cpu": "4", "pods": "1"}))
    cluster.add_pod(pod("", cpu("1")))
    cluster.wait()
    cluster.add_pod(claim_user("c1", status={"nominatedNodeName": "n1"}))
    cluster.add(resource_claim("c1", ONE))
    cluster.schedule()
    return cluster.history()


def _cases_of_gated_pods() -> Iterator[Case]:
    yield Case(
        "gated_pod_is_nominated",
        "A pod that waits for a gate counts on the node to which it is nominated, for pods of no higher priority.",
        _gated_and_nominated(),
        ("R-NOM-01", "R-NOM-02"),
    )
    yield Case(
        "gated_pod_is_nominated_before_its_node_comes",
        "A pod that is nominated to a node which does not exist counts there once it does.",
        _nominated_before_its_node(),
        ("R-NOM-02",),
    )
    yield Case(
        "gated_pod_is_nominated_and_sought",
        "A node must suit a pod both with and without the gated pod that is nominated there.",
        _gated_and_sought(),
        ("R-NOM-01",),
    )
    yield Case(
        "pod_that_its_claim_frees_is_nominated",
        "Whether a pod counts on the node that its status names, while it waits for its claim and afterwards,"
        " decides whether a pod that came before it gets the last place there.",
        _waits_for_its_claim(),
    )
    for (ends, says), taken in product(_AFTER.items(), _TAKEN):
        counts = "as before" if ends == "stays" else "no more"
        yield Case(
            f"gated_nomination{taken}_{ends}",
            f"A gated pod{taken.replace('_', ' ')} that is nominated to a node {says}, and counts there {counts}.",
            _gated_nomination_that(ends, taken),
        )


def _skipped_since_it_leaves() -> History:
    """A nominated pod whose deletion has begun is popped and skipped, and is in no queue then. A pod of lower
    priority comes that needs all of its node."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(leaving(pod("", cpu("1"), priority=10, status={"nominatedNodeName": "n1"})))
    cluster.schedule(1)
    cluster.add_pod(pod("", cpu("1")))
    cluster.schedule()
    return cluster.history()


def _cases() -> Iterator[Case]:
    yield Case(
        "nominated_pod_that_was_skipped",
        "A nominated pod that is in no queue, since it was skipped, takes no room from others.",
        _skipped_since_it_leaves(),
        ("R-NOM-06",),
    )
    for ends, says in _AFTER.items():
        requeued = "no pod" if ends == "stays" else "only pods of no higher priority"
        yield Case(
            f"nomination_{ends}",
            f"A waiting pod that was nominated to a node {says}, and this requeues {requeued}.",
            _nomination_that(ends),
        )
    endings = ("is_withdrawn", "ends_with_the_pod", "ends_with_the_pod_in_two_steps")
    for how, namespace, ends in product(_KEPT_AWAY, ("", "other"), endings):
        elsewhere, other = ("_elsewhere", " of another namespace") if namespace else ("", "")
        yield Case(
            f"nomination_of_a_pod_that_is_{how}{elsewhere}_{ends}",
            f"A waiting pod{other} that was nominated {_AFTER[ends]}, and this requeues a pod that is kept away"
            " from its app only if both are of one namespace.",
            _kept_away_until_it(ends, how, namespace),
        )
    for home, says in (("n1", "counts there once"), ("n2", "counts there and no more on the first node")):
        yield Case(
            f"nominated_pod_is_bound_by_others_to_{home}",
            f"A waiting pod that is nominated to the first node is bound to {home} by somebody else, and {says}.",
            _nominated_and_bound_to(home),
            ("R-NOM-05",),
        )
        yield Case(
            f"nominated_pod_is_bound_by_others_to_{home}_while_another_waits",
            "No pod is requeued for room that a nominated pod leaves when somebody else binds it, be it where it"
            f" is nominated or elsewhere; here to {home}.",
            _bound_while_another_waits(home),
        )
    for result in ("ends", "fails"):
        yield Case(
            f"binding_of_a_nominated_pod_{result}",
            f"The binding of a pod that its status nominates {result}: the release says whether it is nominated"
            " after that, and no other pod is requeued for it.",
            _bound_by_the_scheduler(result),
            needs=("scripted",),
        )


def _of_pods_tried_in_vain() -> Iterator[Case]:
    yield Case(
        "nominated_node_is_cordoned",
        "A pod loses its nomination when it fits nowhere and there is no node where preemption might help.",
        _tried_in_vain("cordoned"),
        needs=("preemption",),
    )
    for obstacle in ("full", "cordoned"):
        yield Case(
            f"nominated_node_is_{obstacle}_and_no_plugin_at_post_filter",
            "Where no plugin is at PostFilter, it does not depend on what its node said whether a pod that fits"
            " nowhere keeps its nomination.",
            _tried_in_vain(obstacle, _NO_POST_FILTER),
        )
    for name, says, config in (
        ("", "", None),
        ("_and_no_plugin_at_post_filter", ", also where no plugin is at PostFilter", _NO_POST_FILTER),
    ):
        yield Case(
            f"nominated_node_is_missing{name}",
            "A pod that fits nowhere loses or keeps its nomination to a node that does not exist as it does any"
            f" other{says}.",
            _nominated_to_a_missing_node(config),
            needs=("preemption",) if config is None else (),
        )


CASES: tuple[Case, ...] = (*_cases(), *_of_pods_tried_in_vain())
OF_GATED_PODS: tuple[Case, ...] = tuple(_cases_of_gated_pods())
