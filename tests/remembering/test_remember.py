# SPDX-License-Identifier: Apache-2.0
"""A scheduler with a memory and one without decide the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pair import Pair, maker_of

from refsched.checking.trace import read_trace
from refsched.errors import InputError
from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.reading.configuration.read import read_config
from refsched.records import Advance, Attempt, Create, Delete, Input, Reference, Update
from refsched.releases import DEFAULT, release_of
from refsched.remembering import remember
from refsched.remembering.framework import Memory

Json = dict[str, Any]
TRACES = Path(__file__).parents[2] / "traces"
SAMPLE = sorted(
    [*TRACES.glob("kube-scheduler-*/*-00[08].jsonl.gz"), *TRACES.glob("recorded-*/*/*-002.jsonl.gz")]
)
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


# --- Histories ------------------------------------------------------------------------------------


def node(random: Random, number: int) -> Json:
    labels = {HOST: f"n{number}"}
    if random.random() < 0.9:
        labels[ZONE] = f"z{random.randrange(3)}"
    effect = random.choice(["NoSchedule", "PreferNoSchedule", "PreferNoSchedule"])
    taints = [{"key": "t", "value": "v", "effect": effect}] if random.random() < 0.3 else []
    images = [{"names": ["i:latest"], "sizeBytes": 3 * 10**8}] if random.random() < 0.5 else []
    has = {"cpu": str(random.randrange(2, 6)), "memory": "8Gi", "pods": "10"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{number}", "labels": labels},
        "spec": {"taints": taints, "unschedulable": random.random() < 0.05},
        "status": {"allocatable": has, "capacity": has, "images": images},
    }


def affinity(app: str, key: str, kind: str, *, required: bool) -> Json:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    if required:
        return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    weighted = [{"weight": 7, "podAffinityTerm": term}]
    return {"affinity": {kind: {"preferredDuringSchedulingIgnoredDuringExecution": weighted}}}


def spread(app: str, *constraints: tuple[str, str]) -> Json:
    selector = {"matchLabels": {"app": app}}
    return {
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": action, "labelSelector": selector}
            for key, action in constraints
        ]
    }


def specs(app: str) -> tuple[Json, ...]:
    return (
        {},
        {},
        {"priority": 10},
        {"priority": 10, "nodeSelector": {ZONE: "z1"}},
        {"tolerations": [{"operator": "Exists"}]},
        spread(app, (ZONE, "DoNotSchedule")),
        spread(app, (ZONE, "DoNotSchedule"), (HOST, "ScheduleAnyway")),
        spread(app, (HOST, "DoNotSchedule"), (ZONE, "ScheduleAnyway")),
        affinity(app, HOST, "podAntiAffinity", required=True),
        affinity(app, ZONE, "podAffinity", required=True),
        affinity(app, ZONE, "podAntiAffinity", required=False),
        affinity("a0", ZONE, "podAffinity", required=False),
    )


def pod(random: Random, number: int) -> Json:
    app = f"a{random.randrange(3)}"
    asked = {"cpu": f"{random.choice([100, 100, 500, 1500])}m", "memory": "256Mi"}
    ports = [{"containerPort": 80, "hostPort": 80}] if random.random() < 0.1 else []
    container = {"name": "c", "image": "i", "resources": {"requests": asked}, "ports": ports}
    if random.random() < 0.1:
        del container["resources"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p{number}", "namespace": "default", "labels": {"app": app}},
        "spec": {"containers": [container], **random.choice(specs(app))},
    }


def history(random: Random) -> Iterator[Input | None]:
    """None stands for an attempt."""
    nodes = [node(random, number) for number in range(random.choice([4, 8, 130]))]
    yield from (Create(each) for each in nodes)
    pods = 0
    for _ in range(90):
        match random.randrange(12):
            case 0:
                number = random.randrange(len(nodes))
                yield Update(node(random, number))
            case 1:
                yield Delete(Reference("Node", f"n{random.randrange(len(nodes))}"))
            case 2:
                yield Create(node(random, random.randrange(len(nodes))))
            case 3 if pods:
                yield Delete(Reference("Pod", f"p{random.randrange(pods)}", namespace="default"))
            case 4:
                yield Advance(random.choice([1.0, 30.0, 400.0]))
            case 5 | 6 | 7:
                yield Create(pod(random, pods))
                pods += 1
            case _:
                yield None


@pytest.mark.parametrize("kubernetes", ["1.34", "1.19"])
@pytest.mark.parametrize("seed", range(5))
def test_histories_come_out_the_same(seed: int, kubernetes: str) -> None:
    release = release_of(kubernetes)
    api_version = "v1" if kubernetes == "1.34" else "v1beta1"
    config = {
        "apiVersion": f"kubescheduler.config.k8s.io/{api_version}",
        "kind": "KubeSchedulerConfiguration",
    }
    pair = Pair(lambda: scheduler_of(read_config(config, release), SeededChoices(seed), release=release))
    pair.run(history(Random(seed)))
    assert pair.attempts > 10


# --- Traces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: f"{path.parent.name} {path.name}")
def test_traces_come_out_the_same(path: Path) -> None:
    trace = read_trace(path)
    make = maker_of(trace.header)
    if make is None:
        return
    pair = Pair(make)
    for entry in trace.entries:
        if isinstance(entry.record, Input):
            pair.apply(entry.record)
        elif isinstance(entry.record, Attempt):
            pair.schedule()


# --- That it is remembered, and when it is not ----------------------------------------------------


def test_a_search_that_would_begin_behind_the_last_node_begins_as_far_behind_the_first() -> None:
    """A search that ends with one node begins behind it the next time; meanwhile nodes are deleted."""
    nothing = {"disabled": [{"name": "*"}]}
    profile = {"schedulerName": "default-scheduler", "plugins": {"preScore": nothing, "score": nothing}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }
    pair = Pair(lambda: scheduler_of(read_config(config, DEFAULT), SeededChoices(0), release=DEFAULT))
    random = Random(0)
    for number in range(5):
        pair.apply(Create(node(random, number)))
    small = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1m"}}}]}
    large = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1000"}}}]}
    for index, spec in enumerate((small, small, small, large)):
        if index == 3:
            for number in range(3):
                pair.apply(Delete(Reference("Node", f"n{number}", "v1")))
        metadata = {"name": f"p{index}", "namespace": "default"}
        pair.apply(Create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}))
        pair.schedule()
    assert pair.attempts == 4


def machine() -> Scheduler:
    release = release_of("1.34")
    kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return scheduler_of(read_config(kind, release), SeededChoices(0), release=release)


def test_a_variable_takes_the_memory_away_or_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(getattr(remember(machine()).state.search, "__self__", None), Memory)
    assert not hasattr(remember(machine(), by_default=False).state.search, "__self__")
    monkeypatch.setenv("REFSCHED_REMEMBERING", "off")
    assert not hasattr(remember(machine()).state.search, "__self__")
    monkeypatch.setenv("REFSCHED_REMEMBERING", "on")
    assert hasattr(remember(machine(), by_default=False).state.search, "__self__")
    monkeypatch.setenv("REFSCHED_REMEMBERING", "perhaps")
    with pytest.raises(InputError, match="REFSCHED_REMEMBERING: expected on or off, found 'perhaps'"):
        remember(machine())
