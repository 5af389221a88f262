# SPDX-License-Identifier: Apache-2.0
"""Cluster: the objects of a user that a scheduler is shown, and the pods that it is to place.

A pod that has finished is not shown, as the API server would not show it. Pending pods are shown by age, since
the queue pops the oldest of equal priority first; those of one second, or without a creationTimestamp, are
equally old.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from itertools import groupby

from attrs import frozen

from refsched.errors import InputError, counted, did_you_mean
from refsched.framework.runtime import Framework
from refsched.framework.status import Status
from refsched.machine.scheduler import Scheduler
from refsched.machine.state import START
from refsched.objects.kinds import described_as
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore

LATEST = datetime(9000, 1, 1, tzinfo=UTC)
"""A clock that starts no later than this can move on for as long as it has to."""

FINISHED = ("Succeeded", "Failed")
MOMENT = 1e-6
"""Two pods of different age arrive this many seconds apart."""


@frozen
class Census:
    """A Census counts the pods of a cluster. ``pending`` are those that the scheduler is to place, by name;
    ``passed_over`` says of other pods without a node why the scheduler ignores them; ``finished`` counts those
    that need no node any more."""

    pending: Mapping[str, Pod]
    passed_over: Mapping[str, str]
    finished: int


def show(scheduler: Scheduler, objects: Sequence[ApiObject]) -> Census:
    """Shows everything to a scheduler that has seen nothing yet."""
    for shown in in_turn(objects):
        if shown is None:
            scheduler.advance(MOMENT)
        else:
            scheduler.create(shown)
    return census_of(scheduler, objects)


def census_of(scheduler: Scheduler, objects: Sequence[ApiObject]) -> Census:
    pods = [shown for shown in objects if isinstance(shown, Pod)]
    alive = [pod for pod in pods if pod.status.phase not in FINISHED]
    waiting = [pod for pod in alive if not pod.spec.node_name]
    passed_over = {pod.key: why for pod in waiting if (why := why_passed_over(scheduler, pod))}
    pending = {pod.key: pod for pod in waiting if pod.key not in passed_over}
    return Census(pending, passed_over, len(pods) - len(alive))


def in_turn(objects: Sequence[ApiObject]) -> Iterator[ApiObject | None]:
    """Yields the objects that a scheduler is shown, in the order in which it is, and None where the clock moves on
    by a MOMENT. Raises InputError if two pods have one uid."""
    pods = [shown for shown in objects if isinstance(shown, Pod)]
    _check_uids(pods)
    alive = [pod for pod in pods if pod.status.phase not in FINISHED]
    yield from (shown for shown in objects if not isinstance(shown, Pod))
    yield from (pod for pod in alive if pod.spec.node_name)
    waiting = sorted((pod for pod in alive if not pod.spec.node_name), key=_age)
    for _, of_one_age in groupby(waiting, key=_age):
        yield from of_one_age
        yield None


def why_passed_over(scheduler: Scheduler, pod: Pod) -> str:
    """Returns why the scheduler ignores the pod, or ``""``."""
    if pod.spec.scheduler_name not in scheduler.state.profiles:
        name = pod.spec.scheduler_name
        return f"left to the scheduler {name}{did_you_mean(name, scheduler.state.profiles)}"
    return "is being deleted" if pod.metadata.deletion_timestamp is not None else ""


def pod_called(name: str, objects: Sequence[ApiObject]) -> Pod:
    """Returns the pod of this namespace and name. A name alone is that of a pod in the namespace default, or of
    the only pod of this name. Raises InputError, with similar names."""
    key = name if "/" in name else f"default/{name}"
    pods = {shown.key: shown for shown in objects if isinstance(shown, Pod)}
    if key in pods:
        return pods[key]
    same = sorted(other for other, pod in pods.items() if pod.name == name)
    if len(same) == 1:
        return pods[same[0]]
    if same:
        raise InputError(f"is in more than one namespace: {', '.join(same[:5])}", where=name)
    if not pods:
        raise InputError("there is no pod in the input", where=key)
    names = get_close_matches(key.partition("/")[2], {pod.name for pod in pods.values()}, n=3)
    near = [other for name in names for other, pod in pods.items() if pod.name == name][:3]
    count = f"there {'is' if len(pods) == 1 else 'are'} {counted(len(pods), 'pod')}"
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; {count}"
    raise InputError(f"there is no such pod{hint}", where=key)


def check_is_to_place(scheduler: Scheduler, pod: Pod) -> None:
    """Raises InputError if the pod needs no node, or is not this scheduler's to place."""
    if pod.status.phase in FINISHED:
        raise InputError(f"has finished ({pod.status.phase}): it needs no node", where=described_as(pod))
    why = why_passed_over(scheduler, pod)
    if why:
        raise InputError(f"{why}: there is nothing to explain", where=described_as(pod))


def why_gated(scheduler: Scheduler, pod: Pod) -> Status | None:
    """Returns the answer of the first PreEnqueue plugin that rejects the pod."""
    return why_gated_by(scheduler.state.profiles[pod.spec.scheduler_name], pod, scheduler.state.objects)


def why_gated_by(framework: Framework, pod: Pod, objects: ObjectStore) -> Status | None:
    """Returns the answer of the profile's first PreEnqueue plugin that rejects the pod."""
    for plugin in framework.pre_enqueue_plugins:
        status = plugin.pre_enqueue(pod, objects)
        if not status.is_success:
            return status.by(plugin.name)
    return None


def latest_time(objects: Iterable[ApiObject]) -> datetime:
    """Returns the last time in the objects, which is the earliest at which the cluster can have been observed."""
    times = [
        time
        for shown in objects
        for time in (shown.metadata.creation_timestamp, isinstance(shown, Pod) and shown.status.start_time)
        if time
    ]
    return min(max(times, default=START), LATEST)


def _age(pod: Pod) -> datetime:
    """Returns when the pod was created. Pods that do not say so are the youngest."""
    return pod.metadata.creation_timestamp or datetime.max.replace(tzinfo=UTC)


def _check_uids(pods: Iterable[Pod]) -> None:
    """Raises InputError if two pods have one uid, since they would count as one."""
    owners: dict[str, Pod] = {}
    for pod in pods:
        other = owners.setdefault(pod.uid, pod)
        if other is not pod:
            raise InputError(f"{described_as(other)} has the same uid", "metadata.uid", described_as(pod))
