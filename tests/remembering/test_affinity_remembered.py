# SPDX-License-Identifier: Apache-2.0
"""Affinity is remembered by the domains in which something else is counted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from pair import Pair

from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.plugins.inter_pod_affinity import Filtering, InterPodAffinity
from refsched.plugins.topology_counts import TopologyCounts
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.records import Create, Delete, Input, Reference, Update
from refsched.releases import release_of
from refsched.remembering import remember
from refsched.remembering.answers import READ_WHOLE
from refsched.remembering.values import changed_domains

Json = dict[str, Any]
KIND = "KubeSchedulerConfiguration"
KEYS = ("zone", "rack", "host")


def node(number: int, random: Random) -> Json:
    labels = {"zone": f"z{number % 2}", "rack": f"r{random.randrange(4)}", "host": f"n{number}"}
    if random.random() < 0.2:
        del labels[random.choice(KEYS)]
    has = {"cpu": "8", "memory": "8Gi", "pods": "10"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{number}", "labels": labels},
        "status": {"allocatable": has, "capacity": has},
    }


def terms(random: Random) -> Json:
    required = [
        {"topologyKey": key, "labelSelector": {"matchLabels": {"app": random.choice("ab")}}}
        for key in random.sample(KEYS, random.choice([0, 1, 1, 2]))
    ]
    preferred = [
        {
            "weight": random.choice([1, 40]),
            "podAffinityTerm": {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "a"}}},
        }
        for key in random.sample(KEYS, random.choice([0, 0, 1]))
    ]
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": required,
        "preferredDuringSchedulingIgnoredDuringExecution": preferred,
    }


def affinity(random: Random) -> Json:
    return {kind: terms(random) for kind in random.sample(["podAffinity", "podAntiAffinity"], 1)}


def pod(name: str, app: str, spec: Json) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": app}},
        "spec": {"containers": [container], **spec},
    }


def history(random: Random) -> Iterator[Input | None]:
    """Pods of four kinds that attract each other or keep each other away. None stands for an attempt."""
    count = random.choice([5, 9])
    for number in range(count):
        yield Create(node(number, random))
    kinds = [(random.choice("ab"), {"affinity": affinity(random)}) for _ in range(3)] + [("a", {})]
    for step in range(60):
        match random.randrange(8):
            case 0:
                yield Delete(Reference("Pod", f"p{random.randrange(60)}", namespace="default"))
            case 1:
                yield Update(node(random.randrange(count), random))
            case 2 | 3 | 4:
                yield Create(pod(f"p{step}", *random.choice(kinds)))
            case _:
                yield None


@pytest.mark.parametrize("kubernetes", ["1.34", "1.19"])
@pytest.mark.parametrize("seed", range(10))
def test_pods_with_affinity_are_placed_alike(seed: int, kubernetes: str) -> None:
    release = release_of(kubernetes)
    version = "v1" if kubernetes == "1.34" else "v1beta1"
    config = read_config({"apiVersion": f"kubescheduler.config.k8s.io/{version}", "kind": KIND}, release)
    pair = Pair(lambda: scheduler_of(config, SeededChoices(seed), release=release))
    pair.run(history(Random(seed)))
    assert pair.attempts > 5


def test_a_node_is_asked_about_again_only_where_something_else_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    ask = InterPodAffinity.filter

    def counted(plugin: InterPodAffinity, state: Any, pod: Any, node: Any) -> Any:
        asked.append(node.name)
        return ask(plugin, state, pod, node)

    monkeypatch.setattr(InterPodAffinity, "filter", counted)
    config = read_config({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": KIND})
    scheduler = remember(scheduler_of(config, SeededChoices(0)))
    inputs = InputReader(scheduler)
    for number in range(20):
        labels = {"host": f"n{number}"}
        inputs.apply(
            Create({**node(number, Random(0)), "metadata": {"name": f"n{number}", "labels": labels}})
        )
    term = {"topologyKey": "host", "labelSelector": {"matchLabels": {"app": "a"}}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    counts = []
    for name in ("p", "q", "r", "s"):
        inputs.apply(Create(pod(name, "a", {"affinity": apart})))
        scheduler.schedule()
        counts.append(len(asked))
        asked.clear()
    assert counts[0] == 20
    assert counts[2:] == [1, 1], "the node that the pod before was placed on"


# --- Domains that changed -------------------------------------------------------------------------


def test_states_differ_in_domains_or_as_a_whole() -> None:
    def state(affinity: dict[tuple[str, str], int], namespace: str = "x", **changes: int) -> Any:
        moved = {("zone", zone): number for zone, number in changes.items()}
        counts = TopologyCounts(affinity, moved)
        return Filtering((), (), {"name": namespace}, counts, TopologyCounts(), TopologyCounts())

    before = state({("zone", "a"): 1, ("zone", "b"): 2})
    assert changed_domains(before, state({("zone", "b"): 2, ("zone", "a"): 1}), READ_WHOLE) == ()
    changed = changed_domains(
        before, state({("zone", "a"): 1, ("zone", "b"): 3, ("zone", "c"): 1}), READ_WHOLE
    )
    assert changed == {("zone", "b"), ("zone", "c")}
    assert changed_domains(before, state({}), READ_WHOLE) is None, (
        "whether anything is counted at all may decide"
    )
    assert changed_domains(before, state(dict(before.affinity.counted), "y"), READ_WHOLE) is None
    assert changed_domains(before, state({("zone", "a"): 1}, b=1), READ_WHOLE) is None
    assert changed_domains(None, before, READ_WHOLE) is None
    assert changed_domains((1,), (2,), READ_WHOLE) is None
