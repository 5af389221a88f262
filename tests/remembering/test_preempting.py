# SPDX-License-Identifier: Apache-2.0
"""Dry runs of preemption come out the same with a memory, and ask only about nodes that changed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from pair import Pair

from refsched.framework.choices import SeededChoices
from refsched.framework.node_info import NodeInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.oddities.known_defects import AS_PROMISED
from refsched.preemption import victims
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.records import Advance, Create, Delete, Input, Reference
from refsched.remembering import remember

Json = dict[str, Any]
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def node(number: int, cpu: int = 2) -> Json:
    has = {"cpu": str(cpu), "memory": "8Gi", "pods": "10"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": f"n{number}",
            "labels": {"zone": f"z{number % 2}", "kubernetes.io/hostname": f"n{number}"},
        },
        "status": {"allocatable": has, "capacity": has},
    }


def pod(name: str, spec: Json, started: str = "", cpu: str = "1", app: str = "a") -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": app}},
        "spec": {"containers": [container], **spec},
        "status": {"startTime": started} if started else {},
    }


def budget(random: Random) -> Json:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}},
        "status": {"disruptionsAllowed": random.randrange(3)},
    }


def apart() -> Json:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "b"}}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def history(random: Random) -> Iterator[Input | None]:
    """Nodes that are full, and pods that outrank those there. None stands for an attempt."""
    started = random.choice(["", "2026-01-01T00:00:00Z", None])
    count = random.choice([6, 120])
    for number in range(count):
        yield Create(node(number))
        for place in "xy":
            began = random.choice(["", "2026-01-01T00:00:07Z"]) if started is None else started
            spec = {"nodeName": f"n{number}", "priority": random.randrange(3)}
            yield Create(pod(f"r{number}{place}", spec, began, app=random.choice("ab")))
    for step in range(40):
        match random.randrange(9):
            case 0:
                yield Advance(random.choice([1.0, 30.0]))
            case 1:
                yield (
                    Create(budget(random))
                    if random.random() < 0.7
                    else Delete(Reference("PodDisruptionBudget", "b", "policy/v1", "default"))
                )
            case 2:
                yield Delete(
                    Reference("Pod", f"r{random.randrange(count)}{random.choice('xy')}", namespace="default")
                )
            case 3 | 4 | 5:
                spec = random.choice([{}, {}, {}, {"nodeSelector": {"zone": "z1"}}, {"affinity": apart()}])
                yield Create(
                    pod(f"p{step}", {"priority": random.choice([2, 9, 9]), **spec}, cpu=random.choice("112"))
                )
            case _:
                yield None


@pytest.mark.parametrize("with_oddities", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_preemptions_come_out_the_same(seed: int, with_oddities: bool) -> None:
    oddities = None if with_oddities else AS_PROMISED
    pair = Pair(lambda: scheduler_of(read_config(CONFIG), SeededChoices(seed), oddities=oddities))
    pair.run(history(Random(seed)))
    assert pair.attempts > 3


def _asked(
    monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler, started: tuple[str, str], spec: Json
) -> list[int]:
    """On how many nodes the dry run of each of two preemptors asks the specification."""
    asked: list[str] = []

    class Counted(victims.Trial):
        def __init__(self, context: PostFilterContext, node: NodeInfo) -> None:
            asked.append(node.name)
            super().__init__(context, node)

    monkeypatch.setattr(victims, "Trial", Counted)
    inputs = InputReader(scheduler)
    for number in range(20):
        inputs.apply(Create(node(number)))
        for place, began in zip("xy", started, strict=True):
            inputs.apply(Create(pod(f"r{number}{place}", {"nodeName": f"n{number}"}, began)))
    counts = []
    for name in ("p", "q"):
        inputs.apply(Create(pod(name, {"priority": 9, **spec})))
        scheduler.schedule()
        counts.append(len(asked))
        asked.clear()
    return counts


TIMES = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")


@pytest.mark.parametrize(
    ("started", "spec", "second"),
    [
        (("", ""), {}, 1),
        (TIMES, {}, 1),
        (("", TIMES[0]), {}, 20),
        (("", ""), {"affinity": apart()}, 20),
    ],
    ids=["no times", "all times", "the clock has a say", "a plugin follows pods that are removed"],
)
def test_a_second_preemptor_of_the_kind_asks_only_about_nodes_that_changed(
    monkeypatch: pytest.MonkeyPatch, started: tuple[str, str], spec: Json, second: int
) -> None:
    scheduler = remember(scheduler_of(read_config(CONFIG), SeededChoices(0)))
    counts = _asked(monkeypatch, scheduler, started, spec)
    assert counts[0] == 20
    assert counts[1] == second, "the node of the first is nominated, and asked about anew"


def test_what_is_chosen_is_chosen_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made = scheduler_of(read_config(CONFIG), SeededChoices(0), oddities=AS_PROMISED)
    assert _asked(monkeypatch, remember(made), ("", ""), {})[1] >= 20
