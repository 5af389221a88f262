# SPDX-License-Identifier: Apache-2.0
"""Cases of evictions before v1.35: one of three victims does not exist any more, or pods have one name."""

from __future__ import annotations

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import cpu, named, node, pod
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import History, Observe, Release, deleting
from refsched.suite.session.cases import Case

_AT_ONCE = {"SchedulerAsyncPreemption": False}
_PRIORITIES = (7, 5, 1)


def _one_is_deleted(place_of_deleted: int, *, at_once: bool) -> History:
    """A pod needs the room of three pods, the most important of which is the first. One of them was deleted while
    a plugin held its binding, so that it is only assumed."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "3", "pods": "9"}))
    for place, priority in enumerate(_PRIORITIES):
        if place != place_of_deleted:
            cluster.add_pod(pod("", cpu("1"), priority=priority), 0)
    holds = script(("ScriptedB", "preBind", "Hold"))
    held = pod("held", cpu("1"), priority=_PRIORITIES[place_of_deleted], script=holds)
    cluster.add(held)
    cluster.schedule(1)
    cluster.steps.append(deleting(held))
    cluster.add_pod(pod("", cpu("3"), priority=10))
    cluster.schedule(1)
    cluster.steps.extend((Observe(), Release("default/held"), Observe()))
    return cluster.history(SCRIPTED, _AT_ONCE if at_once else {})


def _of_one_name(*spaces: str) -> History:
    """Pods of one name, in these namespaces, make room for the one that comes last."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    *victims, preemptor = spaces
    amount = str(2 // len(victims))
    for space in victims:
        cluster.add(named(pod("", cpu(amount), namespace=space, nodeName="n1", uid=f"uid-{space}"), "web"))
    cluster.add(named(pod("", cpu("2"), priority=10, namespace=preemptor, uid="uid-of-the-last"), "web"))
    for _ in range(2):
        cluster.schedule(1)
        cluster.wait()
    return cluster.history()


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"the_{which}_of_three_victims_is_deleted_before{'_and_all_are_evicted_at_once' if at_once else ''}",
            f"The {which} of three victims does not exist any more: its eviction is an error, and the others are"
            f" evicted{', with nobody nominated' if at_once else ''}.",
            _one_is_deleted(place, at_once=at_once),
            ("R-PREEMPT-PREP-03",) if at_once else ("R-PREEMPT-PREP-02",),
            ("preemption", "scripted", "hold"),
        )
        for at_once in (False, True)
        for place, which in enumerate(("first", "second", "last"))
    ),
    *(
        Case(
            name,
            f"Pods of one name in different namespaces are different pods; {says}.",
            _of_one_name(*spaces),
            needs=("preemption", "nominations"),
        )
        for name, says, spaces in (
            ("victim_of_the_preemptors_name", "one of them preempts the other", ("a", "b")),
            ("victims_of_one_name_in_two_namespaces", "the last one preempts two", ("a", "b", "c")),
        )
    ),
)
