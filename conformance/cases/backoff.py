# SPDX-License-Identifier: Apache-2.0
"""Cases of backoff, and of how long a pod waits among the unschedulable pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import WITHOUT_POP_FROM_BACKOFF, container, node, pod, profile_config
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import History, Observe, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

PORT: Json = {"containers": [container("c", ports=[{"containerPort": 80, "hostPort": 80}])]}
LARGE = pod("p1", {"cpu": "9"})


def _backoff(initial: int, most: int) -> History:
    """After each attempt a node is created that the pod, which waits for a port, might use and cannot; the queues
    are observed each second, to see when the next attempt is due."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", **PORT), 0)
    cluster.add_pod(pod("", **PORT))
    for _ in range(4):
        cluster.schedule(1)
        cluster.add_node(node("", unschedulable=True))
        for _ in range(most + 2):
            cluster.wait(1)
    config = profile_config(podInitialBackoffSeconds=initial, podMaxBackoffSeconds=most)
    return cluster.history(config, WITHOUT_POP_FROM_BACKOFF)


def _flushed() -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(LARGE)
    cluster.schedule(1)
    for seconds in (299, 1, 29, 1):
        cluster.wait(seconds)
    cluster.schedule(1)
    return cluster.history()


def _deleted_in_backoff(rejections: int, errors: int) -> History:
    """A pod is rejected so often, each time until its node grows, and then its attempts end in so many errors. It
    is deleted while it backs off."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": str(1 if rejections else rejections + 1), "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": str(rejections + 1)}, script=script(("ScriptedA", "reserve", "Error"))))
    for size in range(2, rejections + 2):
        cluster.schedule(1)
        cluster.change_node(0, node("", {"cpu": str(size), "pods": "9"}))
        if errors or size <= rejections:
            cluster.wait()
    for number in range(errors):
        if number:
            cluster.wait()
        cluster.schedule(1)
    cluster.remove_pod(0)
    cluster.steps.append(Observe())
    cluster.wait()
    cluster.schedule(1)
    return cluster.history(SCRIPTED, WITHOUT_POP_FROM_BACKOFF)


def _useless_event_after(seconds: int) -> History:
    """The node of a pod that is too large grows after so many seconds, and not enough. The pod is asked for each
    half minute after five minutes."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(LARGE)
    cluster.schedule(1)
    cluster.wait(seconds)
    cluster.change_node(0, node("", {"cpu": "5", "memory": "8Gi", "pods": "9"}))
    cluster.wait(299 - seconds)
    for _ in range(3):
        cluster.wait(30)
        cluster.schedule(1)
    return cluster.history()


def _errors_before_a_rejection() -> History:
    """While there is no node, an attempt ends in an error."""
    cluster = HistoryBuilder()
    cluster.add_pod(pod("", {"cpu": "2"}))
    for seconds in (2, 3):
        cluster.schedule(1)
        cluster.wait(seconds)
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.schedule(1)
    cluster.change_node(0, node("", {"cpu": "3", "pods": "9"}))
    for _ in range(5):
        cluster.wait(1)
    return cluster.history()


def _rejections_before_an_error() -> History:
    cluster = HistoryBuilder()
    cluster.add_pod(pod("", {"cpu": "2"}))
    for seconds in (2, 3):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.schedule(1)
        cluster.wait(seconds)
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    for _ in range(3):
        cluster.remove_node(0)
    cluster.schedule(1)
    for _ in range(5):
        cluster.wait(1)
    return cluster.history()


def _asked_at_once_after_an_error() -> History:
    """A pod was rejected before, and its attempt ends in an error since there is no node; then it is asked for at
    once."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "2"}))
    cluster.schedule(1)
    cluster.change_node(0, node(""))
    cluster.remove_node(0)
    cluster.schedule(1)
    cluster.schedule(1)
    cluster.wait()
    cluster.schedule(1)
    return cluster.history()


def _grows_in_vain_after_an_error() -> History:
    """The first attempt of a pod ends in an error, and the second in a rejection for its cpu; then memory
    grows."""
    cluster = HistoryBuilder()
    cluster.add_pod(pod("", {"cpu": "2"}))
    cluster.schedule(1)
    cluster.wait()
    cluster.add_node(node("", {"cpu": "1", "memory": "1Gi", "pods": "9"}))
    cluster.schedule(1)
    cluster.change_node(0, node("", {"cpu": "1", "memory": "2Gi", "pods": "9"}))
    cluster.wait()
    cluster.schedule(1)
    return cluster.history()


def _nominated_and_backing_off() -> History:
    """A pod preempts another one, the victim is deleted within its backoff, and nothing else waits."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}), 0)
    cluster.add_pod(pod("", {"cpu": "1"}, priority=10))
    for _ in range(2):
        cluster.schedule(2)
        cluster.wait()
    return cluster.history(gates=WITHOUT_POP_FROM_BACKOFF)


def _one_of_two_is_gated() -> History:
    """Two pods are in backoff when the claim of the first is deleted, so that it is gated by the flush that comes
    when the backoff of both is over. The second one is tried before the next flush."""
    cluster = HistoryBuilder(hosts=True)
    claim = resource_claim("c1", ONE)
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]), claim)
    cluster.add_node(node("", {"cpu": "500m", "pods": "9"}))
    for value in (claim_user("c1"), pod("", {"cpu": "1"})):
        cluster.wait(0.25)
        cluster.add_pod(value)
        cluster.schedule(1)
    cluster.change_node(0, node(""))
    cluster.steps.append(deleting(claim))
    cluster.wait(1.75)
    cluster.schedule(1)
    return cluster.history(gates=WITHOUT_POP_FROM_BACKOFF)


def _beside_one_in_flight() -> History:
    """A pod backs off, and nothing is active, while another one waits on Permit."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "2"}))
    cluster.schedule(1)
    cluster.change_node(0, node(""))
    cluster.add_pod(pod("", script=script(("ScriptedA", "permit", "Wait"))))
    cluster.schedule(1)
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


def _rejected_at_half_a_second() -> HistoryBuilder:
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.wait(0.5)
    cluster.add_pod(pod("", {"cpu": "2"}))
    cluster.schedule(1)
    return cluster


def _asked_each_quarter(gates: Mapping[str, bool]) -> History:
    """A pod is rejected half a second after a full second, and may be tried as soon as its backoff allows it."""
    cluster = _rejected_at_half_a_second()
    cluster.change_node(0, node(""))
    cluster.add_pod(pod("", {"cpu": "9"}))
    for _ in range(8):
        cluster.schedule(1)
        cluster.wait(0.25)
    return cluster.history(gates=gates)


def _room_comes(after: float, gates: Mapping[str, bool]) -> History:
    """A pod is rejected half a second after a full second, and a node that has room for it comes after so many
    seconds."""
    cluster = _rejected_at_half_a_second()
    cluster.wait(after)
    cluster.add_node(node(""))
    cluster.steps.append(Observe())
    cluster.wait(1)
    cluster.schedule(1)
    return cluster.history(gates=gates)


def _rejected_within_a_second(gates: Mapping[str, bool]) -> History:
    """Three pods, each of a higher priority than the one before, are rejected, the last of them in the next
    second. Then there is room for all."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    for priority, seconds in ((0, 0.25), (5, 0.5), (9, 0.5)):
        cluster.wait(seconds)
        cluster.add_pod(pod("", {"cpu": "2"}, priority=priority))
        cluster.schedule(1)
    cluster.change_node(0, node("", {"cpu": "9", "pods": "9"}))
    for _ in range(4):
        cluster.schedule(1)
        cluster.wait(0.5)
    return cluster.history(gates=gates)


def _claim_deleted_after_an_error(gates: Mapping[str, bool]) -> History:
    """The attempt of a pod ends in an error, and its claim is deleted before its backoff is over."""
    cluster = HistoryBuilder(hosts=True)
    claim = resource_claim("c1", ONE)
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]), claim)
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", script=script(("ScriptedA", "reserve", "Error"))))
    cluster.schedule(1)
    cluster.steps.append(deleting(claim))
    for _ in range(3):
        cluster.wait(1)
    cluster.schedule(1)
    return cluster.history(SCRIPTED, gates)


def _of_ends() -> Iterator[Case]:
    for gates, name, says in (
        ({}, "default", "by default"),
        (WITHOUT_POP_FROM_BACKOFF, "kept_in_backoff", "without SchedulerPopFromBackoffQ"),
    ):
        yield Case(
            f"asked_each_quarter_of_a_second_{name}",
            f"The release and the gate say when a pod that backs off may be tried: {says}.",
            _asked_each_quarter(gates),
        )
        yield Case(
            f"claim_deleted_after_an_error_{name}",
            "The release and the gate say whether a pod that would be gated by then becomes active after the"
            f" backoff of an error: {says}.",
            _claim_deleted_after_an_error(gates),
            needs=("scripted", "devices"),
        )
        yield Case(
            f"pods_of_three_priorities_rejected_within_a_second_{name}",
            "Backoffs that end in the same second end at once, so that priority decides between two pods; with one"
            f" that ends in the next second it does not. The gate and the release say so: {says}.",
            _rejected_within_a_second(gates),
            () if gates else ("R-BACKOFF-04",),
        )
        for after in (0.5, 0.75, 1.0, 1.0001, 1.25):
            yield Case(
                f"node_added_{round(after * 1_000_000)}_microseconds_after_a_rejection_{name}",
                "The backoff of a pod that is rejected within a second ends with a second, so that an event makes"
                f" it active, or does not: one after {after} s, {says}.",
                _room_comes(after, gates),
            )


def _of_errors() -> Iterator[Case]:
    for rejections, errors in ((1, 0), (0, 1), (1, 1), (1, 2), (2, 0)):
        yield Case(
            f"deleted_while_it_backs_off_after_{rejections}_rejections_and_{errors}_errors",
            "A pod that is deleted while it backs off is in no queue, whatever it backs off for: so many"
            f" rejections, {rejections}, and then so many errors, {errors}.",
            _deleted_in_backoff(rejections, errors),
            needs=("scripted",),
        )
    yield Case(
        "backoff_after_two_errors_and_a_rejection",
        "The backoff after a rejection grows with the number of rejections, whatever errors came before.",
        _errors_before_a_rejection(),
        ("R-BACKOFF-02",),
    )
    yield Case(
        "backoff_after_two_rejections_and_an_error",
        "The backoff after an error grows with the number of consecutive errors, whatever rejections came before.",
        _rejections_before_an_error(),
        ("R-BACKOFF-02",),
    )
    yield Case(
        "error_after_a_rejection_and_nothing_else_waits",
        "The release says whether a pod whose attempt ended in an error is popped before its backoff is over,"
        " though it was rejected before.",
        _asked_at_once_after_an_error(),
    )
    yield Case(
        "event_that_does_not_help_after_an_error_and_a_rejection",
        "The plugins that rejected a pod last say what requeues it, though an earlier attempt ended in an error.",
        _grows_in_vain_after_an_error(),
    )


def of_time() -> Iterator[Case]:
    for initial, most in ((1, 2), (2, 3), (1, 5)):
        yield Case(
            f"backoff_from_{initial}_to_{most}_seconds",
            f"Each attempt doubles the backoff, which begins with {initial} s and is {most} s at most.",
            _backoff(initial, most),
        )
    yield Case(
        "backoff_of_a_pod_that_is_nominated",
        "Without SchedulerPopFromBackoffQ a pod waits for its backoff, though it has a nominated node.",
        _nominated_and_backing_off(),
        needs=("preemption",),
    )
    yield Case(
        "one_of_two_pods_is_gated_when_their_backoff_ends",
        "A pod whose backoff is over becomes active, though another one that is looked at before it is gated.",
        _one_of_two_is_gated(),
    )
    yield Case(
        "flush_after_five_minutes",
        "A pod that no event requeues is flushed from the unschedulable pods by the first half-minute tick after"
        " five minutes.",
        _flushed(),
    )
    yield Case(
        "flush_after_five_minutes_and_an_event_that_does_not_help",
        "A pod is flushed five minutes after it was rejected, though an event that does not help it came since.",
        _useless_event_after(200),
    )
    yield Case(
        "popped_from_backoff_beside_a_pod_in_flight",
        "A pod is popped from backoff when none is active, even while another one is in flight.",
        _beside_one_in_flight(),
        needs=("scripted",),
    )
    yield from _of_errors()
    yield from _of_ends()
