# SPDX-License-Identifier: Apache-2.0
"""A cluster that was copied or pickled goes on as the one that it was copied from."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.strategies import AREAS
from conformance.vocabulary.objects import node, pod
from refsched import Cluster, InputError
from refsched.framework.node_info import NodeInfo
from refsched.records import Input
from refsched.suite.histories.history import History, Observe, Schedule, Step
from refsched.tools import scheduler_copy

Copied = Callable[[Cluster], Cluster]

WAYS: tuple[Copied, ...] = (
    copy.copy,
    copy.deepcopy,
    lambda cluster: pickle.loads(pickle.dumps(cluster)),
    Cluster.fork,
)
WITHOUT_EXTENDERS = sorted(AREAS.keys() - {"extenders", "faults", "many"})
"""Extenders are asked over HTTP here, and have a test of their own; hundreds of nodes take a while to create."""


def do(cluster: Cluster, step: Step) -> object:
    """Returns what the cluster answers, or why it refuses."""
    try:
        match step:
            case Schedule():
                return cluster.schedule()
            case Observe():
                return cluster.observe()
            case _:
                assert isinstance(step, Input)
                return cluster._apply(step)
    except InputError as refused:
        return str(refused)


def begun(history: History, release: str) -> Cluster:
    """Returns the cluster of the history. Its configuration may name a plugin of another release."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the configuration", UserWarning)
        return Cluster(config=history.config, feature_gates=history.feature_gates, kubernetes=release, seed=7)


@pytest.mark.parametrize("release", ["1.34", "1.19"])
@settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_copy_goes_on_as_the_cluster_that_it_was_copied_from(release: str, data: st.DataObject) -> None:
    history = data.draw(AREAS[data.draw(st.sampled_from(WITHOUT_EXTENDERS))]())
    try:
        cluster = begun(history, release)
    except InputError:
        return  # this release refuses the configuration, or has no such feature gate
    cut = data.draw(st.integers(0, len(history.steps)))
    for step in history.steps[:cut]:
        do(cluster, step)
    second = data.draw(st.sampled_from(WAYS))(cluster)
    third = data.draw(st.sampled_from(WAYS))(second)
    assert second.records == cluster.records
    for step in history.steps[cut:]:
        answer = do(cluster, step)
        assert do(second, step) == answer
    assert (second.records, second.observe(), second.now) == (cluster.records, cluster.observe(), cluster.now)
    for step in history.steps[cut:]:
        do(third, step)
    assert (third.records, third.observe()) == (cluster.records, cluster.observe())


def test_a_node_that_is_gone_while_its_pod_is_left_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it has no name, and may be the first one that is copied."""
    monkeypatch.delitem(scheduler_copy._COPY, NodeInfo, raising=False)
    cluster = Cluster([node("n"), pod("web", nodeName="n")])
    cluster.delete("Node", "n")
    assert cluster.fork().observe() == cluster.observe()


def test_neither_of_two_copies_changes_the_other() -> None:
    cluster = Cluster([node("n"), pod("web")])
    other = copy.deepcopy(cluster)
    other.create(pod("api", requests={"cpu": "100"}))
    other.schedule("web")
    other.advance(5)
    assert (cluster.records, cluster.now) == ((), 0)
    assert cluster.observe()[0].active == ("default/web",)
    cluster.schedule()
    assert [record.pod for record in cluster.records if hasattr(record, "pod")] == ["default/web"] * 2
    assert other.observe()[0].active == ("default/api",)


def test_an_object_that_was_refused_is_counted_in_a_copy_too() -> None:
    cluster = Cluster([node("n"), pod("web")])
    with suppress(InputError):
        cluster.create(pod("web"))
    assert copy.copy(cluster).create(pod("api")) == cluster.create(pod("api"))


def test_answers_to_questions_can_be_copied_and_pickled() -> None:
    cluster = Cluster([node("n"), pod("web"), pod("api", requests={"cpu": "100"})])
    cluster.schedule()
    for answer in (cluster.plan(), cluster.explain("web"), cluster.explain("api"), cluster.records):
        assert str(pickle.loads(pickle.dumps(answer))) == str(copy.deepcopy(answer)) == str(answer)


# --- Extenders ------------------------------------------------------------------------------------


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.append(self.path)
        names = request["NodeNames"]
        answer = {"NodeNames": names[:1], "FailedNodes": dict.fromkeys(names[1:], "it is not the first")}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


asked: list[str] = []


@pytest.fixture
def config() -> Iterator[dict[str, Any]]:
    asked.clear()
    with HTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        yield {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "extenders": [{"urlPrefix": url, "filterVerb": "filter", "nodeCacheCapable": True}],
        }
        server.shutdown()
        thread.join()


def test_extenders_are_not_asked_again_when_a_cluster_is_copied(config: dict[str, Any]) -> None:
    cluster = Cluster([node("a"), node("b"), *(pod(f"p{i}") for i in range(3))], config=config)
    cluster.schedule()
    cluster.schedule()
    other = copy.deepcopy(cluster)
    assert (len(asked), other.records) == (2, cluster.records)
    assert other.schedule() == cluster.schedule()
    assert len(asked) == 4
    assert copy.deepcopy(other).records == other.records


def test_a_fork_with_extenders_does_not_ask_again_and_a_question_never_binds(config: dict[str, Any]) -> None:
    config["extenders"][0]["bindVerb"] = "bind"
    cluster = Cluster([node("a"), node("b"), pod("p")], config=config)
    assert cluster.capacity(pod("q"), at_most=2).fit == 2
    assert set(asked) == {"/filter"}
    cluster.schedule()
    asked.clear()
    assert cluster.fork().records == cluster.records
    assert asked == []
