# SPDX-License-Identifier: Apache-2.0
"""Histories with extenders, drawn at random: the reference, and kube-scheduler where it has been built, decide as
the specification says. All of them ask the same extender."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from world import configuration, node_object, pod_object

from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.adapters.kube_scheduler import cache_folder
from refsched.suite.histories.extender_server import ANNOTATION, REFUSES, SCORE, serving
from refsched.suite.histories.history import Advance, Create, History, Schedule, Step
from refsched.suite.histories.trial import try_history

NAMES = ("a", "b", "c")
NODES = ("n0", "n1", "n2", "n3")
CODES = ("Unschedulable", "UnschedulableAndUnresolvable")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.fixture(scope="module", params=["reference", "kube-scheduler"])
def adapter(request: pytest.FixtureRequest) -> Iterator[Adapter]:
    what = REFERENCE
    if request.param == "kube-scheduler":
        built = sorted(cache_folder().glob("*/kube-scheduler-v1.34"))
        if not built:
            pytest.skip("kube-scheduler has not been built here; --impl=kube-scheduler builds it")
        what = f"exec:{built[-1]}"
    with connect(what) as adapter:
        yield adapter


def script(draw: random.Random) -> dict[str, Any]:
    """What one extender answers about one pod."""
    return {
        "filter": "Error"
        if draw.random() < 0.05
        else {node: draw.choice(CODES) for node in NODES if draw.random() < 0.3},
        "prioritize": "Fail"
        if draw.random() < 0.1
        else {node: draw.randrange(11) for node in NODES if draw.random() < 0.8},
        "preempt": "Fail"
        if draw.random() < 0.1
        else {node: draw.choice(["Refuse", 1, 2, 0]) for node in NODES if draw.random() < 0.4},
        "bind": draw.choice([{}, {}, {}, "Error", "Fail"]),
    }


def extender(draw: random.Random, url: str, name: str, *, may_bind: bool) -> dict[str, Any]:
    verbs = {f"{verb}Verb": verb for verb in ("filter", "prioritize", "preempt") if draw.random() < 0.7}
    return {
        "urlPrefix": f"{url}/{name}/",
        "weight": draw.randrange(1, 4),
        "nodeCacheCapable": draw.random() < 0.5,
        "ignorable": draw.random() < 0.4,
        "managedResources": [{"name": f"x.y/{name}"}] if draw.random() < 0.3 else [],
        **({"bindVerb": "bind"} if may_bind else {}),
        **verbs,
    }


def pod(draw: random.Random, name: str) -> dict[str, Any]:
    made = pod_object(name, cpu=draw.choice(["500m", "1", "2"]), priority=draw.choice([0, 0, 5]))
    made["metadata"]["annotations"] = {ANNOTATION: json.dumps({name: script(draw) for name in NAMES})}
    made["metadata"]["uid"] = f"uid-{name}"
    if draw.random() < 0.4:
        managed = f"x.y/{draw.choice(NAMES)}"
        made["spec"]["containers"][0]["resources"]["requests"][managed] = "0"
        made["spec"]["containers"][0]["resources"]["limits"] = {managed: "0"}
    return made


def history(seed: int, url: str) -> History:
    draw = random.Random(seed)
    binder = draw.choice([*NAMES, ""])
    extenders = [extender(draw, url, name, may_bind=name == binder) for name in NAMES[: draw.randrange(1, 4)]]
    steps: list[Step] = []
    for name in NODES[: draw.randrange(1, 5)]:
        labels = {SCORE: str(draw.randrange(11))}
        if draw.random() < 0.2:
            labels[REFUSES] = draw.choice(CODES)
        steps.append(Create(node_object(name, cpu=draw.choice(["2", "4"]), labels=labels)))
    for number in range(8):
        steps += [Create(pod(draw, f"p{number}")), Schedule(times=draw.choice([1, 1, 2]))]
        if draw.random() < 0.3:
            steps.append(Advance(draw.choice([1.0, 3.0])))
    return History(tuple(steps), configuration(extenders=extenders))


@pytest.mark.parametrize("seed", range(12))
def test_what_extenders_say_is_heeded(adapter: Adapter, url: str, seed: int) -> None:
    transcript = try_history(adapter, history(seed, url))

    assert transcript.ended in ("", None)
    assert [str(finding) for finding in transcript.findings] == []
