# SPDX-License-Identifier: Apache-2.0
"""Trials: what becomes of a cluster under one seed, up to the end at which nothing changes any more.

Victims of preemption ask for a place again, as their controllers would create them anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, evolve, frozen

from refsched.framework.node_info import PodInfo
from refsched.machine.scheduler import Scheduler
from refsched.machine.state import SchedulerState
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.resources import CPU, MEMORY, amount
from refsched.records import Attempt
from refsched.remembering.kinds import one_of_each
from refsched.remembering.noted_choices import NotedChoices
from refsched.tools.planner.cluster import MOMENT, Census, census_of, in_turn, show, why_gated
from refsched.tools.planner.edits import pods_of, waiting_again
from refsched.tools.planner.held_choices import HeldChoices, HeldSearch
from refsched.tools.planner.own_claims import create_with_claims
from refsched.tools.planner.planning import Planning
from refsched.tools.planner.rejections import rejections_of

ROUNDS = 5
"""Victims of victims are followed this many times: each has a lower priority than the one that took its place."""


@frozen
class SeedTrial:
    """A SeedTrial has what became of each pod that asked for a place: its node, or ``""``. ``why`` says why a pod
    is not where it is expected to be. ``victims`` are the pods that were preempted, with the node of each in the
    end. ``used`` is by node the larger of the shares of its cpu and its memory that are requested, in percent."""

    nodes: Mapping[str, str]
    why: Mapping[str, str]
    victims: Mapping[str, str]
    used: Mapping[str, int]


@define(eq=False)
class Prepared:
    """A Prepared is a scheduler that was shown the objects, and remembers what many trials ask."""

    scheduler: Scheduler
    objects: Sequence[ApiObject]
    census: Census
    pods: Mapping[str, Pod]

    def try_out(self, seed: int, expected: Mapping[str, str]) -> SeedTrial:
        """Goes on to the end. ``expected`` has the nodes to which pods go in the cluster that this one is compared
        with: it is said why a pod of these goes elsewhere, and why any other one goes nowhere. It can be called
        once: the scheduler has then another state."""
        state = self.scheduler.state
        state.choices = chosen = NotedChoices(HeldChoices(seed))
        state.search = HeldSearch(state.search, seed)
        why: dict[str, str] = {}

        def note(attempt: Attempt) -> None:
            node = expected.get(attempt.pod)
            as_expected = attempt.node is not None if node is None else attempt.node == (node or None)
            if as_expected:
                why[attempt.pod] = ""
            elif attempt.node and node and state.objects.get(Node, node) is None:
                why[attempt.pod] = f"{node} was deleted"
            else:
                why[attempt.pod] = _why(attempt, node or "")

        run = Planning(self.scheduler, self.census, chosen, lambda placed: None, note)
        run.to_the_end()
        created: dict[str, Pod] = {}
        for _ in range(ROUNDS):
            again = [each.pod for each in run.preempted if self._node(each.pod) is None]
            if not again:
                break
            for key in again:
                created[key] = self._create_again(created.get(key) or self.pods[key])
            run.to_the_end()
        nodes = {key: self._node(key) or "" for key in self.census.pending}
        for key, pod in self.census.pending.items():
            gated = why_gated(self.scheduler, pod)
            if gated is not None:
                why[key] = gated.message
        for each in run.preempted:
            why[each.pod] = "; ".join(
                filter(None, (f"preempted from {each.node} for {each.by}", why.get(each.pod)))
            )
        victims = {each.pod: self._node(each.pod) or "" for each in run.preempted}
        return SeedTrial(nodes, {key: said for key, said in why.items() if said}, victims, self._used())

    def _node(self, key: str) -> str | None:
        """Returns the pod's node, or None if the pod was deleted."""
        namespace, _, name = key.partition("/")
        pod = self.scheduler.state.api.get(Pod, name, namespace)
        return None if pod is None else pod.spec.node_name

    def _create_again(self, victim: Pod) -> Pod:
        pod = waiting_again(victim)
        pod = evolve(pod, metadata=evolve(pod.metadata, uid=f"{victim.uid}-again"))
        return create_with_claims(self.scheduler, pod)

    def _used(self) -> dict[str, int]:
        """Returns the larger share of cpu and memory that is requested of each node, in percent."""
        return {
            node.name: max(
                100 * amount(node.requested, resource) // (amount(node.allocatable, resource) or 1)
                for resource in (CPU, MEMORY)
            )
            for node in self.scheduler.state.snapshot().nodes
        }


def prepare(scheduler: Scheduler, objects: Sequence[ApiObject]) -> Prepared:
    """Shows a cluster to a scheduler that has seen nothing yet."""
    census = show(scheduler, objects)
    return _asked(Prepared(scheduler, objects, census, pods_of(objects)))


def changed(before: Prepared, objects: Sequence[ApiObject]) -> Prepared:
    """Shows the scheduler what is different in these objects, if no pod was tried yet. A pod that loses its node
    is deleted and created anew, and so is a claim."""
    scheduler = before.scheduler
    shown = {(type(each), each.key): each for each in before.objects}
    new = {(type(each), each.key): each for each in objects}
    for what, old in reversed(list(shown.items())):
        if new.get(what) is old:
            continue
        if what not in new or not isinstance(old, Node):
            scheduler.delete(type(old), old.name, old.namespace)
            del shown[what]
    for each in in_turn(objects):
        if each is None:
            scheduler.advance(MOMENT)
        elif (type(each), each.key) not in shown:
            scheduler.create(each)
        elif shown[type(each), each.key] is not each:
            scheduler.update(each)
    return _asked(Prepared(scheduler, objects, census_of(scheduler, objects), pods_of(objects)))


def differ_in_nodes_and_pods(one: Iterable[ApiObject], other: Iterable[ApiObject]) -> bool:
    """Returns whether all else is the same in both."""

    def rest(objects: Iterable[ApiObject]) -> list[ApiObject]:
        return [each for each in objects if not isinstance(each, Node | Pod)]

    return rest(one) == rest(other)


def _asked(prepared: Prepared) -> Prepared:
    """Asks the plugins about each kind of pod on each node, so that every trial remembers it."""
    for pod in one_of_each(prepared.census.pending.values()):
        if why_gated(prepared.scheduler, pod) is None:
            _ask_of_all_nodes(prepared.scheduler.state, pod)
    return prepared


def _ask_of_all_nodes(state: SchedulerState, pod: Pod) -> None:
    """Decides with one search after the other. A single search for all feasible nodes would score them with
    weights that no attempt uses."""
    framework, snapshot, start = state.profiles[pod.spec.scheduler_name], state.snapshot(), 0
    while start < len(snapshot.nodes):
        decision = state.decider(
            framework,
            snapshot,
            state.queue.nominated_pods_for_node,
            start=start,
            percentage=framework.percentage_of_nodes_to_score,
            search=state.search,
        ).decide(PodInfo(pod))
        if not decision.surplus:
            break
        start += decision.processed


def _why(attempt: Attempt, expected: str) -> str:
    """Returns why the pod went nowhere, or why not to the node that was expected: that node is rejected, or has a
    lower total, or was not evaluated. The rule of a rejection is named."""
    if attempt.node is None:
        rejections = rejections_of(attempt, ())
        reasons = [f"{each.plugin}: {each.reason}{_rule(each.reason)}" for each in rejections[:2]]
        return "; ".join(reasons) or attempt.message or ""
    if not expected or attempt.node == expected:
        return ""
    status = (attempt.filter or {}).get(expected)
    if status is not None and status.code != "Success":
        reason = next(iter(status.reasons), "")
        return f"{status.plugin} rejects {expected}: {reason}{_rule(reason)}"
    totals = attempt.totals or {}
    if expected not in totals:
        return f"{expected} was not evaluated: enough other nodes were feasible"
    if totals[expected] == totals[attempt.node]:
        return f"{expected} has the same total of {totals[expected]}"
    return _scores(attempt, expected, attempt.node)


def _scores(attempt: Attempt, expected: str, taken: str) -> str:
    """Returns by which plugin's score the node that was taken is ahead most."""
    totals, scores = attempt.totals or {}, attempt.scores or {}
    ahead = {
        plugin: score - scores.get(expected, {}).get(plugin, 0)
        for plugin, score in scores.get(taken, {}).items()
    }
    most = max(ahead, key=lambda plugin: ahead[plugin], default="")
    why = f" (most by {most}, +{ahead[most]})" if most else ""
    return f"total {totals[taken]} on {taken}, {totals[expected]} on {expected}{why}"


def _rule(reason: object) -> str:
    rule = getattr(reason, "rule", "")
    return f" ({rule})" if rule else ""


def as_json(trial: SeedTrial) -> dict[str, Any]:
    return {"nodes": trial.nodes, "why": trial.why, "victims": trial.victims, "used": trial.used}
