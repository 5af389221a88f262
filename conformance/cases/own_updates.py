# SPDX-License-Identifier: Apache-2.0
"""Cases of updates of a pod that waits: which of them requeue it, and that none costs it its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from conformance.cases.backoff import PORT
from conformance.cases.queue import rejected
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.extenders import FILTERS, answered
from conformance.vocabulary.objects import (
    HOSTNAME,
    REQUIRED,
    WITHOUT_POP_FROM_BACKOFF,
    near,
    node,
    pod,
    profile_config,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_A = {"app": "a"}
_UPDATES: dict[str, Callable[[Json], Json]] = {
    "toleration": partial(with_spec, tolerations=[{"key": "k", "operator": "Exists"}]),
    "label": lambda value: with_metadata(value, labels={**value["metadata"].get("labels", {}), "new": "yes"}),
    "annotation": partial(with_metadata, annotations={"new": "yes"}),
    "condition": partial(with_status, conditions=[{"type": "Ready", "status": "False"}]),
}


def _updated(update: Callable[[Json], Json]) -> History:
    """Pods each of which another plugin has rejected are updated in one way, and stay unschedulable."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", labels=_A, **PORT), 0)
    for value in rejected():
        cluster.add_pod(value)
    cluster.schedule()
    for number in range(1, len(cluster.pods)):
        cluster.change_pod(number, update)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _relabelled(which: str) -> History:
    """A pod keeps away from two kinds of pods, and one that runs is of both; another one keeps away from it. One
    of them gets another label."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    both = {"app": "a", "tier": "b"}
    terms = [
        {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {key: value}}}
        for key, value in both.items()
    ]
    cluster.add_pod(
        pod("", labels=both, affinity=near("podAntiAffinity", REQUIRED, {"matchLabels": {"app": "c"}})), 0
    )
    cluster.add_pod(pod("", affinity={"podAntiAffinity": {REQUIRED: terms}}))
    cluster.add_pod(pod("", labels={"app": "c"}))
    cluster.schedule()
    number, labels = {"running": (0, {**both, "app": "x"}), "waiting": (2, {"app": "x"})}[which]
    cluster.change_pod(number, partial(with_metadata, labels=labels))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _loses_its_gates(*left: str) -> History:
    """A pod has two gates, and one update after the other leaves it these."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", schedulingGates=[{"name": name} for name in "gh"]))
    cluster.schedule(1)
    for names in left:
        cluster.change_pod(0, partial(with_spec, schedulingGates=[{"name": name} for name in names]))
        cluster.schedule(1)
    return cluster.history()


def _updated_while_it_is_active() -> History:
    """Of two pods that came one after the other, the first is updated before either is tried, and one fits."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    for _ in range(2):
        cluster.add_pod(pod("", {"cpu": "1"}))
        cluster.wait(1)
    cluster.change_pod(0, partial(with_metadata, labels=_A))
    cluster.schedule()
    return cluster.history()


def _tolerates_while_it_backs_off() -> History:
    """One node rejects a pod for its taint, and another one for want of room, until it grows. While the pod backs
    off it tolerates the taint."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", taints=[{"key": "k", "effect": "NoSchedule"}]))
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "2"}))
    cluster.schedule(1)
    cluster.change_node(1, node("", {"cpu": "2", "pods": "9"}))
    cluster.change_pod(0, _UPDATES["toleration"])
    cluster.schedule(1)
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(gates=WITHOUT_POP_FROM_BACKOFF)


def _updated_after_an_error(update: Callable[[Json], Json]) -> History:
    """The attempt of a pod ends in an error, and the pod is updated while nothing else waits."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script=script(("ScriptedA", "reserve", "Error"))))
    cluster.schedule(1)
    cluster.change_pod(0, update)
    cluster.schedule(1)
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _rejected_by_an_extender(update: Callable[[Json], Json]) -> History:
    """An extender rejects a pod everywhere, and the pod is updated."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(answered(pod(""), {"a": {"filter": {"n1": "Unschedulable"}}}))
    cluster.schedule()
    cluster.change_pod(0, update)
    cluster.wait()
    cluster.schedule()
    return cluster.history(profile_config(extenders=[FILTERS]))


def _cases() -> Iterator[Case]:
    for what in ("toleration", "label", "condition"):
        yield Case(
            f"a_new_{what}_of_a_pod_that_an_extender_rejected",
            "Any update of a pod by which it may become schedulable requeues it where an extender rejected it;"
            f" here it gets a new {what}.",
            _rejected_by_an_extender(_UPDATES[what]),
            needs=("extenders",),
        )
    for what in ("toleration", "label", "condition"):
        yield Case(
            f"a_new_{what}_while_it_backs_off_after_an_error",
            "A pod that backs off after an error goes on doing so when it is updated, whatever changes; here it"
            f" gets a new {what}.",
            _updated_after_an_error(_UPDATES[what]),
            needs=("scripted",),
        )
    yield Case(
        "tolerates_a_taint_while_it_backs_off",
        "A pod that backs off goes on doing so when it is updated, though the update helps it.",
        _tolerates_while_it_backs_off(),
    )
    for what, update in _UPDATES.items():
        yield Case(
            f"a_new_{what}_of_each_rejected_pod",
            "The plugin that rejected a pod says whether an update of the pod itself requeues it; here it gets a"
            f" new {what}.",
            _updated(update),
        )
    for which in ("running", "waiting"):
        yield Case(
            f"label_of_the_{which}_one_of_two_pods_that_keep_apart",
            "A pod is requeued by a label, its own or another's, only if nobody keeps it away any more by that;"
            f" the {which} pod gets another one.",
            _relabelled(which),
        )
    for name, left in (("at_once", [""]), ("one_after_the_other", ["g", ""])):
        yield Case(
            f"two_gates_removed_{name}",
            "A pod is queued by the update that leaves it no gate, and by no other one; its two gates are removed"
            f" {name.replace('_', ' ')}.",
            _loses_its_gates(*left),
        )
    yield Case(
        "first_of_two_active_pods_is_updated",
        "A pod that is updated in the active queue keeps its place there.",
        _updated_while_it_is_active(),
        ("R-SORT-01",),
    )


CASES: tuple[Case, ...] = tuple(_cases())
