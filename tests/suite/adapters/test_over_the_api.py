# SPDX-License-Identifier: Apache-2.0
"""A scheduler over the API, judged by what an API server shows: here with a small one in Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from small_api_server import SmallApiServer, small_api_server

from refsched.errors import InputError
from refsched.processes.kubernetes_api.client import ApiError, Client
from refsched.suite.adapters.adapter import Adapter, ResetRefused, Session
from refsched.suite.adapters.answers import HAS_A_GATE
from refsched.suite.adapters.api_objects import ApiObjects, completed
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.control_plane import ControlPlane
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.adapters.over_the_api import OverTheApi, over_the_api
from refsched.suite.adapters.scheduler_command import config_for

pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")

Json = dict[str, Any]

TINY = str(Path(__file__).with_name("tiny_scheduler.py"))
CONFIG: Json = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


class Given(ControlPlane):
    """A control plane that is there already."""

    def __init__(self, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig


class World:
    def __init__(self, api: SmallApiServer, kubeconfig: Path) -> None:
        self.api = api
        self.kubeconfig = kubeconfig

    def adapter(self, mode: str = "", config: str = "", timeout: float = 300.0) -> Adapter:
        command = [sys.executable, TINY, "{kubeconfig}", mode, config]
        transport = OverTheApi(lambda: Given(self.kubeconfig), "tiny", command, timeout)
        return Adapter("api:tiny", transport)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with small_api_server(tmp_path) as (api, kubeconfig):
        yield World(api, kubeconfig)


def node(name: str = "n", **labels: str) -> Json:
    status = {"allocatable": {"cpu": "4", "pods": "9"}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": status,
    }


def pod(name: str, **spec: Any) -> Json:
    spec = {"containers": [{"name": "c"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def named(kind: str, name: str) -> Json:
    return {"apiVersion": "v1", "kind": kind, "name": name}


def scheduled(session: Session, name: str) -> tuple[str, str | None]:
    attempt = session.schedule(f"default/{name}").attempt
    assert attempt is not None
    return attempt.result, attempt.node


# --- What is seen ---------------------------------------------------------------------------------


def test_a_status_is_sent_once(world: World) -> None:
    sent: list[str] = []

    def note(method: str, path: str, body: Json) -> None:
        sent.append(f"{method} {path}")

    objects = ApiObjects(Client(world.kubeconfig))
    world.api.refuse = note
    objects.create(node())
    objects.create(pod("g", schedulingGates=[{"name": "g"}]) | {"status": {"nominatedNodeName": "n"}})
    pods = "/api/v1/namespaces/default/pods"
    assert sent == ["POST /api/v1/nodes", f"POST {pods}", f"PATCH {pods}/g/status"]


def test_a_pod_is_created_when_it_is_to_be_scheduled_and_its_binding_is_reported(world: World) -> None:
    with world.adapter() as adapter:
        assert adapter.hello.capabilities == {"filter", "preemption", "nominations", "score"}
        assert adapter.hello.not_shown == {"filter", "scores"}
        assert adapter.hello.kubernetes == "1.37"
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("p"))
        assert "/api/v1/namespaces/default/pods/p" not in world.api.objects
        answer = session.schedule("default/p")
        assert [record.member for record in answer.records] == ["attempt", "bind"]
        assert world.api.objects["/api/v1/namespaces/default/pods/p"]["spec"]["nodeName"] == "n"
        assert session.schedule("default/p").idle


def test_a_pod_that_is_unschedulable_is_deleted_until_its_next_attempt(world: World) -> None:
    with world.adapter() as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("p", nodeSelector={"disk": "ssd"}))
        attempt = session.schedule("default/p").attempt
        assert attempt is not None
        assert (attempt.result, attempt.message) == ("unschedulable", "0/1 nodes are available: no match.")
        assert "/api/v1/namespaces/default/pods/p" not in world.api.objects
        session.update(node(disk="ssd"))
        assert scheduled(session, "p") == ("scheduled", "n")


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ({"schedulerName": "another"}, "names another scheduler and must not be attempted"),
        ({"schedulingGates": [{"name": "g"}]}, HAS_A_GATE),
    ],
)
def test_who_attempts_a_pod_that_nobody_may_attempt_is_in_error(of: Json, said: str, world: World) -> None:
    with world.adapter() as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("other", **of))
        session.create(pod("p"))
        assert session.schedule("default/p").error == f"the pod default/other {said}"
        session.create(pod("q"))
        session.update(pod("other"))
        assert scheduled(session, "q") == ("scheduled", "n")
        assert scheduled(session, "other") == ("scheduled", "n")
        session.create(pod("another", **of))
        session.delete(named("Pod", "another"))
        session.create(pod("r"))
        assert scheduled(session, "r") == ("scheduled", "n")


def test_a_gated_pod_is_created_with_its_nomination(world: World) -> None:
    with world.adapter() as adapter:
        session = adapter.reset(CONFIG)
        gated = pod("g", schedulingGates=[{"name": "g"}]) | {"status": {"nominatedNodeName": "n"}}
        assert session.create(gated).unsupported is None
        assert world.api.objects["/api/v1/namespaces/default/pods/g"]["status"] == gated["status"]


def test_victims_stay_until_it_is_the_preemptors_turn_again(world: World) -> None:
    with world.adapter("preempts") as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        for name in ("a", "b"):
            session.create(pod(name, nodeName="n"))
        session.create(pod("p"))
        session.create(pod("q"))
        attempt = session.schedule("default/p").attempt
        assert attempt is not None
        assert (attempt.nominated_node, attempt.victims) == ("n", ("default/a", "default/b"))
        for name in ("a", "b"):
            session.delete(named("Pod", name))
        assert "/api/v1/namespaces/default/pods/a" in world.api.objects
        assert "another pod is nominated" in str(session.schedule("default/q").unsupported)
        assert "at any time" in str(session.update(pod("p")).unsupported)
        assert scheduled(session, "p") == ("scheduled", "n")
        assert "/api/v1/namespaces/default/pods/a" not in world.api.objects


@pytest.mark.parametrize(("mode", "nominated"), [("gives-up", ""), ("keeps-its-nomination", "n")])
def test_a_pod_that_is_nominated_may_find_no_node_in_the_end(mode: str, nominated: str, world: World) -> None:
    with world.adapter(mode) as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("a", nodeName="n"))
        session.create(pod("p"))
        session.schedule("default/p")
        session.delete(named("Node", "n"))
        session.delete(named("Pod", "a"))
        answer = session.schedule("default/p")
        attempt = answer.attempt
        assert attempt is not None, answer
        assert (attempt.result, attempt.message, attempt.nominated_node) == (
            "unschedulable",
            "0/0 nodes are available: no match.",
            nominated,
        )


def test_when_a_nominated_pod_was_attempted_again_may_not_be_shown(world: World) -> None:
    with world.adapter("preempts-and-rests") as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("a", nodeName="n"))
        session.create(pod("p"))
        session.schedule("default/p")
        assert "is attempted again" in str(session.schedule("default/p").unsupported)


def test_who_is_a_victim_is_not_shown_where_pods_are_being_deleted_already(world: World) -> None:
    with world.adapter("preempts") as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        leaving = pod("leaving", nodeName="n")
        leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        session.create(leaving)
        session.create(pod("a", nodeName="n"))
        session.create(pod("p"))
        assert "may be among the victims" in str(session.schedule("default/p").unsupported)


def test_victims_are_removed_with_their_preemptor(world: World) -> None:
    with world.adapter("preempts") as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("a", nodeName="n"))
        session.create(pod("p"))
        session.schedule("default/p")
        session.delete(named("Pod", "p"))
        assert not [path for path in world.api.objects if "/pods/" in path]


def test_each_history_begins_with_an_empty_cluster(world: World) -> None:
    with world.adapter() as adapter:
        for _ in range(2):
            session = adapter.reset(CONFIG)
            session.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
            session.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})
            session.create(node())
            session.create(pod("bound", nodeName="n"))
            session.create(pod("p"))
            assert scheduled(session, "p") == ("scheduled", "n")


def test_what_an_earlier_run_left_is_deleted(world: World) -> None:
    world.api.create("/api/v1/nodes", node("left"))
    with world.adapter() as adapter:
        adapter.reset(CONFIG)
        assert "/api/v1/nodes/left" not in world.api.objects


def test_a_waiting_pod_may_be_changed_bound_by_somebody_else_or_deleted(world: World) -> None:
    with world.adapter() as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        for name in ("changed", "bound", "deleted"):
            session.create(pod(name))
        session.update(pod("changed", nodeSelector={"disk": "ssd"}))
        session.update(pod("bound", nodeName="n"))
        session.delete(named("Pod", "deleted"))
        assert scheduled(session, "changed") == ("unschedulable", None)
        assert session.schedule("default/bound").idle
        assert session.schedule("default/deleted").idle
        terminating = pod("bound", nodeName="n")
        terminating["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        session.update(terminating)
        assert "deletionTimestamp" in world.api.objects["/api/v1/namespaces/default/pods/bound"]["metadata"]
        ended = pod("ended", nodeName="n")
        ended["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        session.create(ended)
        assert "deletionTimestamp" in world.api.objects["/api/v1/namespaces/default/pods/ended"]["metadata"]
        del ended["spec"]["nodeName"]
        assert "exists no more" in str(session.create(ended).unsupported)
        session.create(pod("runs", nodeName="n"))
        session.update(pod("runs", nodeName="n") | {"status": {"phase": "Running"}})
        assert world.api.objects["/api/v1/namespaces/default/pods/runs"]["status"] == {"phase": "Running"}


# --- What is unsupported --------------------------------------------------------------------------


def test_what_an_api_server_refuses_or_does_not_have_is_unsupported(world: World) -> None:
    with world.adapter() as adapter:
        session = adapter.reset(CONFIG)
        world.api.refuse = lambda method, path, body: (422, "Invalid") if method == "POST" else None
        assert session.create(node()).unsupported == "the API server refuses it: Invalid"
        assert session.create(pod("p")).unsupported == "the API server refuses it: Invalid"
        assert session.advance(1).unsupported == "advance is nothing that an API server has"
        assert session.observe().records == ()
        nominated = pod("p") | {"status": {"nominatedNodeName": "n"}}
        assert "before it has this status" in str(session.create(nominated).unsupported)


def test_where_a_binding_fails_is_not_shown(world: World) -> None:
    with world.adapter("fails-to-bind") as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("p"))
        answer = session.schedule("default/p")
        assert answer.unsupported == 'the node is not shown: running Bind plugin "B": no'


def test_who_takes_no_configuration_has_the_default_one(world: World) -> None:
    other = CONFIG | {"percentageOfNodesToScore": 10}
    with world.adapter() as adapter:
        assert adapter.hello.has_default_config
        adapter.reset(other)
        with pytest.raises(ResetRefused, match="feature gates"):
            adapter.reset(CONFIG, {"SchedulerQueueingHints": False})
    with world.adapter(config="{config}") as adapter:
        assert not adapter.hello.has_default_config
        adapter.reset(CONFIG)
        adapter.reset(other)


# --- What is the scheduler's fault ----------------------------------------------------------------


def schedule_one(adapter: Adapter) -> None:
    session = adapter.reset(CONFIG)
    session.create(node())
    session.create(pod("p"))
    session.schedule("default/p")


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        (
            "does-nothing",
            "within 1 seconds it has not decided about the pod default/refsched-probe, which has the "
            "schedulerName default-scheduler, and fits on no node: it has neither bound it nor given it the "
            "condition PodScheduled with the status False and the reason Unschedulable or SchedulerError",
        ),
        ("crashes", "it has ended, with exit code 1"),
        ("floods", "it floods the API server: pods are changed 200 times before one is decided about"),
        ("deletes", "it deletes the pod that it is to schedule"),
    ],
)
def test_a_scheduler_that_cannot_be_judged_is_reported_as_what_it_is(
    world: World, mode: str, problem: str
) -> None:
    with world.adapter(mode, timeout=1 if mode == "does-nothing" else 300) as adapter:
        with pytest.raises(AdapterFault) as fault:
            schedule_one(adapter)
        assert problem in fault.value.problem
    assert "out of order" in str(fault.value) or mode != "crashes"


def test_a_pod_on_a_node_that_does_not_exist_is_reported_as_bound_there(world: World) -> None:
    with world.adapter("binds-to-nothing") as adapter:
        session = adapter.reset(CONFIG)
        session.create(node())
        session.create(pod("p"))
        assert scheduled(session, "p") == ("scheduled", "nowhere")


def test_a_command_that_cannot_be_started_is_a_fault(world: World) -> None:
    transport = OverTheApi(lambda: Given(world.kubeconfig), "none", ["/no/such/command"], 5)
    with Adapter("api:none", transport) as adapter, pytest.raises(AdapterFault, match="exit code 127"):
        adapter.reset(CONFIG)


def test_an_api_server_that_does_not_answer_is_a_fault(world: World) -> None:
    def close(method: str, path: str, body: Json) -> tuple[int, str]:
        raise ConnectionError

    with world.adapter() as adapter:
        session = adapter.reset(CONFIG)
        world.api.refuse = close
        with pytest.raises(AdapterFault, match="the API server does not answer"):
            session.create(node())


# --- Objects and configurations -------------------------------------------------------------------


def test_objects_have_what_an_api_server_requires_and_nothing_that_it_decides_itself() -> None:
    ports = [{"hostPort": 80}]
    resources = {"requests": {"cpu": "1", "example.com/gpu": "2"}}
    given = pod("p", containers=[{"name": "c", "ports": ports, "resources": resources}])
    given["metadata"] |= {"uid": "u", "resourceVersion": "7"}
    whole = completed(given)
    assert whole["metadata"] == {"name": "p"}
    (container,) = whole["spec"]["containers"]
    assert container["image"]
    assert container["ports"] == [{"hostPort": 80, "containerPort": 80}]
    assert container["resources"]["limits"] == {"example.com/gpu": "2"}
    assert "limits" not in resources
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}
    assert completed(service)["spec"] == {"ports": [{"port": 1}]}
    labels = {"app": "a"}
    for kind, selector in (("ReplicaSet", {"matchLabels": labels}), ("ReplicationController", labels)):
        owner = {"kind": kind, "metadata": {"name": "r"}, "spec": {"selector": selector}}
        assert completed(owner)["spec"]["template"]["metadata"] == {"labels": labels}


def test_a_node_that_is_being_deleted_exists_until_it_is_removed(world: World) -> None:
    with world.adapter() as adapter:
        session = adapter.reset(CONFIG)
        leaving = node()
        leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        session.create(leaving)
        session.create(pod("p"))
        assert scheduled(session, "p") == ("scheduled", "n")
        leaving["metadata"]["labels"] = {"disk": "ssd"}
        session.update(leaving)
        assert world.api.objects["/api/v1/nodes/n"]["metadata"]["labels"] == {"disk": "ssd"}
        assert "stays so" in str(session.update(node()).unsupported)
        session.delete(named("Node", "n"))
        assert "/api/v1/nodes/n" not in world.api.objects


def test_an_object_that_is_deleted_twice_is_deleted(world: World) -> None:
    objects = ApiObjects(Client(world.kubeconfig))
    objects.create(node())
    for _ in range(2):
        objects.delete(("Node", "", "n"))
    assert "/api/v1/nodes/n" not in world.api.objects


def test_a_test_waits_for_no_lease_and_no_long_backoff(tmp_path: Path) -> None:
    config = config_for(CONFIG | {"podMaxBackoffSeconds": 90}, tmp_path)
    assert config["leaderElection"] == {"leaderElect": False}
    assert (config["podInitialBackoffSeconds"], config["podMaxBackoffSeconds"]) == (1, 1)
    assert config["clientConnection"]["kubeconfig"] == str(tmp_path)


@pytest.mark.parametrize("what", ["api:", "api:'"])
def test_a_command_is_needed(what: str) -> None:
    with pytest.raises(InputError):
        connect(what)


def test_the_command_kube_scheduler_is_the_one_of_the_control_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    class Built:
        def program(self) -> Path:
            return Path("/cache/control-plane")

    module = "refsched.suite.adapters.over_the_api"
    monkeypatch.setattr(f"{module}.control_plane_program", lambda log: Built())
    commands: list[list[str]] = []
    monkeypatch.setattr(
        f"{module}.OverTheApi", lambda plane, name, command, timeout: commands.append(command)
    )
    over_the_api(["kube-scheduler"], 1, None)
    over_the_api(["./mine", "{kubeconfig}"], 1, None)
    assert commands == [
        ["/cache/control-plane", "scheduler", "--config={config}", "--secure-port=0"],
        ["./mine", "{kubeconfig}"],
    ]


class Dropping:
    """A client of an API server that does not know how volumes are mounted."""

    def create(self, value: Json, **options: str) -> Json:
        return {**value, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def test_what_the_api_server_drops_of_an_object_is_not_judged() -> None:
    mounted = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    value = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [mounted]}}
    with pytest.raises(ApiError, match=r"it drops Pod\.spec\.containers\[\]\.volumeMounts"):
        ApiObjects(cast("Client", Dropping())).check(value)
