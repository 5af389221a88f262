# SPDX-License-Identifier: Apache-2.0
"""The specification as a scheduler in a cluster, on a small API server that fails as real ones do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from small_api_server import SmallApiServer, small_api_server

from refsched.processes.kubernetes_api.client import Client
from refsched.records import Bind, Output, Write
from refsched.releases import DEFAULT
from refsched.tools.running import lease as lease_module
from refsched.tools.running.lease import Lease
from refsched.tools.running.mirror import Mirror
from refsched.tools.running.setting_up import Options, run, scheduler_for
from refsched.tools.running.writing import LostError, Writer

pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")

Json = dict[str, Any]

PODS = "/api/v1/namespaces/default/pods"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
OPTIONS = Options(DEFAULT, "refsched")


def node(name: str = "n", cpu: str = "4") -> Json:
    status = {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def pod(name: str, cpu: str = "1", **spec: Any) -> Json:
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    whole = {"schedulerName": "refsched", "containers": containers, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": whole}


class Cluster:
    def __init__(self, api: SmallApiServer, kubeconfig: Path) -> None:
        self.api = api
        self.client = Client(kubeconfig)
        self.said: list[str] = []
        self.shown: list[Output] = []
        self.leads: bool | None = None

    @contextmanager
    def scheduler(self, options: Options = OPTIONS) -> Iterator[None]:
        """Runs a scheduler within the block."""
        ended = threading.Event()

        def work() -> None:
            show = self.shown.append
            self.leads = run(self.client, options, self.said.append, lambda: not ended.is_set(), show)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join(30)
        assert not thread.is_alive()

    def pod(self, name: str) -> Json:
        return self.api.objects[f"{PODS}/{name}"]

    def create(self, *objects: Json) -> None:
        for value in objects:
            self.client.create(value)

    def node_of(self, name: str) -> str:
        return str(self.pod(name)["spec"].get("nodeName", ""))

    def is_unschedulable(self, name: str) -> bool:
        return bool((self.pod(name).get("status") or {}).get("conditions"))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with small_api_server(tmp_path) as (api, kubeconfig):
        yield Cluster(api, kubeconfig)


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- What it does ---------------------------------------------------------------------------------


def test_it_schedules_what_is_there_and_what_comes_and_leaves_the_pods_of_others(cluster: Cluster) -> None:
    cluster.create(pod("early"), pod("of-another", schedulerName="default-scheduler"), node())
    with cluster.scheduler():
        wait_for(lambda: cluster.node_of("early") == "n")
        cluster.create(pod("late"))
        wait_for(lambda: cluster.node_of("late") == "n")
    assert cluster.node_of("of-another") == ""
    assert cluster.leads
    assert "schedules the pods of refsched" in cluster.said
    assert [record.pod for record in cluster.shown if isinstance(record, Bind)] == [
        "default/early",
        "default/late",
    ]


def test_a_pod_that_fits_nowhere_has_a_condition_and_is_tried_again_when_something_changes(
    cluster: Cluster,
) -> None:
    cluster.create(node(cpu="1"), pod("p", cpu="2"))
    with cluster.scheduler():
        wait_for(lambda: cluster.is_unschedulable("p"))
        (condition,) = cluster.pod("p")["status"]["conditions"]
        assert (condition["type"], condition["reason"]) == ("PodScheduled", "Unschedulable")
        assert condition["message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
        cluster.create(node("large"))
        wait_for(lambda: cluster.node_of("p") == "large")


def test_it_preempts(cluster: Cluster) -> None:
    cluster.create(node(cpu="1"), pod("small", nodeName="n"), pod("important", priority=10))
    with cluster.scheduler():
        wait_for(lambda: "deletionTimestamp" in cluster.pod("small")["metadata"])
        assert cluster.pod("important")["status"]["nominatedNodeName"] == "n"
        cluster.client.delete("Pod", "default", "small", {"gracePeriodSeconds": 0})
        wait_for(lambda: cluster.node_of("important") == "n")


def test_a_finished_pod_takes_no_room(cluster: Cluster) -> None:
    cluster.create(node(cpu="1"), pod("done", nodeName="n"), pod("p"))
    with cluster.scheduler():
        wait_for(lambda: cluster.is_unschedulable("p"))
        cluster.client.replace_status("Pod", "default", "done", {"phase": "Succeeded"})
        wait_for(lambda: cluster.node_of("p") == "n")


def test_an_object_that_cannot_be_read_is_left_out(cluster: Cluster) -> None:
    cluster.create(node(), node("odd", cpu="many"), pod("p"))
    with cluster.scheduler():
        wait_for(lambda: cluster.node_of("p") == "n")
    assert any(line.startswith("Node odd is left out: ") for line in cluster.said)


# --- What fails -----------------------------------------------------------------------------------


def test_a_pod_that_another_one_has_bound_meanwhile_keeps_its_node(cluster: Cluster) -> None:
    def other_is_first(method: str, path: str, body: Json) -> None:
        if path.endswith("/p/binding") and body["target"]["name"] == "n":
            cluster.api.bind(f"{PODS}/p", "elsewhere")

    cluster.api.refuse = other_is_first
    cluster.create(node(cpu="1"))
    with cluster.scheduler():
        cluster.create(pod("p"))
        wait_for(lambda: any("already assigned" in line for line in cluster.said))
        cluster.create(pod("next"))
        wait_for(lambda: cluster.node_of("next") == "n")
    assert cluster.node_of("p") == "elsewhere"


def test_a_pod_that_is_deleted_while_it_is_bound_takes_no_room(cluster: Cluster) -> None:
    def deleted_before(method: str, path: str, body: Json) -> None:
        if path.endswith("/p/binding"):
            cluster.api.delete(f"{PODS}/p", 0)

    cluster.api.refuse = deleted_before
    cluster.create(node(cpu="1"))
    with cluster.scheduler():
        cluster.create(pod("p"))
        wait_for(lambda: any("not bound" in line for line in cluster.said))
        cluster.create(pod("next"))
        wait_for(lambda: cluster.node_of("next") == "n")


def test_an_answer_that_is_lost_is_asked_for_again_and_nothing_is_bound_twice(cluster: Cluster) -> None:
    lost: list[str] = []

    def lose(method: str, path: str, body: Json) -> None:
        if path.endswith("/binding") and path not in lost:
            lost.append(path)
            cluster.api.bind(path.removesuffix("/binding"), body["target"]["name"])
            raise ConnectionError

    cluster.api.refuse = lose
    cluster.create(node())
    with cluster.scheduler():
        cluster.create(pod("p"))
        wait_for(lambda: "default/p → n" in cluster.said)
    assert [type for _, type, path, _ in cluster.api.events if path == f"{PODS}/p"] == ["ADDED", "MODIFIED"]


def test_nothing_is_lost_and_nothing_bound_twice_where_watches_end_and_requests_fail(
    cluster: Cluster,
) -> None:
    """A tenth of all bindings and lists fail, and every watch is cut again and again."""
    count = 0

    def fail(method: str, path: str, body: Json) -> tuple[int, str] | None:
        nonlocal count
        count += 1
        return (
            (500, "InternalError") if count % 10 == 0 and "leases" not in path and method != "PUT" else None
        )

    cluster.create(*(node(f"n{index}", cpu="10") for index in range(5)))
    names = [f"p{index}" for index in range(50)]
    with cluster.scheduler():
        cluster.api.refuse = lambda method, path, body: (
            fail(method, path, body) if "binding" in path or method == "GET" else None
        )
        for index, name in enumerate(names):
            cluster.create(pod(name))
            if index % 10 == 5:
                cluster.api.cut_watches()
        wait_for(lambda: all(cluster.node_of(name) for name in names))
    nodes = [cluster.node_of(name) for name in names]
    assert {each: nodes.count(each) for each in set(nodes)} == {f"n{index}": 10 for index in range(5)}
    assert all("already assigned" not in line for line in cluster.said)


# --- The lease ------------------------------------------------------------------------------------


def test_one_waits_until_the_other_gives_the_lease_back(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "RETRY", 0.1)
    first, second = Lease(cluster.client, "refsched"), Lease(cluster.client, "refsched")
    assert first.acquire(cluster.said.append, lambda: True)
    assert not second.acquire(cluster.said.append, lambda: False)
    assert cluster.said == ["another one holds the lease; waiting for it"]
    first.close()
    assert not first.is_held
    assert second.acquire(cluster.said.append, lambda: True)
    assert cluster.api.objects[f"{LEASES}/refsched"]["spec"]["holderIdentity"] == second.holder
    second.close()


def test_a_lease_that_is_not_renewed_is_taken(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "RETRY", 0.1)
    spec = {"holderIdentity": "ended", "leaseDurationSeconds": 1}
    cluster.api.create(LEASES, {"metadata": {"name": "refsched"}, "spec": spec})
    lease = Lease(cluster.client, "refsched")
    assert lease.acquire(cluster.said.append, lambda: True)
    lease.close()


def test_who_cannot_renew_the_lease_writes_no_more(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "RETRY", 0.1)
    monkeypatch.setattr(lease_module, "DEADLINE", 0.5)
    cluster.create(node())
    with cluster.scheduler():
        wait_for(lambda: "schedules the pods of refsched" in cluster.said)
        cluster.api.refuse = lambda method, path, body: (500, "InternalError") if "leases" in path else None
        wait_for(lambda: cluster.leads is not None)
        cluster.create(pod("p"))
    assert cluster.leads is False
    assert cluster.node_of("p") == ""


def test_a_scheduler_that_is_ended_while_it_waits_for_the_lease_ends(cluster: Cluster) -> None:
    other = Lease(cluster.client, "refsched")
    assert other.acquire(cluster.said.append, lambda: True)
    with cluster.scheduler():
        wait_for(lambda: "another one holds the lease; waiting for it" in cluster.said)
    assert cluster.leads
    other.close()


def test_who_cannot_take_the_lease_says_why(cluster: Cluster) -> None:
    cluster.api.refuse = lambda method, path, body: (403, "leases is forbidden") if "leases" in path else None
    with cluster.scheduler():
        wait_for(lambda: bool(cluster.said))
    assert cluster.said == ["the lease cannot be taken: leases is forbidden; waiting for it"]


def test_who_may_not_read_what_exists_says_so_once(cluster: Cluster) -> None:
    cluster.api.refuse = lambda method, path, body: (403, "nodes is forbidden") if "/nodes" in path else None
    with cluster.scheduler():
        wait_for(lambda: bool(cluster.said))
        cluster.api.refuse = lambda method, path, body: None
        wait_for(lambda: "schedules the pods of refsched" in cluster.said)
    assert cluster.said == ["nodes is forbidden; waiting for it", "schedules the pods of refsched"]


# --- Writing --------------------------------------------------------------------------------------


def test_nothing_is_written_without_the_lease(cluster: Cluster) -> None:
    scheduler = scheduler_for(OPTIONS)
    writer = Writer(
        cluster.client, Mirror(scheduler, cluster.said.append), lambda: False, cluster.said.append
    )
    with pytest.raises(LostError):
        writer.take(Write("create", node()))


def test_other_objects_are_created_changed_and_deleted(cluster: Cluster) -> None:
    mirror = Mirror(scheduler_for(OPTIONS), cluster.said.append)
    writer = Writer(cluster.client, mirror, lambda: True, cluster.said.append)
    path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c"
    claim: Json = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
    claim["metadata"] = {"name": "c", "namespace": "default"}
    writer.take(Write("create", claim | {"spec": {}}))
    writer.take(Write("update", claim | {"spec": {"a": 1}, "status": {"allocation": {}}}))
    assert (cluster.api.objects[path]["spec"], cluster.api.objects[path]["status"]) == (
        {"a": 1},
        {"allocation": {}},
    )
    writer.take(Write("delete", claim))
    assert path not in cluster.api.objects
    writer.take(Write("delete", claim))
    assert cluster.said == ["the API server refuses: NotFound"]
    writer.take(Write("delete", pod("p")))
    assert len(cluster.said) == 1


def test_a_binding_that_the_scheduler_gives_up_is_a_condition(cluster: Cluster) -> None:
    cluster.create(pod("p"))
    mirror = Mirror(scheduler_for(OPTIONS), cluster.said.append)
    mirror.show_anew("default/p", cluster.pod("p"))
    Writer(cluster.client, mirror, lambda: True, cluster.said.append).take(
        Bind("default/p", "n", "error", message="no")
    )
    (condition,) = cluster.pod("p")["status"]["conditions"]
    assert (condition["reason"], condition["message"]) == ("SchedulerError", "no")
