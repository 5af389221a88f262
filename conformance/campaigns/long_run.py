# SPDX-License-Identifier: Apache-2.0
"""One long history, judged as it goes.

    python -m conformance.campaigns.long_run --impl WHAT [--steps N] [--seed S]

Inputs depend on the seed alone: nodes and pods are created, updated and deleted, plugins reject, hold and delay
pods, and time passes. The cluster stays small and no history is kept, so that memory does not grow. The run ends
with the first thing that is found wrong, and reports the steps before it.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from attrs import Factory, define

from conformance.vocabulary.objects import HOSTNAME, ZONE, cpu, hosted, node, pod, with_metadata, with_spec
from conformance.vocabulary.scripted import SCRIPTED, script
from conformance.wrong.options import number_from
from refsched.errors import InputError
from refsched.records import Attempt, Bind
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.findings import Finding
from refsched.suite.histories.driver import Driver
from refsched.suite.histories.history import (
    Advance,
    Create,
    History,
    Permit,
    Release,
    Schedule,
    Step,
    Update,
    deleting,
)
from refsched.suite.histories.judge import Judge
from refsched.suite.histories.part import part_of

Json = dict[str, Any]

MOST_NODES = 6
MOST_PODS = 24
REMEMBERED = 40
"""The last steps of a run, which are reported when something is wrong."""

# --- What is put in -------------------------------------------------------------------------------

_WHEN_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_BESIDE_A: Json = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": HOSTNAME}
_SPREAD: Json = {
    "maxSkew": 1,
    "topologyKey": ZONE,
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "a"}},
}
_WANTS: tuple[Json, ...] = (
    *[{}] * 6,
    {"nodeSelector": {"disk": "ssd"}},
    {"affinity": {"podAffinity": {_WHEN_REQUIRED: [_BESIDE_A]}}},
    {"affinity": {"podAntiAffinity": {_WHEN_REQUIRED: [_BESIDE_A]}}},
    {"topologySpreadConstraints": [_SPREAD]},
    {"tolerations": [{"operator": "Exists"}]},
    {"schedulingGates": [{"name": "g"}]},
    {"preemptionPolicy": "Never"},
)
_SCRIPTS = (
    *[()] * 10,
    (("ScriptedA", "reserve", "Unschedulable"),),
    (("ScriptedA", "reserve", "Hold"),),
    (("ScriptedA", "permit", "Wait:5"),),
    (("ScriptedA", "permit", "Wait"), ("ScriptedB", "permit", "Wait:30")),
    (("ScriptedB", "permit", "Error"),),
    (("ScriptedA", "preBind", "Error"),),
    (("ScriptedB", "preBind", "Hold"),),
    (("ScriptedBinder", "bind", "Hold:Error"),),
    (("ScriptedBinder", "bind", "ErrorAfterBound"),),
)


@define
class Cluster:
    """A Cluster is what has been put in so far; of what became of it nothing is known."""

    draw: Random
    nodes: dict[str, Json] = Factory(dict)
    pods: dict[str, Json] = Factory(dict)
    made: int = 0
    deleted: deque[str] = Factory(lambda: deque(maxlen=3))
    """Names of the pods that were deleted last; now and then one of them comes again."""

    holding: set[str] = Factory(set)
    """Names of pods that may be held, also where they were deleted meanwhile."""

    def steps(self) -> Iterator[Step]:
        """Yields steps without end."""
        while True:
            yield from self._happens()

    def _happens(self) -> Iterator[Step]:
        kind = self.draw.choices(
            ("pod", "try", "time", "release", "permit", "update", "delete", "node"),
            (22, 30, 12, 8, 8, 6, 8, 6),
        )[0]
        match kind:
            case "pod" if len(self.pods) < MOST_PODS:
                yield self._pod()
            case "try":
                yield Schedule(self.draw.choice((1, 1, 2, 5)))
            case "time":
                yield Advance(self.draw.choice((1.0, 1.0, 0.5, 2.0, 5.0, 11.0, 31.0, 331.0)))
            case "node":
                yield self._node()
            case _ if self.pods:
                yield from self._to_a_pod(kind, self.draw.choice(list(self.pods)))

    def _to_a_pod(self, kind: str, name: str) -> Iterator[Step]:
        match kind:
            case "release":
                yield from [Release(f"default/{each}") for each in sorted(self.holding) for _ in range(2)]
                self.holding &= self.pods.keys()
            case "permit":
                decision = self.draw.choice(("allow", "allow", "reject"))
                yield from [Permit(f"default/{each}", decision, "") for each in self.pods]
            case "update":
                self.pods[name] = self._changed(self.pods[name])
                yield Update(self.pods[name])
            case _:
                self.deleted.append(name)
                yield deleting(self.pods.pop(name))

    def _pod(self) -> Step:
        draw = self.draw
        self.made += 1
        name = self.deleted.popleft() if self.deleted and draw.random() < 0.1 else f"p{self.made}"
        answers = script(*draw.choice(_SCRIPTS))
        made = pod(
            name,
            cpu(draw.choice(("1", "500m", "2", ""))),
            uid=f"{name}-{self.made}",
            labels=draw.choice(({}, {"app": "a"}, {"app": "b"})),
            priority=draw.choice((0, 0, 5, 10)),
            script=answers,
            **draw.choice(_WANTS),
        )
        if draw.random() < 0.15 and self.nodes:
            made = with_spec(made, nodeName=draw.choice(list(self.nodes)))
            made["status"] = {"startTime": "2025-12-31T01:00:00Z"}
        if "Hold" in str(answers):
            self.holding.add(name)
        self.pods[name] = made
        return Create(made)

    def _changed(self, value: Json) -> Json:
        spec = {name: member for name, member in value["spec"].items() if name != "schedulingGates"}
        match self.draw.randrange(3):
            case 0:
                return with_metadata(value, labels={"app": self.draw.choice("ab")})
            case 1:
                return {**value, "spec": spec}
            case _:
                return with_spec(value, tolerations=[{"operator": "Exists"}])

    def _node(self) -> Step:
        draw = self.draw
        name = f"n{draw.randint(1, MOST_NODES)}"
        if name in self.nodes and draw.random() < 0.4 and len(self.nodes) > 1:
            return deleting(self.nodes.pop(name))
        is_there = name in self.nodes
        self.nodes[name] = hosted(
            node(
                name,
                {"cpu": draw.choice(("2", "4")), "pods": draw.choice(("3", "9"))},
                {ZONE: draw.choice("ab"), **draw.choice(({}, {"disk": "ssd"}))},
                taints=draw.choice(([], [], [], [{"key": "k", "effect": "NoSchedule"}])),
                unschedulable=draw.random() < 0.1,
            )
        )
        return Update(self.nodes[name]) if is_there else Create(self.nodes[name])


# --- The run --------------------------------------------------------------------------------------


@define
class Progress:
    """A Progress is what is counted of a run. A session ends where the implementation made a choice that could
    not be seen when it was made, and the next one begins with an empty cluster. ``last`` are the steps that the
    run ended with."""

    steps: int = 0
    sessions: int = 0
    results: Counter[str] = Factory(Counter)
    last: deque[Step] = Factory(lambda: deque(maxlen=REMEMBERED))
    findings: Sequence[Finding] = ()


def run(what: str, steps: int, seed: int) -> Progress:
    """Runs this many steps. Raises AdapterFault if the implementation does not answer as docs/protocol.md says."""
    progress = Progress()
    with connect(what) as adapter:
        while progress.steps < steps and not progress.findings:
            progress.sessions += 1
            part = part_of(adapter.hello)
            judge = Judge(History((), SCRIPTED), part)
            driver = Driver(adapter.reset(SCRIPTED), part, judge)
            for step in Cluster(Random(f"{seed} {progress.sessions}")).steps():
                _take(driver, step, progress)
                if driver.judgement.ended or progress.steps == steps:
                    break
            progress.findings = driver.judgement.findings
    return progress


def _take(driver: Driver, step: Step, progress: Progress) -> None:
    progress.steps += 1
    progress.last.append(step)
    driver.take(step)
    for seen in driver.judgement.seen:
        if isinstance(seen.record, Attempt | Bind):
            progress.results[f"{seen.record.member} {seen.record.result}"] += 1
    driver.judgement.seen.clear()


# --- The command ----------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0, or 1 where something was found, or 2 where it could not be judged."""
    parser = ArgumentParser(
        prog="conformance.campaigns.long_run", description="One long history, judged as it goes."
    )
    parser.add_argument("--impl", default=REFERENCE, help="what is judged (default: %(default)s)")
    parser.add_argument("--steps", type=number_from(1), default=10_000, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(default: %(default)s)")
    asked = parser.parse_args(arguments)
    began, cpu_began = time.perf_counter(), time.process_time()
    try:
        progress = run(asked.impl, asked.steps, asked.seed)
    except (InputError, AdapterUnavailable, AdapterFault) as problem:
        print(problem, file=sys.stderr)
        return 2
    counts = ", ".join(f"{name} {number:,}" for name, number in sorted(progress.results.items()))
    spent = (
        f"{time.perf_counter() - began:.0f} s, of which {time.process_time() - cpu_began:.0f} s on this side"
    )
    print(f"{progress.steps:,} steps in {progress.sessions:,} sessions, seed {asked.seed}: {counts}; {spent}")
    for step in progress.last if progress.findings else ():
        print(f"  {step}")
    for found in progress.findings:
        print(f"{found.rule} {found.pod} {found.member}: expected {found.expected}, got {found.got}")
    return int(bool(progress.findings))


if __name__ == "__main__":
    sys.exit(main())
