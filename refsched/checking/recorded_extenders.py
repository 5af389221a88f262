# SPDX-License-Identifier: Apache-2.0
"""Recorded extenders: a trace contains the calls of extenders and their answers, so a replay calls no extender.

The call is looked up among the recorded ones. Two calls are the same if they are about the same pod and the
same nodes or victims; the order in which nodes were sent is open. The objects that were sent are compared as
far as scheduling reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, field, frozen

from refsched.checking.agreement import Disagreement
from refsched.checking.trace import Exchange
from refsched.config.types import Extender as ExtenderConfig
from refsched.extenders.extender import Ask, url_of
from refsched.extenders.failures import OK, Failure, no_answer, other_status
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.reading.defaults import PREEMPT_LOWER_PRIORITY

Json = dict[str, Any]


@frozen
class RecordedExtenders:
    """RecordedExtenders have the recorded calls. Equal calls are answered in the order in which they were
    recorded."""

    _recorded: list[Exchange] = field(factory=list)
    _unlike: list[Disagreement] = field(factory=list)

    def add(self, exchanges: Iterable[Exchange]) -> None:
        """Adds the calls that were recorded next."""
        self._recorded.extend(exchanges)

    def reach(self, config: ExtenderConfig) -> Ask:
        """Returns what answers the calls of this extender. A call that was not recorded fails, and is noted."""

        def ask(verb: str, request: Json) -> object:
            question, member = question_of(request), _member(config.url_prefix, verb)
            url = url_of(config.url_prefix, verb)
            for number, exchange in enumerate(self._recorded):
                if (
                    url_of(exchange.extender, exchange.verb) == url
                    and question_of(exchange.request) == question
                ):
                    self._unlike.extend(_differences(member, request, exchange.request))
                    return outcome_of(self._recorded.pop(number))
            self._unlike.append(Disagreement(member, question, None))
            return Failure(f"{config.url_prefix} was not asked this, or not as often")

        return ask

    def nodes_asked_about(self, pod: str) -> Iterator[frozenset[str]]:
        """Yields the nodes of each call about this pod (``namespace/name``) that is recorded and not made yet."""
        for exchange in self._recorded:
            question = question_of(exchange.request)
            nodes = question.get("nodeNames", question.get("nodes"))
            if nodes is not None and question["pod"] == pod:
                yield frozenset(nodes)

    def disagreements(self, over: Iterable[Exchange]) -> list[Disagreement]:
        """Returns the calls since the last call of this method that were made and not recorded, or recorded and
        not made. ``over`` are the calls that should have been made by now."""
        found = list(self._unlike)
        self._unlike.clear()
        for exchange in over:
            number = next((number for number, one in enumerate(self._recorded) if one is exchange), None)
            if number is not None:
                del self._recorded[number]
                member = _member(exchange.extender, exchange.verb)
                found.append(Disagreement(member, None, question_of(exchange.request)))
        return found


def outcome_of(exchange: Exchange) -> object:
    """Returns the outcome of a call as a scheduler sees it: the answer, or a Failure."""
    url = url_of(exchange.extender, exchange.verb)
    if exchange.failed:
        return no_answer(url, exchange.failed)
    return exchange.answer if exchange.status == OK else other_status(url, exchange.verb, exchange.status)


def _member(extender: str, verb: str) -> str:
    return f"asked.{extender}.{verb}"


# --- Questions ------------------------------------------------------------------------------------


def question_of(request: Json) -> Json:
    """Returns what a call is about: the pod, the nodes by name, the victims by node. Raises InputError if the
    request is not a call."""
    if "Pod" not in request:
        return {name: read_as(str, request.get(name, "")) for name in ("PodNamespace", "PodName", "Node")}
    question: Json = {"pod": _key(request["Pod"])}
    if request.get("Nodes") is not None:
        question["nodes"] = sorted(_name(node) for node in _items(request["Nodes"]))
    if request.get("NodeNames") is not None:
        question["nodeNames"] = sorted(read_as(tuple[str, ...], request["NodeNames"]))
    if request.get("NodeNameToVictims") is not None:
        question["victims"] = _victims(request["NodeNameToVictims"], _key)
    if request.get("NodeNameToMetaVictims") is not None:
        question["victims"] = _victims(request["NodeNameToMetaVictims"], _uid)
    return question


def _victims(by_node: object, identify: Callable[[object], str]) -> Json:
    return {
        node: [[identify(pod) for pod in _list(victims.get("Pods"))], victims.get("NumPDBViolations", 0)]
        for node, victims in ((node, _members(value)) for node, value in sorted(_members(by_node).items()))
    }


def _key(pod: object) -> str:
    metadata = _members(_members(pod).get("metadata"))
    return f"{metadata.get('namespace')}/{metadata.get('name')}"


def _name(node: object) -> str:
    return read_as(str, _members(_members(node).get("metadata")).get("name"))


def _uid(pod: object) -> str:
    return read_as(str, _members(pod).get("UID"))


def _items(nodes: object) -> tuple[Any, ...]:
    return _list(_members(nodes).get("items"))


def _members(value: object) -> Mapping[str, Any]:
    return read_as(dict[str, Any], value)


def _list(value: object) -> tuple[Any, ...]:
    return read_as(tuple[Any, ...], () if value is None else value)


# --- What was sent --------------------------------------------------------------------------------


def _differences(member: str, expected: Json, got: Json) -> Iterator[Disagreement]:
    """Yields the differences between two requests of the same call. The uids of two schedulers differ, and are
    not compared."""
    theirs = dict(_sent(got))
    for name, ours in _sent(expected):
        for part in ("metadata", "spec", "status"):
            wanted, found = getattr(ours, part), getattr(theirs[name], part)
            if wanted != found:
                yield Disagreement(f"{member}.{name}.{part}", wanted, found)


def _sent(request: Json) -> Iterator[tuple[str, Pod | Node]]:
    if request.get("Pod") is not None:
        yield _pod(request["Pod"])
    for victims in _members(request.get("NodeNameToVictims") or {}).values():
        yield from (_pod(pod) for pod in _list(_members(victims).get("Pods")))
    if request.get("Nodes") is not None:
        for value in _items(request["Nodes"]):
            node = read_as(Node, value)
            yield f"Node {node.name}", evolve(node, metadata=evolve(node.metadata, uid=""))


def _pod(value: object) -> tuple[str, Pod]:
    """Returns a pod as it is compared. Defaults that admission sets are taken as set. The message of a condition
    is compared with the attempt, not here."""
    pod = read_as(Pod, value)
    policy = pod.spec.preemption_policy or PREEMPT_LOWER_PRIORITY
    spec = evolve(pod.spec, priority=pod.spec.priority or 0, preemption_policy=policy)
    conditions = tuple(evolve(condition, message="") for condition in pod.status.conditions)
    status = evolve(pod.status, conditions=conditions)
    return f"Pod {pod.key}", evolve(pod, spec=spec, status=status, metadata=evolve(pod.metadata, uid=""))
