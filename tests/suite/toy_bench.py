# SPDX-License-Identifier: Apache-2.0
"""A small world to run the suite in: one node, pods of 0 to 9 cpu, and schedulers that are wrong in known ways.

The rules: a pod of more than 3 cpu fits nowhere (R-TOY-01); what does not fit is reported by NodeResourcesFit
(R-TOY-02); in which words (R-TOY-03, observed only); and one that is never decided.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from refsched.records import Attempt, NodeStatus
from refsched.suite.adapters.answers import Hello
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.findings import Finding, Seen
from refsched.suite.histories.history import Create, History, Observe, Schedule, Step, creating
from refsched.suite.histories.judgement import Judgement
from refsched.suite.level import Level
from refsched.suite.results.rule import Rule

ROOM = 3
ASKED: list[int] = []
"""What every pod that was to be placed asked for."""

RULES = (
    Rule("R-TOY-01", "A pod of more than 3 cpu fits nowhere.", source="toy.go, fits"),
    Rule("R-TOY-02", "What does not fit is reported by its plugin.", source="toy.go, tell"),
    Rule("R-TOY-03", "The reason names the resource.", level="observed", source="toy.go, tell"),
    Rule("R-IDLE-01", "Nothing ever decides this."),
)
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": ROOM}},
}


def pod(name: str, cpu: int) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container]},
    }


def history_of(amounts: list[int]) -> History:
    steps: list[Step] = list(creating(NODE))
    for number, cpu in enumerate(amounts):
        steps += [*creating(pod(f"p{number + 1}", cpu)), Schedule()]
    return History((*steps, Observe()))


HISTORIES = st.lists(st.integers(0, 9), min_size=1, max_size=8).map(history_of)


@define(eq=False)
class Toy:
    """``told`` is how often a pod that does not fit was answered."""

    what: str
    hello: Hello
    reported: int = 0

    def close(self) -> None:
        pass

    def answer(self, cpu: int) -> tuple[str, NodeStatus]:
        """The result, and the status of the one node."""
        ASKED.append(cpu)
        time.sleep({"wrong-and-slow": 0.1, "api:slow": 1.5}.get(self.what, 0.0))
        if self.what == "warns":
            warnings.warn("this is deprecated", DeprecationWarning, stacklevel=1)
        fits = cpu <= (ROOM + 2 if self.what.startswith("wrong") else ROOM)
        fits = fits or (cpu == 9 and self.what == "hides")
        if cpu == 0 and self.what == "refuses-zero":
            return "unschedulable", NodeStatus("Unschedulable", "NodeName", ("Insufficient cpu",))
        if fits:
            return "scheduled", NodeStatus("Success")
        self.reported += 1
        if self.what == "dies":
            raise AdapterFault("dies", "it ended with exit code 3", {"schedule": {}})
        if self.what == "breaks-the-suite":
            raise ZeroDivisionError("a bug of the judge")
        if self.what == "fickle" and self.reported == 3:
            return "scheduled", NodeStatus("Success")
        plugin = "NodeName" if self.what in ("wrong", "wrong-and-slow", "misnames") else "NodeResourcesFit"
        reason = "too big" if self.what in ("words", "hides") else "Insufficient cpu"
        return "unschedulable", NodeStatus("Unschedulable", plugin, (reason,))


class ToyBench:
    rules: Mapping[str, Rule] = {rule.id: rule for rule in RULES}
    areas: Mapping[str, Callable[[], SearchStrategy[History]]] = {"toys": lambda: HISTORIES}

    def holding(self, connection: Any) -> frozenset[str]:
        return frozenset(self.rules)

    def lacks(self, connection: Any) -> Mapping[str, str]:
        return {}

    def connect(self, what: str, timeout: float, only: str = "") -> Toy:
        if what == "missing":
            raise AdapterUnavailable(what, "there is no such program; install it")
        claims = {"claims-nothing": (), "modest": ("queue",)}.get(what, ("filter", "queue"))
        return Toy(what, Hello(what, "1.0", "1.34", frozenset(claims)))

    def chosen(self, test: str) -> Sequence[History]:
        return ()

    def applied(self, connection: Any, history: History) -> frozenset[str]:
        """Returns the more rules, the more steps there are."""
        return frozenset([*self.rules][: len(history.steps) // 2])

    def judge(self, connection: Toy, history: History, level: Level = Level.ALL) -> Judgement:
        if connection.what == "diverges":
            return Judgement(history, ended="it has diverged")
        seen: list[Seen] = []
        decisive = {"R-TOY-01": 0, "R-TOY-02": 0, "R-TOY-03": 0}
        waiting = ("", 0)
        for index, step in enumerate(history.steps):
            if isinstance(step, Create) and step.object["kind"] == "Pod":
                request = step.object["spec"]["containers"][0]["resources"]["requests"]["cpu"]
                waiting = step.object["metadata"]["name"], request
            if not isinstance(step, Schedule):
                continue
            name, cpu = waiting
            result, status = connection.answer(cpu)
            node = "n1" if result == "scheduled" else None
            seen.append(Seen(index, 0.0, Attempt(f"default/{name}", result, node, filter={"n1": status})))
            decisive["R-TOY-01"] += 1
            findings = [
                finding
                for finding in self._findings(index, f"default/{name}", cpu, result, status, decisive)
                if level.counts(self.rules[finding.rule].level)
            ]
            if findings:
                return Judgement(history, seen, findings, decisive, len(seen), len(seen) - 1)
        return Judgement(history, seen, [], decisive, len(seen), len(seen))

    def _findings(
        self, step: int, name: str, cpu: int, result: str, status: NodeStatus, decisive: dict[str, int]
    ) -> Any:
        expected = "scheduled" if cpu <= ROOM else "unschedulable"
        if result != expected:
            yield Finding("R-TOY-01", "result", expected, result, name, step)
        if status.code == "Success":
            return
        decisive["R-TOY-02"] += 1
        decisive["R-TOY-03"] += 1
        right = NodeStatus("Unschedulable", "NodeResourcesFit", ("Insufficient cpu",))
        if status.plugin != right.plugin:
            yield Finding("R-TOY-02", "filter.n1", right, status, name, step)
        if status.reasons != right.reasons:
            yield Finding("R-TOY-03", "filter.n1.reasons", right.reasons, status.reasons, name, step)
