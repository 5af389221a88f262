# SPDX-License-Identifier: Apache-2.0
"""Extender: the calls of the scheduler to an extender, and what it does with the answers.

How a call is transmitted is not known here: ``ask`` is given from outside (refsched/processes/http/over_http.py).

Promised: what is asked and answered is documented with the API of extenders, k8s.io/kube-scheduler/extender/v1.
Shows in: extenders.
Source: pkg/scheduler/extender.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import field, frozen

from refsched.config.types import Extender as ExtenderConfig
from refsched.errors import InputError
from refsched.extenders.failures import Failure, no_answer
from refsched.extenders.wire import (
    FilterResult,
    MetaVictims,
    binding_args,
    extender_args,
    preemption_args,
    read_binding_result,
    read_filter_result,
    read_host_priorities,
    read_preemption_result,
)
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, error, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Container
from refsched.preemption.candidate import Candidate
from refsched.rules import ErrorReason, applies

NOT_SENT = ErrorReason(
    'extender "{}" claims a filtered node "{}" which is not found in the input node list', "R-EXTENDER-02"
)
NO_SUCH_NODE = ErrorReason('nodeinfo not found for node name "{}"', "R-EXTENDER-06")
NO_SUCH_VICTIM = ErrorReason(
    "extender: {} claims to preempt pod (UID: &{{{}}}) on node: {}, but the pod is not found on that node",
    "R-EXTENDER-06",
)
UNREADABLE = ErrorReason("json: cannot unmarshal the answer to {}: {}", "R-EXTENDER-08")

T = TypeVar("T")


Ask = Callable[[str, dict[str, Any]], object]
"""An Ask takes (verb, request) and returns the answer, both JSON as Python values, or a Failure."""


def url_of(prefix: str, verb: str) -> str:
    return f"{prefix.rstrip('/')}/{verb}"


def nobody(config: ExtenderConfig) -> Ask:
    """Returns an Ask for an extender that cannot be reached: each call fails."""
    return lambda verb, request: no_answer(url_of(config.url_prefix, verb), "nobody is there")


_SCORE_SCALE = 10
"""A score of an extender (0..10) is multiplied by this: MaxNodeScore / MaxExtenderPriority."""


@frozen
class Filtered:
    """Filtered has the nodes that are left, and the statuses of those that are not."""

    nodes: tuple[NodeInfo, ...]
    rejected: Mapping[str, Status] = field(factory=dict)


@frozen
class Extender:
    """An Extender is one extender of the configuration. If a method returns a Status, the call failed."""

    config: ExtenderConfig
    ask: Ask = field(eq=False)

    @property
    def name(self) -> str:
        """Returns the name under which its scores are reported."""
        return self.config.url_prefix

    @property
    def is_ignorable(self) -> bool:
        return self.config.ignorable

    @property
    def is_filter(self) -> bool:
        return bool(self.config.filter_verb)

    @property
    def is_prioritizer(self) -> bool:
        return bool(self.config.prioritize_verb)

    @property
    def is_binder(self) -> bool:
        return bool(self.config.bind_verb)

    @property
    def supports_preemption(self) -> bool:
        return bool(self.config.preempt_verb)

    def is_interested(self, pod: PodInfo) -> bool:
        """R-EXTENDER-01: An extender that manages resources is called only for a pod with a container, or an init
        container, that requests or limits one of them; overhead and pod-level requests do not count."""
        managed = {resource.name for resource in self.config.managed_resources}
        applies("R-EXTENDER-01", when=managed)
        spec = pod.pod.spec
        return not managed or any(_uses(c, managed) for c in (*spec.containers, *spec.init_containers))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Filtered | Status:
        """R-EXTENDER-02: The nodes that an extender's filter answer names remain feasible, in the order of the
        answer; an extender that is sent names may answer only names that it was sent.
        R-EXTENDER-04: A node that an extender lists both as failed and as failed and unresolvable is rejected as
        UnschedulableAndUnresolvable."""
        if not self.is_filter:
            return Filtered(tuple(nodes))
        result = self._ask(self.config.filter_verb, self._args(pod, nodes), self._read_filter_result)
        if isinstance(result, Status):
            return result
        if result.error:
            return error(result.error)
        rejected = {node: unschedulable(why) for node, why in result.failed_nodes.items()}
        rejected |= {node: unresolvable(why) for node, why in result.failed_and_unresolvable_nodes.items()}
        applies(
            "R-EXTENDER-04", when=result.failed_nodes.keys() & result.failed_and_unresolvable_nodes.keys()
        )
        applies("R-EXTENDER-02")
        if self.config.node_cache_capable and result.node_names is not None:
            given = {node.name: node for node in nodes}
            for name in result.node_names:
                if name not in given:
                    return error(NOT_SENT.of(self.name, name))
            return Filtered(tuple(given[name] for name in result.node_names), rejected)
        return Filtered(tuple(self._sent_back(node) for node in result.nodes or ()), rejected)

    def _read_filter_result(self, answer: object) -> FilterResult:
        return read_filter_result(answer)

    def _sent_back(self, node: Node) -> NodeInfo:
        """R-EXTENDER-03 (observed: what a node that was sent back lacks is an accident): Nodes that an extender
        sends back as objects are used as they were sent: without pods, and without image states."""
        applies("R-EXTENDER-03")
        return NodeInfo.without_pods(node)

    # --- Prioritize -------------------------------------------------------------------------------

    def prioritize(self, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Mapping[str, int] | Status:
        """R-EXTENDER-05 (needs score): An extender's score of a node is multiplied by the extender's weight and by
        10; the scores of a node that is named twice add up."""
        if not self.is_prioritizer:
            return {node.name: 0 for node in nodes}
        hosts = self._ask(self.config.prioritize_verb, self._args(pod, nodes), read_host_priorities)
        if isinstance(hosts, Status):
            return hosts
        applies("R-EXTENDER-05")
        scores: dict[str, int] = {}
        for host, score in hosts:
            scores[host] = scores.get(host, 0) + score * self.config.weight * _SCORE_SCALE
        return scores

    # --- Preempt ----------------------------------------------------------------------------------

    def process_preemption(
        self, pod: PodInfo, candidates: Mapping[str, Candidate], snapshot: Snapshot
    ) -> Mapping[str, Candidate] | Status:
        """R-EXTENDER-06 (needs preemption): An extender that processes preemption names victims by their uid, on
        any node that exists; the call fails if a node, or a pod with that uid on the node, does not exist."""
        args = preemption_args(pod.pod, candidates, by_uid=self.config.node_cache_capable)
        named = self._ask(self.config.preempt_verb, args, read_preemption_result)
        if isinstance(named, Status):
            return named
        applies("R-EXTENDER-06")
        found: dict[str, Candidate] = {}
        for name, victims in named.items():
            node = snapshot.get(name)
            if node is None:
                return error(NO_SUCH_NODE.of(name))
            candidate = self._candidate(node, victims)
            if isinstance(candidate, Status):
                return candidate
            found[name] = candidate
        return found

    def _candidate(self, node: NodeInfo, victims: MetaVictims) -> Candidate | Status:
        by_uid = {pod.pod.uid: pod for pod in reversed(node.pods)}
        for uid in victims.pods:
            if uid not in by_uid:
                return error(NO_SUCH_VICTIM.of(self.name, uid, node.name))
        return Candidate(node.name, tuple(by_uid[uid] for uid in victims.pods), victims.num_pdb_violations)

    # --- Bind -------------------------------------------------------------------------------------

    def bind(self, pod: PodInfo, node: str) -> Status | None:
        """R-EXTENDER-07: An extender with a bind verb binds the pod itself, and an error in its answer fails the
        binding."""
        applies("R-EXTENDER-07")
        rejection = self._ask(self.config.bind_verb, binding_args(pod.pod, node), read_binding_result)
        if isinstance(rejection, Status):
            return rejection
        return error(rejection) if rejection else None

    # --- Asking -----------------------------------------------------------------------------------

    def _args(self, pod: PodInfo, nodes: Sequence[NodeInfo]) -> dict[str, Any]:
        by_name = self.config.node_cache_capable
        return extender_args(pod.pod, [node.existing_node for node in nodes], by_name=by_name)

    def _ask(self, verb: str, request: dict[str, Any], read: Callable[[object], T]) -> T | Status:
        """R-EXTENDER-08: A call to an extender fails if the answer cannot be read."""
        answer = self.ask(verb, request)
        if isinstance(answer, Failure):
            return error(answer.message)
        try:
            return read(answer)
        except InputError as problem:
            return error(UNREADABLE.of(verb, problem))


def _uses(container: Container, managed: set[str]) -> bool:
    resources = container.resources
    return not managed.isdisjoint(resources.requests) or not managed.isdisjoint(resources.limits)
