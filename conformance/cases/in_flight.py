# SPDX-License-Identifier: Apache-2.0
"""Cases of pods in flight: what becomes of one that is updated, deleted or created anew while a plugin holds it,
or while it waits on Permit, and of those that want its room."""

from __future__ import annotations

from functools import partial

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import resource_slice
from conformance.vocabulary.objects import container, node, pod, with_metadata
from conformance.vocabulary.scripted import (
    SCRIPTED,
    WAITS,
    release_all,
    script,
    scripted,
    waiting_with_all_cpu,
)
from refsched.suite.histories.history import (
    Create,
    History,
    Observe,
    Permit,
    Release,
    Step,
    Update,
    deleting,
)
from refsched.suite.session.cases import Case


def _one_that_waits(permit: str = "Wait") -> HistoryBuilder:
    """A pod waits on Permit."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script={"ScriptedA": {"permit": permit}}))
    cluster.schedule(1)
    return cluster


def _events_while_it_waits(*steps: Step) -> History:
    """A pod waits on Permit during these steps, and is rejected then. Another one, which is too large, is tried
    between."""
    cluster = _one_that_waits()
    cluster.steps.extend(steps)
    cluster.add_pod(pod("", {"cpu": "9"}))
    cluster.schedule(1)
    cluster.steps += [Permit("default/p1", "reject"), Observe()]
    return cluster.history(SCRIPTED)


_NODE_LABELLED = Update(node("n1", labels={"disk": "ssd"}))
_SLICE_COMES = Create(resource_slice("s1", [{"name": "d0"}]))


def _allowed_the_second_time() -> History:
    """A pod that waits on Permit is rejected, and its next attempt does not wait."""
    cluster = _one_that_waits()
    cluster.steps.append(Permit("default/p1", "reject"))
    cluster.change_pod(0, scripted({}))
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _waits_for(seconds: str) -> History:
    """A pod is to wait on Permit for so many seconds."""
    cluster = _one_that_waits(f"Wait:{seconds}")
    cluster.steps.append(Observe())
    cluster.wait(1)
    return cluster.history(SCRIPTED)


def _victim_that_one_plugin_allowed() -> History:
    """Two plugins let a pod wait on Permit, one of them allows it, and a pod of higher priority needs its room."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    both = script(("ScriptedA", "permit", "Wait"), ("ScriptedB", "permit", "Wait"))
    cluster.add_pod(pod("", {"cpu": "1"}, script=both))
    cluster.schedule(1)
    cluster.steps.append(Permit("default/p1", "allow", "ScriptedA"))
    cluster.add_pod(pod("", {"cpu": "1"}, priority=10))
    cluster.schedule(1)
    cluster.steps.append(Observe())
    return cluster.history(SCRIPTED)


def _anew_while_it_is_bound(point: str) -> History:
    """A pod is deleted while a plugin holds it, and created anew under the same name, before the plugin lets the
    first one be bound. There is room for one of them."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    held = with_metadata(pod("", {"cpu": "1"}, script={"ScriptedA": {point: "Hold"}}), name="p1", uid="first")
    anew = with_metadata(pod("", {"cpu": "1"}), name="p1", uid="second")
    cluster.add(held)
    cluster.schedule(1)
    cluster.steps.extend((deleting(held), Create(anew), Observe(), Release("default/p1"), Observe()))
    for _ in range(2):
        cluster.wait()
        cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _waits_for_long() -> History:
    """A pod waits on Permit for longer than bound pods are awaited, and another one wants its room."""
    cluster = waiting_with_all_cpu()
    for _ in range(4):
        cluster.wait(10)
    cluster.add_pod(pod("", {"cpu": "1"}))
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _nominated_elsewhere(permit: str) -> History:
    """A pod is nominated to a node that is full, and is placed on another one, where Permit answers so."""
    cluster = HistoryBuilder()
    for amount in ("1", "2"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}), 0)
    answers = script(("ScriptedA", "permit", permit))
    cluster.add_pod(pod("", {"cpu": "1"}, status={"nominatedNodeName": "n1"}, script=answers))
    cluster.schedule(1)
    cluster.steps.append(Observe())
    cluster.remove_pod(0)
    cluster.steps.append(Permit("default/p2", "reject"))
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _room_of_one_that_waits(answer: str) -> History:
    """A pod waits on Permit with all cpu of the node, and another one is rejected. Then the first is rejected, or
    deleted."""
    cluster = waiting_with_all_cpu()
    cluster.add_pod(pod("", {"cpu": "1"}, priority=-1))
    cluster.schedule(1)
    if answer == "reject":
        cluster.steps.append(Permit("default/p1", answer))
    cluster.remove_pod(0)
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _deleted_before_it_is_popped() -> History:
    """While one pod waits on Permit another one is deleted. Only then a pod is popped that has no room."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}), 0)
    cluster.add_pod(pod("", {"cpu": "1"}, script=WAITS))
    cluster.schedule(1)
    cluster.add_pod(pod("", {"cpu": "3"}))
    cluster.remove_pod(0)
    cluster.schedule(1)
    cluster.steps.append(Observe())
    return cluster.history(SCRIPTED)


def _victims_that_wait_and_run(waits: int, runs: int) -> History:
    """A pod of high priority needs the room of one that waits on Permit and the port of one that runs, which have
    these priorities."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "3", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "2"}, priority=waits, script=WAITS))
    cluster.schedule(1)
    port = [{"containerPort": 80, "hostPort": 80}]
    cluster.add_pod(pod("", priority=runs, containers=[container("c", ports=port)]), 0)
    cluster.add_pod(pod("", priority=10, containers=[container("c", {"cpu": "2"}, ports=port)]))
    cluster.schedule(1)
    cluster.steps.append(Observe())
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _labelled_while_it_is_held(point: str) -> History:
    """The labels of a pod change while a plugin holds it, and it is bound then."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", script={"ScriptedA": {point: "Hold"}}))
    cluster.schedule(1)
    cluster.change_pod(0, partial(with_metadata, labels={"app": "a"}))
    cluster.schedule(1)
    release_all(cluster)
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"{name}_while_a_pod_waits_on_permit",
            "A pod that is rejected on Permit is requeued by an event that came while it was in flight, though"
            f" another pod's attempt has ended since: {says}.",
            _events_while_it_waits(*steps),
            needs=("queue",),
        )
        for name, says, steps in (
            ("node_labelled", "a node was labelled", (_NODE_LABELLED,)),
            ("slice_created", "a ResourceSlice was created", (_SLICE_COMES,)),
            (
                "slice_created_and_node_labelled",
                "a slice, and a node's label",
                (_SLICE_COMES, _NODE_LABELLED),
            ),
            ("nothing_happened", "there was none", ()),
        )
    ),
    Case(
        "rejected_on_permit_and_allowed_the_second_time",
        "That a pod was rejected while it waited on Permit does not count in its next attempt.",
        _allowed_the_second_time(),
    ),
    *(
        Case(
            f"waits_on_permit_for_{seconds}_seconds",
            f"A pod that is to wait on Permit for {seconds} s is rejected when they are over.",
            _waits_for(seconds),
            ("R-PERMIT-01",),
        )
        for seconds in ("0", "1", "2")
    ),
    Case(
        "victim_that_one_of_two_plugins_allowed",
        "A victim that waits on Permit is rejected there, though one of the two plugins that it waits for has"
        " allowed it.",
        _victim_that_one_plugin_allowed(),
        needs=("preemption", "hold"),
    ),
    Case(
        "room_of_a_pod_that_waits_for_long",
        "A pod that waits on Permit has its room as long as it waits.",
        _waits_for_long(),
    ),
    *(
        Case(
            f"nominated_to_a_full_node_and_{name}_on_another",
            "A pod that is placed on another node than the one to which it is nominated, and whose binding has to"
            f" wait, is nominated to that node from then on; it {says}.",
            _nominated_elsewhere(permit),
            ("R-BIND-07",) if permit == "Wait" else (),
        )
        for name, says, permit in (
            ("waits", "waits on Permit", "Wait"),
            ("rejected", "is rejected on Permit", "Unschedulable"),
        )
    ),
    *(
        Case(
            f"room_of_a_pod_that_is_{how}_while_it_waits",
            "The room of an assumed pod that is not bound is free for one that was rejected while the first pod"
            f" had it; that one is {how}.",
            _room_of_one_that_waits(answer),
            ("R-ROLLBACK-03",),
            needs=("hold",),
        )
        for how, answer in (("rejected", "reject"), ("deleted", ""))
    ),
    *(
        Case(
            f"victim_that_waits_is_{which}_important_than_one_that_runs",
            "A pod that evicts one that waits on Permit and one that runs is tried again for the last of them, in"
            f" the order of their importance; the one that waits is the {which} important one.",
            _victims_that_wait_and_run(*priorities),
            needs=("preemption", "hold"),
        )
        for which, priorities in (("more", (5, 1)), ("less", (1, 5)))
    ),
    Case(
        "event_between_the_pops_of_two_pods",
        "An event that came before a pod was popped does not count for it, though another pod was in flight then.",
        _deleted_before_it_is_popped(),
        ("R-QUEUE-07",),
        needs=("queue",),
    ),
    *(
        Case(
            f"labelled_{when}",
            "A pod that changes in flight is not queued for that.",
            _labelled_while_it_is_held(point),
            needs=("hold", "queue"),
        )
        for when, point in (("while_reserving", "reserve"), ("while_binding", "preBind"))
    ),
    *(
        Case(
            f"created_anew_before_it_is_bound_{when}",
            "A pod that was deleted in flight is not bound, and neither is the one that was created under its name"
            " in its place.",
            _anew_while_it_is_bound(point),
            needs=("hold",),
        )
        for when, point in (("while_reserving", "reserve"), ("while_binding", "preBind"))
    ),
)
