# SPDX-License-Identifier: Apache-2.0
"""Cases of the way back: what a pod took is given back, however often it comes to nothing."""

from __future__ import annotations

from functools import partial
from itertools import product

from conformance.vocabulary.allocations import allocated
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import AN_AGE_AGO, node, pod, with_metadata, with_spec, with_status
from conformance.vocabulary.scripted import (
    ONLY_BINDING_SCRIPTED,
    SCRIPTED,
    WAITS,
    release_all,
    waiting_with_all_cpu,
)
from refsched.suite.histories.history import Create, History, Observe, Permit, Release, Update, deleting
from refsched.suite.session.cases import Case

TIMES = 12


def _again_and_again(plugin: str, point: str) -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}, script={plugin: {point: "Error"}}))
    for _ in range(TIMES):
        cluster.schedule()
        cluster.wait()
    return cluster.history(SCRIPTED)


def _two_claims() -> History:
    """Permit fails for a pod with two claims, and another pod with two claims needs the devices of both."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}, {"name": "d1"}]))
    for name in ("c1", "c2", "c3", "c4"):
        claim = resource_claim(name, ONE)
        cluster.add(with_metadata(claim, uid=f"uid-of-{name}"))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", "c2", priority=10, script={"ScriptedA": {"permit": "Error"}}))
    cluster.add_pod(claim_user("c3", "c4"))
    cluster.schedule()
    return cluster.history(SCRIPTED)


def _claim_named_twice() -> History:
    """A pod that names a claim twice waits on Permit while others get devices, and is allowed then."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": f"d{number}"} for number in range(5)]))
    cluster.add(*(resource_claim(name, ONE) for name in ("c1", "c2", "c3")))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", "c1", script=WAITS))
    cluster.schedule(1)
    cluster.add_pod(claim_user("c2"))
    cluster.schedule(1)
    cluster.steps.append(Permit("default/p1", "allow"))
    cluster.add_pod(claim_user("c3"))
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


def _taken_back_before() -> History:
    """The reservation that a pod made is taken back by somebody else before the binding of the pod fails."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    claim = resource_claim("c1", ONE, allocated("d0"))
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]), claim)
    cluster.add_pod(claim_user("c1", script={"ScriptedB": {"preBind": "Hold:Error"}}))
    cluster.schedule(1)
    cluster.steps.append(Update(claim))
    release_all(cluster)
    return cluster.history(SCRIPTED)


def _namesake_in_another_namespace() -> History:
    """A binder rejects a pod that takes the whole node, for which its namesake in another namespace waits."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    script = {"ScriptedBinder": {"bind": "Hold:Unschedulable"}}
    cluster.add_pod(pod("", {"cpu": "1"}, script=script))
    cluster.schedule(1)
    cluster.add(with_metadata(pod("", {"cpu": "1"}), name="p1", namespace="other"))
    cluster.schedule(1)
    release_all(cluster)
    return cluster.history(ONLY_BINDING_SCRIPTED)


def _rejected_on_permit(of_first: int) -> History:
    """A pod of this priority waits on Permit with the whole room, for which another one of priority 5 waits, and
    is rejected."""
    cluster = waiting_with_all_cpu(priority=of_first)
    cluster.add_pod(pod("", {"cpu": "1"}, priority=5, preemptionPolicy="Never"))
    cluster.schedule(1)
    cluster.steps.append(Permit("default/p1", "reject"))
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _bound_elsewhere_while_it_waits() -> History:
    """A pod that waits on Permit is bound to another node by somebody else, and pods come for the room of both."""
    cluster = HistoryBuilder()
    for _ in range(2):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}), 1)
    cluster.add_pod(pod("", {"cpu": "1"}, script=WAITS))
    cluster.schedule(1)
    cluster.remove_pod(0)
    cluster.change_pod(0, lambda value: with_spec(value, nodeName="n2"))
    for _ in range(2):
        cluster.add_pod(pod("", {"cpu": "1"}))
        cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _anew_and_nominated() -> History:
    """A pod is deleted while a plugin holds it, which then rejects it, and is created anew with a nomination. A
    pod that came before the new one wants the room for which that is nominated."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    script = {"ScriptedA": {"reserve": "Hold:Unschedulable"}}
    held = with_metadata(pod("", {"cpu": "1"}, script=script), name="first", uid="first")
    cluster.add(held)
    cluster.schedule(1)
    cluster.add_pod(pod("", {"cpu": "1"}))
    anew = with_metadata(pod("", {"cpu": "1"}), name="first", uid="second")
    cluster.steps += [
        deleting(held),
        Create(with_status(anew, nominatedNodeName="n1")),
        Release("default/first"),
    ]
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _two_victims_of_one_name() -> History:
    """A pod is created anew while its binding is held, somebody else binds the new one to the same node, and a pod
    of higher priority needs the room of both."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    held = pod("", {"cpu": "1"}, script={"ScriptedB": {"preBind": "Hold"}})
    cluster.add_pod(with_metadata(held, uid="p1-1"))
    cluster.schedule(1)
    first = cluster.pods["p1"]
    second = with_metadata(first, uid="p1-2")
    cluster.steps += [deleting(first), Create(second), Update(with_spec(second, nodeName="n1"))]
    cluster.add_pod(pod("", {"cpu": "2"}, priority=10))
    cluster.schedule(1)
    release_all(cluster)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


def _anew_for_another_scheduler(point: str) -> History:
    """Returns a history in which a pod is deleted while a plugin holds it, and created anew under the same name
    for another scheduler, before the attempt fails."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    held = with_metadata(pod("", script={"ScriptedA": {point: "Hold:Unschedulable"}}), name="p1", uid="first")
    anew = with_metadata(pod("", schedulerName="another"), name="p1", uid="second")
    cluster.add(held)
    cluster.schedule(1)
    cluster.steps.extend((deleting(held), Create(anew), Release("default/p1")))
    for _ in range(2):
        cluster.wait()
        cluster.schedule(1)
    cluster.add_pod(pod("", {"cpu": "1"}))
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _bound_elsewhere_while_it_is_held() -> History:
    """Somebody else binds a pod to the second node while a plugin holds it on the first one, which then rejects
    it. There is room for two more pods on the first node, and for none on the second."""
    cluster = HistoryBuilder()
    for amount in ("2", "1"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}, script={"ScriptedA": {"reserve": "Hold:Unschedulable"}}))
    cluster.schedule(1)
    cluster.change_pod(0, partial(with_spec, nodeName="n2"))
    release_all(cluster)
    for _ in range(3):
        cluster.add_pod(pod("", {"cpu": "1"}))
        cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _labelled_after_its_deletion_began() -> History:
    """The deletion of a pod begins while a plugin holds it, its labels change, and then the plugin rejects it."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", script={"ScriptedA": {"reserve": "Hold:Unschedulable"}}))
    cluster.schedule(1)
    for changed in ({"deletionTimestamp": AN_AGE_AGO}, {"labels": {"app": "a"}}):
        cluster.change_pod(0, partial(with_metadata, **changed))
        cluster.steps.append(Observe())
    release_all(cluster)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


def _deleted_while_one_of_more_importance_waits() -> History:
    """A pod waits for the room that another one of lower priority was assumed to take, which is deleted while a
    plugin holds it at PreBind."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    held = pod("", {"cpu": "1"}, script={"ScriptedB": {"preBind": "Hold"}})
    cluster.add_pod(held)
    cluster.schedule(1)
    cluster.add_pod(pod("", {"cpu": "1"}, priority=10, preemptionPolicy="Never"))
    cluster.schedule(1)
    cluster.remove_pod(0)
    cluster.steps.append(Observe())
    return cluster.history(SCRIPTED)


def _deleted_while_it_is_bound() -> History:
    """Returns a history in which a pod is marked for deletion while a plugin that binds it, and then fails, holds
    it: the API server refuses the binding."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    held = with_metadata(
        pod("", {"cpu": "2"}, script={"ScriptedBinder": {"bind": "Hold:ErrorAfterBound"}}), name="p1"
    )
    cluster.add(held)
    cluster.schedule(1)
    leaving = with_metadata(held, deletionTimestamp="2025-12-31T23:00:00Z")
    cluster.steps.extend((Update(leaving), Release("default/p1")))
    cluster.add_pod(pod("", {"cpu": "2"}))
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _skipped(point: str) -> History:
    """Returns a history in which a plugin answers Skip for the first of two pods, which is tried twice."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}, priority=1, script={"ScriptedA": {point: "Skip"}}))
    cluster.schedule()
    cluster.wait()
    cluster.add_pod(pod("", {"cpu": "1"}, priority=2))
    cluster.schedule()
    return cluster.history(SCRIPTED)


def _node_comes_at_once(point: str, code: str) -> History:
    """A plugin answers so about a pod, and a node comes at once."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script={"ScriptedA": {point: code}}))
    cluster.schedule(1)
    cluster.add_node(node(""))
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


_POINTS = (("reserve", "reserve"), ("permit", "permit"), ("pre_bind", "preBind"))

CASES = (
    *(
        Case(
            f"node_comes_at_once_for_a_pod_that_is_{code.lower()}_at_{name}",
            "Where a plugin answered Pending, an event that may help queues the pod at once, and otherwise its"
            f" backoff comes first; a plugin answers {code} at {point}.",
            _node_comes_at_once(point, code),
        )
        for (name, point), code in product(_POINTS, ("Pending", "Unschedulable"))
    ),
    *(
        Case(
            f"a_plugin_answers_skip_at_{name}",
            f"Skip is no answer of a plugin at {point}: the pod is not bound, and its attempt ends with an error.",
            _skipped(point),
            ("R-ASSUME-01",),
        )
        for name, point in _POINTS
    ),
    Case(
        "marked_for_deletion_while_it_is_bound",
        "The API server refuses to bind a pod that is being deleted, and the node is free for another pod.",
        _deleted_while_it_is_bound(),
        ("R-BIND-05",),
        needs=("hold",),
    ),
    Case(
        "bound_elsewhere_before_reserve_fails",
        "A pod that somebody else has bound to another node counts there, when it is rejected at Reserve.",
        _bound_elsewhere_while_it_is_held(),
        ("R-ROLLBACK-02",),
        needs=("hold",),
    ),
    Case(
        "labelled_in_flight_after_its_deletion_began",
        "A pod in flight whose deletion has begun is in no queue until its attempt ends, though it is updated.",
        _labelled_after_its_deletion_began(),
        ("R-QUEUE-41",),
        needs=("hold", "queue"),
    ),
    Case(
        "deleted_while_one_of_more_importance_waits_for_its_room",
        "The deletion of a pod that is about to be bound requeues pods that wait for its room, also more important"
        " ones, before its binding has ended.",
        _deleted_while_one_of_more_importance_waits(),
        needs=("hold", "queue"),
    ),
    *(
        Case(
            f"created_anew_for_another_scheduler_{when}",
            "A pod that was created anew for another scheduler, before the attempt of the first one failed, is "
            "not tried.",
            _anew_for_another_scheduler(point),
            needs=("hold",),
        )
        for when, point in (("while_reserving", "reserve"), ("while_binding", "preBind"))
    ),
    Case(
        "permit_fails_for_a_pod_with_two_claims",
        "The devices of all claims of a pod for which Permit fails are free for the next pod.",
        _two_claims(),
        ("R-DRA-09", "R-ROLLBACK-02"),
    ),
    Case(
        "a_binder_rejects_the_namesake_of_a_pod_that_waits",
        "A pod that waits for the room of its namesake in another namespace is requeued when that is not bound.",
        _namesake_in_another_namespace(),
        ("R-ROLLBACK-03",),
        needs=("hold",),
    ),
    *(
        Case(
            f"rejected_on_permit_with_priority_{priority}",
            "Pods of any priority wait for the room of one that waits on Permit, and are requeued when it is"
            f" rejected; one of priority 5 waits for that of one with {priority}.",
            _rejected_on_permit(priority),
            ("R-ROLLBACK-03",),
        )
        for priority in (0, 9)
    ),
    Case(
        "bound_elsewhere_while_it_waits_on_permit",
        "A pod that waits on Permit and that somebody else has bound to another node counts on that one alone.",
        _bound_elsewhere_while_it_waits(),
    ),
    Case(
        "created_anew_and_nominated_before_the_first_fails",
        "The failure of a pod that was deleted leaves the nomination of the pod that was created under its name.",
        _anew_and_nominated(),
        ("R-FAIL-05",),
        needs=("hold", "nominations"),
    ),
    Case(
        "a_pod_names_a_claim_twice",
        "A claim that its pod names twice counts with one of its two allocations while the pod waits on Permit,"
        " and the pod is not bound.",
        _claim_named_twice(),
        ("R-DRA-158",),
    ),
    Case(
        "a_reservation_is_taken_back_before_the_binding_fails",
        "A pod whose binding fails takes back a reservation that somebody else has taken back before.",
        _taken_back_before(),
        needs=("hold",),
    ),
    Case(
        "binding_fails_again_and_again",
        "A pod whose binding fails is accepted on the same node each time that it is tried again.",
        _again_and_again("ScriptedBinder", "bind"),
        ("R-ROLLBACK-03", "R-ASSUME-01"),
    ),
    Case(
        "permit_fails_again_and_again",
        "A pod for which Permit fails is accepted on the same node each time that it is tried again.",
        _again_and_again("ScriptedA", "permit"),
        ("R-ROLLBACK-02", "R-ASSUME-01"),
    ),
    Case(
        "victim_created_anew_while_the_first_is_held",
        "A pod whose binding is held and another one, which was created anew under its name and bound by somebody"
        " else, are victims of one preemption.",
        _two_victims_of_one_name(),
        needs=("hold", "preemption"),
    ),
)
