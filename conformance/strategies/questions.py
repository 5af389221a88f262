# SPDX-License-Identifier: Apache-2.0
"""Questions at the end of a history, about what it may have left behind.

Something that was not given back, forgotten too much or remembered too long shows only in what is decided next. So
when all that an area draws has happened, a few more pods are asked for: those that were there come again in an
empty cluster, one asks for all that a node has, one is like another on each node, timers pass, and events happen.
Which of these it is, is drawn, and nothing of it depends on answers. That takes a tenth of the time, so that only
one history in three goes on so, and one in two that has claims, which are asked what they have given back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import AFTER_ALL_BACKOFF, AFTER_FIVE_MINUTES
from conformance.vocabulary.objects import (
    REQUIRED,
    ZONE,
    limited,
    named,
    node,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.places import Key, there_after
from conformance.vocabulary.scripted import key, script
from refsched.suite.histories.history import (
    Advance,
    Create,
    History,
    Release,
    Schedule,
    Step,
    Update,
    deleting,
)
from refsched.suite.scripts import SCRIPT

Json = dict[str, Any]

RARELY = 3
"""One history in this many goes on."""

PODS = 2
"""This many pods come again, and this many nodes are asked for."""

MANY = 20
"""An attempt among this many nodes takes long, and one more pod is asked for."""

_PLACES = ("nodeSelector", "affinity", "topologySpreadConstraints", "tolerations", "schedulingGates")
"""A pod that is to show what is left on a node says nothing else of where it goes."""


@frozen
class _End:
    """An _End is the cluster at the end of a history, as far as the history alone says it. ``first`` is which of
    the pods, and of the nodes, is asked for first."""

    objects: dict[Key, Json]
    first: int

    def all(self, kind: str) -> list[Json]:
        return [value for key, value in self.objects.items() if key[0] == kind]

    def some(self, kind: str) -> list[Json]:
        """Returns a few of this kind, of a large cluster one."""
        found = self.all(kind)
        most = 1 if len(self.all("Node")) > MANY else PODS
        return [found[(self.first + number) % len(found)] for number in range(min(most, len(found)))]


Question = Callable[[_End], Iterator[Step]]


def questioned(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories, some of which go on with questions, if they have pods and nodes."""

    @st.composite
    def longer(draw: DrawFn) -> History:
        history = draw(histories)
        end = _End(there_after(history.steps), draw(st.integers(0, 3)))
        claims = end.all("ResourceClaim") or end.all("PersistentVolumeClaim")
        rarely = RARELY - 1 if claims else RARELY
        if draw(st.integers(1, rarely)) < rarely or not (end.all("Pod") and end.all("Node")):
            return history
        question = draw(st.sampled_from(_questions(history)))
        steps = (*history.steps, *question(end))
        return History(steps, history.config, history.feature_gates)

    return longer()


# --- Questions ------------------------------------------------------------------------------------


def _all_again(end: _End) -> Iterator[Step]:
    """Every pod leaves, each claim for devices is deallocated, and some of the pods come again."""
    yield from _emptied(end)
    yield from _asked([_another(value) for value in end.some("Pod")])


def _whole_nodes(end: _End) -> Iterator[Step]:
    """Every pod leaves, and one asks for all that a node has, with the ports, volumes and claims of another."""
    yield from _emptied(end)
    pods = end.some("Pod")
    wanted = [(each, pods[number % len(pods)]) for number, each in enumerate(end.some("Node"))]
    yield from _asked([_whole(value, each, f"whole{number}") for number, (each, value) in enumerate(wanted)])


def _same_on_each_node(end: _End) -> Iterator[Step]:
    """A pod leaves, and its like is asked for on each node; the others stay."""
    value = end.some("Pod")[0]
    yield from _freed([value])
    nodes = end.some("Node")
    yield from _asked([_pinned(_another(value), each, f"like{n}") for n, each in enumerate(nodes)])


def _again(end: _End) -> Iterator[Step]:
    """A pod leaves, and another one of its name comes at once."""
    value = end.some("Pod")[0]
    yield from _freed([value])
    yield from _asked([_another(value)])


def _again_after_a_failure(end: _End) -> Iterator[Step]:
    """A pod leaves, another one of its name is not bound where a scripted plugin fails, and a third one is."""
    value = end.some("Pod")[0]
    yield from _freed([value])
    failing = script(("ScriptedB", "preBind", "Error"))
    yield from _asked([with_metadata(_another(value), annotations={SCRIPT: json.dumps(failing)})])
    yield from _freed([value])
    yield from _asked([with_metadata(_another(value), uid=_uid(value["metadata"], "asked-again"))])


def _timers(end: _End) -> Iterator[Step]:
    """Time passes until each timer has fired: of backoff, of Permit, of pods that wait for an event."""
    yield Advance(AFTER_ALL_BACKOFF)
    yield Schedule(PODS)
    yield Advance(AFTER_FIVE_MINUTES)
    yield Schedule(PODS)


def _events(end: _End) -> Iterator[Step]:
    """A pod leaves, a node changes, and another node comes."""
    yield deleting(end.some("Pod")[0])
    for value in end.some("Node")[:1]:
        labels = {**value["metadata"].get("labels", {}), "asked": "again"}
        yield Update({**with_metadata(value, labels=labels), "spec": {}})
    yield Create(named(node(labels={ZONE: "q"}), "q1"))
    yield Advance(AFTER_ALL_BACKOFF)
    yield Schedule(PODS)


QUESTIONS: Sequence[Question] = (
    _all_again,
    _whole_nodes,
    _same_on_each_node,
    _again,
    _timers,
    _events,
)


def _questions(history: History) -> Sequence[Question]:
    """Binding fails where there are scripted plugins, and then that is asked for more often than anything else."""
    is_scripted = "ScriptedB" in json.dumps(history.config)
    return (*QUESTIONS, *[_again_after_a_failure] * 3) if is_scripted else QUESTIONS


# --- What is asked for ----------------------------------------------------------------------------


def _freed(pods: Sequence[Json]) -> Iterator[Step]:
    """The pods are deleted; one that a scripted plugin holds goes on first."""
    for value in pods:
        yield Release(key(value))
        yield deleting(value)


def _emptied(end: _End) -> Iterator[Step]:
    yield from _freed(end.all("Pod"))
    for value in end.all("ResourceClaim"):
        if not value["metadata"].get("deletionTimestamp"):
            yield Update({name: member for name, member in value.items() if name != "status"})
    yield Advance(AFTER_ALL_BACKOFF)


def _asked(pods: Sequence[Json]) -> Iterator[Step]:
    yield from map(Create, pods)
    if pods:
        yield Schedule(len(pods))


def _another(value: Json) -> Json:
    """Returns another pod of the same name, which has the same wishes and no node."""
    own = ("uid", "deletionTimestamp", "annotations")
    metadata = {name: member for name, member in value["metadata"].items() if name not in own}
    spec = {name: member for name, member in value["spec"].items() if name != "nodeName"}
    metadata["uid"] = _uid(metadata, "asked")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _uid(metadata: Json, why: str) -> str:
    """A uid is of one pod alone, also where another namespace has a pod of that name."""
    return "-".join(filter(None, (metadata.get("namespace"), metadata["name"], why)))


def _pinned(value: Json, node: Json, name: str) -> Json:
    """Returns the pod under this name, on this node or nowhere."""
    field = {"key": "metadata.name", "operator": "In", "values": [node["metadata"]["name"]]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return with_spec(
        with_metadata(named(value, name), uid=name), affinity={"nodeAffinity": {REQUIRED: required}}
    )


def _whole(value: Json, node: Json, name: str) -> Json:
    """Returns a pod that asks for all that the node can allocate, and uses what the given one does."""
    allocatable: Json = node.get("status", {}).get("allocatable", {})
    amounts = {each: amount for each, amount in allocatable.items() if each != "pods"}
    pod = _another(value)
    ports = [port for each in value["spec"]["containers"] for port in each.get("ports", ())]
    asking = limited("whole", amounts)
    spec = {key: each for key, each in pod["spec"].items() if key not in (*_PLACES, "resources", "overhead")}
    spec = {**spec, "containers": [{**asking, **({"ports": ports} if ports else {})}], "initContainers": []}
    return _pinned(with_spec({**pod, "spec": spec}, tolerations=[{"operator": "Exists"}]), node, name)
