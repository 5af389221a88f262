# SPDX-License-Identifier: Apache-2.0
"""Cases of the queue: which event requeues which rejected pod, and when it is tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from conformance.cases.backoff import LARGE, PORT, of_time
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    REQUIRED,
    START_TIMES,
    WITHOUT_POP_FROM_BACKOFF,
    ZONE,
    near,
    node,
    pod,
    selecting,
    spread,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import Create, History, Permit, Schedule, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}
_OF_A, _OF_B = {"matchLabels": _A}, {"matchLabels": _B}

# --- Updates of the rejected pod itself -----------------------------------------------------------

_TOLERATIONS: list[Json] = [{"key": "k", "operator": "Exists"}]
_SMALL = pod("p1", {"cpu": "1"})
_OF_ZONE_A = pod("p1", nodeSelector={ZONE: "a"})
_UPDATES: dict[str, tuple[str, Json, Json]] = {
    "smaller_and_tolerations": (
        "requests less and tolerates a taint",
        LARGE,
        with_spec(_SMALL, tolerations=_TOLERATIONS),
    ),
    "smaller_tolerations_and_labels": (
        "requests less, tolerates a taint and has a label",
        LARGE,
        with_metadata(with_spec(_SMALL, tolerations=_TOLERATIONS), labels=_A),
    ),
    "smaller_and_larger": (
        "requests less of one resource, and more of another",
        pod("p1", {"cpu": "9", "memory": "1Gi"}),
        pod("p1", {"cpu": "1", "memory": "2Gi"}),
    ),
    "smaller_and_labels": ("requests less and has a label", LARGE, with_metadata(_SMALL, labels=_A)),
    "tolerations_only": (
        "tolerates a taint, and requests as much as before",
        LARGE,
        with_spec(LARGE, tolerations=_TOLERATIONS),
    ),
    "tolerations_and_labels_of_a_pod_with_a_node_selector": (
        "tolerates a taint and has a label, and its node selector matches no node as before",
        _OF_ZONE_A,
        with_spec(with_metadata(_OF_ZONE_A, labels=_A), tolerations=_TOLERATIONS),
    ),
}
"""What becomes of a rejected pod in one update, part of which may make it schedulable."""


def _updated(before: Json, after: Json, seconds: float, gates: dict[str, bool]) -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(before)
    cluster.schedule()
    if seconds:
        cluster.wait(seconds)
    cluster.steps.append(Update(after))
    cluster.wait()
    cluster.schedule(2)
    return cluster.history(gates=gates)


def _deleted_from_one_of_two_queues() -> History:
    """Of the two events of the update the first requeues the pod, and the second does not."""
    too_large, smaller = pod("p", {"cpu": "2"}), with_spec(pod("p", {"cpu": "1m"}), tolerations=_TOLERATIONS)
    steps = (
        Create(node("n", {"cpu": "1", "pods": "9"})),
        Create(too_large),
        Schedule(),
        Update(smaller),
        deleting(smaller),
        Schedule(),
    )
    return History(steps, feature_gates=WITHOUT_POP_FROM_BACKOFF)


def _cordon_tolerated() -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node("", unschedulable=True))
    cluster.add_pod(pod(""))
    cluster.schedule()
    cordon = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    for tolerations in (_TOLERATIONS, [*_TOLERATIONS, cordon]):
        cluster.change_pod(0, partial(with_spec, tolerations=tolerations))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def _of_updates() -> Iterator[Case]:
    whole = "A rejected pod is requeued by an update of itself if part of the update may make it schedulable"
    for number, (name, (says, before, after)) in enumerate(_UPDATES.items()):
        yield Case(
            f"pod_update_{name}",
            f"{whole}: it {says}.",
            _updated(before, after, 0, WITHOUT_POP_FROM_BACKOFF),
        )
        if number < 2:
            yield Case(
                f"pod_update_{name}_after_backoff",
                f"{whole}, also after its backoff has ended: it {says}.",
                _updated(before, after, 11, WITHOUT_POP_FROM_BACKOFF),
            )
            yield Case(
                f"pod_update_{name}_pop_from_backoff",
                f"{whole}, and may be popped from the backoff queue then: it {says}.",
                _updated(before, after, 0, {}),
            )
    yield Case(
        "pod_update_tolerates_the_cordon",
        "A pod rejected by a cordoned node is requeued by the toleration of the cordon, and not by another one.",
        _cordon_tolerated(),
    )
    yield Case(
        "pod_deleted_from_one_of_two_queues",
        "Without SchedulerPopFromBackoffQ a pod that an update put into two queues stays in one if it is deleted.",
        _deleted_from_one_of_two_queues(),
    )


# --- Events of others -----------------------------------------------------------------------------

_NODE_UPDATES: tuple[Callable[[Json], Json], ...] = (
    lambda value: with_metadata(value, labels={**value["metadata"].get("labels", {}), "touched": "yes"}),
    partial(with_spec, taints=[{"key": "k", "effect": "PreferNoSchedule"}]),
    partial(with_status, conditions=[{"type": "Ready", "status": "True"}]),
    partial(with_metadata, annotations={"touched": "yes"}),
    partial(with_status, allocatable={"cpu": "4", "memory": "9Gi", "pods": "9"}),
    partial(with_status, allocatable={"cpu": "4", "memory": "9Gi", "pods": "10"}),
    partial(with_spec, unschedulable=True),
    partial(with_spec, unschedulable=False),
)
"""What happens to a node, one update after the other."""

_READY: Json = {"type": "Ready", "status": "True", "lastHeartbeatTime": AN_AGE_AGO}
_STATUS_UPDATES: tuple[Callable[[Json], Json], ...] = (
    partial(with_status, conditions=[_READY]),
    partial(with_status, conditions=[{**_READY, "lastHeartbeatTime": START_TIMES[0]}]),
    partial(with_status, conditions=[{**_READY, "status": "False"}]),
    partial(with_metadata, annotations={"touched": "yes"}),
    partial(with_metadata, annotations={"touched": "yes"}),
    partial(with_status, images=[{"names": ["i"], "sizeBytes": 1}]),
)
"""The second and the fifth change nothing that is an event, and neither do images."""
_OF_DISK: Json = {"type": "DiskPressure", "status": "False"}
_HEARTBEATS: tuple[Callable[[Json], Json], ...] = (
    partial(with_status, conditions=[_READY, _OF_DISK]),
    partial(with_status, conditions=[{**_READY, "lastHeartbeatTime": START_TIMES[1]}, _OF_DISK]),
    partial(with_status, conditions=[{**_READY, "reason": "r", "message": "m"}, _OF_DISK]),
    partial(with_status, conditions=[_OF_DISK, _READY]),
    partial(with_status, conditions=[_OF_DISK, {**_READY, "lastTransitionTime": START_TIMES[1]}]),
    partial(with_status, conditions=[_READY]),
)
"""All but the first and the last change no condition's status."""


def update_the_node(
    cluster: HistoryBuilder, updates: Sequence[Callable[[Json], Json]] = _NODE_UPDATES
) -> None:
    """The first node is updated in one way after another; pods that this may make schedulable are tried again."""
    cluster.schedule()
    for update in updates:
        cluster.change_node(0, update(next(iter(cluster.nodes.values()))))
        cluster.wait()
        cluster.schedule()


def rejected() -> list[Json]:
    """Pods each of which another plugin rejects."""
    return [
        LARGE,
        pod("", **PORT),
        pod("", nodeSelector={"disk": "ssd"}),
        pod("", labels=_A, topologySpreadConstraints=[spread(ZONE, 1, "DoNotSchedule")]),
        pod("", affinity=near("podAffinity", REQUIRED, _OF_B)),
        pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A)),
        pod("", schedulingGates=[{"name": "g"}]),
    ]


def _with_rejected(first: int, last: int) -> HistoryBuilder:
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", labels=_A, **PORT), 0)
    for value in rejected()[first:last]:
        cluster.add_pod(value)
    return cluster


def _node_updated(
    first: int, last: int, updates: Sequence[Callable[[Json], Json]] = _NODE_UPDATES
) -> History:
    cluster = _with_rejected(first, last)
    update_the_node(cluster, updates)
    return cluster.history()


def _others_created_and_deleted(first: int, last: int) -> History:
    """Bound pods are created, updated and deleted, and then a node."""
    cluster = _with_rejected(first, last)
    cluster.schedule()
    others = (pod("p8", {"cpu": "1"}), pod("p8", labels=_B), pod("p8", namespace="other", labels=_A))
    for other in others:
        cluster.add_pod(other, 0)
        cluster.wait()
        cluster.schedule()
        cluster.change_pod(len(cluster.pods) - 1, partial(with_metadata, labels={"touched": "yes"}))
        cluster.wait()
        cluster.schedule()
        cluster.remove_pod(len(cluster.pods) - 1)
        cluster.wait()
        cluster.schedule()
    cluster.add_node(node("", unschedulable=True))
    cluster.wait()
    cluster.schedule()
    cluster.remove_node(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _rejected_by_a_plugin_without_events(updates: Sequence[Callable[[Json], Json]]) -> History:
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script=script(("ScriptedA", "reserve", "Unschedulable"))))
    update_the_node(cluster, updates)
    return cluster.history(SCRIPTED)


def _gated_while_it_waits(event: str) -> History:
    """A pod gets a gate while it waits on Permit, which rejects it then; after an event it loses the gate."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script=script(("ScriptedA", "permit", "Wait"))))
    cluster.schedule(1)
    cluster.change_pod(0, partial(with_spec, schedulingGates=[{"name": "g"}]))
    if event == "before":
        cluster.add_node(node(""))
    cluster.steps.append(Permit("default/p1", "reject"))
    if event == "after":
        cluster.add_node(node(""))
    cluster.wait()
    cluster.schedule(1)
    cluster.change_pod(0, partial(with_spec, schedulingGates=[]))
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _services_come_and_go() -> History:
    """The backoff is over when the Service comes, and not when it is updated and deleted."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(LARGE)
    cluster.schedule(1)
    cluster.wait()
    service = selecting("Service", "s", _A, "v1")
    for step in (Create(service), Update({**service, "spec": {"selector": _B}}), deleting(service)):
        cluster.steps.append(step)
        cluster.wait(1)
        cluster.wait()
        cluster.schedule(1)
    return cluster.history()


def _of_events() -> Iterator[Case]:
    for plugins, some in (("resources_ports_affinity_spread", (0, 4)), ("pod_affinity_and_gates", (4, 7))):
        yield Case(
            f"node_updates_for_pods_rejected_by_{plugins}",
            "Each update of a node requeues the pods that it may make schedulable, by the plugin that rejected"
            " them, and no other pod.",
            _node_updated(*some),
        )
        yield Case(
            f"other_pods_for_pods_rejected_by_{plugins}",
            "The creation, update and deletion of a bound pod requeue the pods that they may make schedulable, by"
            " the plugin that rejected them, and no other pod.",
            _others_created_and_deleted(*some),
        )
        yield Case(
            f"heartbeats_for_pods_rejected_by_{plugins}",
            "The heartbeat of a node, the reason of a condition and the order of conditions requeue no pod, and in"
            " v1.19 a condition that comes or goes does.",
            _node_updated(*some, _HEARTBEATS),
        )
    for name, updates in (("status", _STATUS_UPDATES), ("any", _NODE_UPDATES), ("heartbeat", _HEARTBEATS)):
        yield Case(
            f"{name}_node_updates_for_a_pod_rejected_by_a_plugin_without_events",
            "Whatever is an event requeues a pod that was rejected by a plugin which registers for none.",
            _rejected_by_a_plugin_without_events(updates),
            needs=("scripted",),
        )
    for event, says in (("never", "no event"), ("before", "an event before"), ("after", "an event after")):
        yield Case(
            f"gated_while_it_waits_on_permit_event_{event}",
            "A pod that got a gate while it waited on Permit is not gated by its rejection itself, and not queued"
            f" while it has the gate, with {says} the rejection.",
            _gated_while_it_waits(event),
            needs=("scripted",),
        )
    yield Case(
        "services_for_a_pod_rejected_for_its_requests",
        "The release says whether the creation, update and deletion of a Service requeue a pod that was rejected"
        " for its requests.",
        _services_come_and_go(),
    )


CASES: tuple[Case, ...] = (*_of_updates(), *of_time(), *_of_events())
