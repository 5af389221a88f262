# SPDX-License-Identifier: Apache-2.0
"""Reserve to Bind, as plugins of one's own meet them: what they are handed, and what becomes of their answers."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import Factory, define, evolve
from world import World

from refsched.framework.interface import Api, Continue, Reject, WaitFor
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Namespace
from refsched.records import Bind


@define
class Keeper:
    """Notes what it is handed, and answers what it is told."""

    name: str = "Keeper"
    on_reserve: Continue[Any] | Reject = Continue("reserved")
    on_pre_bind: Status | WaitFor = SUCCESS
    handed: list[tuple[str, Any, str, str]] = Factory(list)

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[str]:
        return Continue("computed")

    def reserve(
        self, state: Any, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[Any] | Reject:
        self.handed.append(("reserve", state, pod.pod.spec.node_name, node.name))
        return self.on_reserve

    def unreserve(self, state: Any, pod: PodInfo, node: NodeInfo, api: Api) -> None:
        self.handed.append(("unreserve", state, pod.pod.spec.node_name, node.name))

    def pre_bind(self, state: Any, pod: PodInfo, node: NodeInfo, api: Api) -> Status | WaitFor:
        self.handed.append(("preBind", state, pod.pod.spec.node_name, node.name))
        return self.on_pre_bind


def with_plugin(keeper: Any) -> World:
    """A world with one node, where the plugin stands behind the others at Reserve and PreBind."""
    world = World()
    scheduler = world.machine.state
    framework = scheduler.profiles["default-scheduler"]
    scheduler.profiles = {
        "default-scheduler": evolve(
            framework,
            pre_filter_plugins=[*framework.pre_filter_plugins, keeper],
            reserve_plugins=[*framework.reserve_plugins, keeper],
            pre_bind_plugins=[*framework.pre_bind_plugins, keeper],
        )
    }
    world.node("n1")
    return world


# --- State ----------------------------------------------------------------------------------------


def test_what_a_plugin_computed_is_handed_on_to_its_later_points() -> None:
    keeper = Keeper()
    with_plugin(keeper).schedule("p")
    assert keeper.handed == [("reserve", "computed", "n1", "n1"), ("preBind", "reserved", "n1", "n1")]


def test_a_plugin_that_refused_to_reserve_is_called_to_unreserve_too() -> None:
    keeper = Keeper(on_reserve=Reject(unschedulable("full")))
    attempt = with_plugin(keeper).schedule("p")
    assert keeper.handed == [("reserve", "computed", "n1", "n1"), ("unreserve", "computed", "n1", "n1")]
    assert attempt.message == "0/1 nodes are available: 1 full."
    assert attempt.unschedulable_plugins == ("Keeper",)


def test_an_error_in_reserve_says_where_it_was_met() -> None:
    attempt = with_plugin(Keeper(on_reserve=Reject(error("broken")))).schedule("p")
    assert (attempt.result, attempt.message) == ("error", 'running Reserve plugin "Keeper": broken')


# --- PreBind --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "result", "message"),
    [
        (SUCCESS, "bound", None),
        (unresolvable("no more"), "unschedulable", "no more"),
        (error("broken"), "error", 'running PreBind plugin "Keeper": broken'),
    ],
)
def test_prebind_may_answer_at_once(answer: Status, result: str, message: str | None) -> None:
    world = with_plugin(Keeper(on_pre_bind=answer))
    world.schedule("p")
    assert [(bind.result, bind.message) for bind in world.binds] == [(result, message)]


def until_there_is_a_namespace(answer: Status) -> WaitFor:
    """PreBind waits for an object that others create."""
    return WaitFor(
        lambda objects: answer if objects.list(Namespace) else None, 10.0, error("nobody created it")
    )


NAMESPACE: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}


def test_prebind_may_wait_for_what_others_do() -> None:
    world = with_plugin(Keeper(on_pre_bind=until_there_is_a_namespace(SUCCESS)))
    world.schedule("p")
    assert world.binds == []
    assert world.schedule("other").result == "scheduled"
    world.advance(9)
    binds = world.create(NAMESPACE)
    assert [(bind.pod, bind.result) for bind in binds if isinstance(bind, Bind)] == [
        ("default/p", "bound"),
        ("default/other", "bound"),
    ]


def test_what_it_waits_for_may_be_there_already() -> None:
    world = with_plugin(Keeper(on_pre_bind=until_there_is_a_namespace(SUCCESS)))
    world.create(NAMESPACE)
    world.schedule("p")
    assert world.binds[0].result == "bound"


def test_what_others_do_may_be_the_wrong_thing() -> None:
    world = with_plugin(Keeper(on_pre_bind=until_there_is_a_namespace(unschedulable("not that one"))))
    world.schedule("p")
    [bind] = world.create(NAMESPACE)
    assert isinstance(bind, Bind)
    assert (bind.result, bind.message) == ("unschedulable", "not that one")


def test_a_wait_in_prebind_ends_too() -> None:
    world = with_plugin(Keeper(on_pre_bind=until_there_is_a_namespace(SUCCESS)))
    world.advance(0.5)
    world.schedule("p", cpu="1")
    assert world.advance(9.75) == []
    [bind] = world.advance(0.25)
    assert isinstance(bind, Bind)
    assert (bind.result, bind.message) == ("error", 'running PreBind plugin "Keeper": nobody created it')
    assert world.on("n1") == []


def test_the_first_of_two_waits_to_end_is_reported_first() -> None:
    world = with_plugin(Keeper(on_pre_bind=until_there_is_a_namespace(SUCCESS)))
    world.schedule("first")
    world.advance(5)
    world.schedule("second")
    assert [bind.pod for bind in world.advance(60) if isinstance(bind, Bind)] == [
        "default/first",
        "default/second",
    ]
