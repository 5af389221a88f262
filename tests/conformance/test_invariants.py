# SPDX-License-Identifier: Apache-2.0
"""Invariants: each finds what it is there to find, from records alone, and is silent otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.vocabulary.objects import profile_config
from refsched.records import (
    Attempt,
    Bind,
    Create,
    Delete,
    Nodes,
    NodeStatus,
    NodeUsage,
    Queues,
    Record,
    Reference,
    Update,
)
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release
from refsched.suite.histories.configuration import configured_for
from refsched.suite.histories.history import DEFAULT_CONFIG
from refsched.suite.invariants import Invariants

Json = dict[str, Any]
SUCCESS = NodeStatus("Success")


def node(name: str, **allocatable: str) -> Create:
    resources = {"cpu": "2", "memory": "1Gi", "pods": "2", **allocatable}
    return Create(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name},
            "status": {"allocatable": resources},
        }
    )


def pod(name: str, cpu: str = "1", on: str = "", script: str = "", **spec: Any) -> Create:
    annotations = {"refsched.dev/script": script} if script else {}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return Create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "annotations": annotations},
            "spec": {"containers": [container], "nodeName": on, **spec},
        }
    )


def scheduled(name: str, on: str, **members: Any) -> Attempt:
    return Attempt(f"default/{name}", "scheduled", node=on, **members)


def bound(name: str, on: str) -> Bind:
    return Bind(f"default/{name}", on, "bound")


def deleted(kind: str, name: str) -> Delete:
    return Delete(Reference(kind, name, namespace="default" if kind == "Pod" else ""))


def queues(active: tuple[str, ...] = (), backoff: tuple[str, ...] = ()) -> Queues:
    return Queues(
        tuple(f"default/{name}" for name in active), tuple(f"default/{name}" for name in backoff), ()
    )


def counted(**pods: tuple[str, ...]) -> Nodes:
    return Nodes({name: NodeUsage(tuple(f"default/{pod}" for pod in there)) for name, there in pods.items()})


def broken(
    *records: Record,
    config: Json = DEFAULT_CONFIG,
    gates: dict[str, bool] | None = None,
    release: Release = DEFAULT,
) -> list[str]:
    """The rules that the last record breaks; those before must break none."""
    invariants = Invariants(config, gates or {}, release)
    for record in records[:-1]:
        assert not invariants.take(record), record
    return [finding.rule for finding in invariants.take(records[-1])]


# --- Decisions ------------------------------------------------------------------------------------


def test_a_pod_that_fits_to_the_last_unit_is_none_too_many() -> None:
    assert not broken(node("n"), pod("a", on="n"), pod("b"), scheduled("b", "n"))


def test_a_pod_that_asks_for_more_than_is_left_breaks_the_first_rule() -> None:
    assert broken(node("n"), pod("a", on="n"), pod("b", "1001m"), scheduled("b", "n")) == ["R-INV-01"]


@pytest.mark.parametrize(("kubernetes", "breaks"), [("1.36", ["R-INV-01"]), ("1.37", [])])
def test_a_resized_pod_counts_as_the_release_counts_it(kubernetes: str, breaks: list[str]) -> None:
    """One container gives another what it has: 700m and 200m become 200m and 700m."""
    containers = [_asking("c", "200m"), _asking("d", "700m")]
    statuses = [_holding("c", "700m"), _holding("d", "200m")]
    resized = pod("a", on="n").object
    resized = {**resized, "spec": {**resized["spec"], "containers": containers}}
    resized["status"] = {**resized.get("status", {}), "containerStatuses": statuses}
    steps = (node("n"), Create(resized), pod("b", "1100m"), scheduled("b", "n"))
    assert broken(*steps, release=RELEASES[kubernetes]) == breaks


def _asking(name: str, cpu: str) -> Json:
    return {"name": name, "image": "i", "resources": {"requests": {"cpu": cpu}}}


def _holding(name: str, cpu: str) -> Json:
    requests = {"requests": {"cpu": cpu}}
    return {"name": name, "allocatedResources": {"cpu": cpu}, "resources": requests}


def test_what_devices_serve_need_not_be_free_on_a_node_that_has_none_of_it() -> None:
    resource = "example.com/gpu"
    asking = pod("b").object
    asking = {**asking, "spec": {**asking["spec"], "containers": [_asking("c", "1m")]}}
    asking["spec"]["containers"][0]["resources"]["requests"][resource] = "1"
    serving = Create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": "gpus"},
            "spec": {"extendedResourceName": resource},
        }
    )
    steps = (Create(asking), scheduled("b", "n"))
    assert broken(node("n"), serving, *steps, release=RELEASES["1.37"]) == []
    assert broken(node("n"), *steps, release=RELEASES["1.37"]) == ["R-INV-01"]


def test_an_assumed_pod_counts_before_it_is_bound() -> None:
    first = (node("n"), pod("a"), pod("b", "1001m"), scheduled("a", "n"))
    assert broken(*first, scheduled("b", "n")) == ["R-INV-01"]


def test_a_finished_pod_does_not_count() -> None:
    finished = pod("a", on="n")
    finished.object["status"] = {"phase": "Succeeded"}
    assert not broken(node("n"), finished, pod("b", "2"), scheduled("b", "n"))


def test_a_node_takes_no_more_pods_than_it_says() -> None:
    running = (node("n"), pod("a", "1m", on="n"), pod("b", "1m", on="n"))
    assert broken(*running, pod("c", "1m"), scheduled("c", "n")) == ["R-INV-01"]


def test_a_profile_without_the_filter_promises_no_room() -> None:
    plugins = {"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]}}
    profile = {"schedulerName": "default-scheduler", "plugins": plugins}
    config = {**DEFAULT_CONFIG, "profiles": [profile]}
    assert not broken(node("n"), pod("a", "3"), scheduled("a", "n"), config=config)


def test_a_resource_that_is_ignored_may_be_overcommitted() -> None:
    args = {"name": "NodeResourcesFit", "args": {"ignoredResourceGroups": ["x.dev"]}}
    profile = {"schedulerName": "default-scheduler", "pluginConfig": [args]}
    wanted = pod("a")
    wanted.object["spec"]["containers"][0]["resources"]["requests"] = {"x.dev/y": "1"}
    steps = (node("n"), wanted, scheduled("a", "n"))
    assert broken(*steps) == ["R-INV-01"]
    assert not broken(*steps, config={**DEFAULT_CONFIG, "profiles": [profile]})


def test_a_pods_own_resources_count_only_with_their_gate() -> None:
    wanted = pod("a", resources={"requests": {"cpu": "3"}})
    assert broken(node("n"), wanted, scheduled("a", "n")) == ["R-INV-01"]
    assert not broken(node("n"), wanted, scheduled("a", "n"), gates={"PodLevelResources": False})


@pytest.mark.parametrize("said", [{"n": NodeStatus("Unschedulable", "X")}, {"m": SUCCESS}])
def test_a_chosen_node_passed_every_filter(said: dict[str, NodeStatus]) -> None:
    assert broken(node("n"), pod("a"), scheduled("a", "n", filter=said)) == ["R-INV-02"]
    assert not broken(node("n"), pod("a"), scheduled("a", "n", filter={"n": SUCCESS}))


@pytest.mark.parametrize(("extender", "rules"), [({}, []), ({"nodeCacheCapable": True}, ["R-INV-02"])])
def test_an_extender_that_sends_objects_back_may_name_a_node_that_was_not_filtered(
    extender: dict[str, Any], rules: list[str]
) -> None:
    filters = {"urlPrefix": "http://x", "filterVerb": "filter", **extender}
    objects = (node("n"), pod("a"), scheduled("a", "ghost", filter={"n": SUCCESS}))
    assert broken(*objects, config=profile_config(extenders=[filters])) == rules


@pytest.mark.parametrize(("score", "rules"), [(300, []), (301, ["R-INV-03"]), (-1, ["R-INV-03"])])
def test_a_score_is_at_most_a_hundred_times_its_weight(score: int, rules: list[str]) -> None:
    scores = {"n": {"TaintToleration": score}}
    assert broken(node("n"), pod("a"), scheduled("a", "n", scores=scores)) == rules


@pytest.mark.parametrize(("score", "rules"), [(-200, []), (-201, ["R-INV-03"]), (1, ["R-INV-03"])])
def test_a_score_with_a_negative_weight_is_negative(score: int, rules: list[str]) -> None:
    weights = (("NodeResourcesFit", 3), ("ImageLocality", -2))
    weighed = {"score": {"enabled": [{"name": name, "weight": weight} for name, weight in weights]}}
    config = profile_config({"schedulerName": "default-scheduler", "plugins": weighed})
    scores = {"n": {"ImageLocality": score}}
    assert broken(node("n"), pod("a"), scheduled("a", "n", scores=scores), config=config) == rules


def test_a_total_is_the_sum_of_its_scores() -> None:
    scores = {"n": {"ImageLocality": 1, "NodeAffinity": 2}}
    wrong = scheduled("a", "n", scores=scores, totals={"n": 4})
    assert broken(node("n"), pod("a"), wrong) == ["R-INV-04"]


def test_the_highest_total_is_taken() -> None:
    totals = {"n": 1, "m": 2}
    nodes = (node("n"), node("m"), pod("a"))
    assert broken(*nodes, scheduled("a", "n", totals=totals)) == ["R-INV-04"]
    assert not broken(*nodes, scheduled("a", "m", totals=totals))


# --- Places ---------------------------------------------------------------------------------------


def test_a_pod_that_is_bound_or_on_its_way_is_not_tried_again() -> None:
    steps = (node("n"), pod("a"), scheduled("a", "n"))
    assert broken(*steps, scheduled("a", "n")) == ["R-INV-05"]
    assert broken(*steps, bound("a", "n"), scheduled("a", "n")) == ["R-INV-05"]


def test_a_pod_that_is_not_there_is_not_tried() -> None:
    assert broken(node("n"), scheduled("a", "n")) == ["R-INV-05"]


def test_a_pod_whose_binding_failed_may_be_tried_again() -> None:
    failed = Bind("default/a", "n", "error")
    assert not broken(node("n"), pod("a"), scheduled("a", "n"), failed, scheduled("a", "n"))


def test_an_error_after_the_binding_leaves_the_pod_bound() -> None:
    script = '{"ScriptedBinder": {"bind": "Hold:ErrorAfterBound"}}'
    failed = Bind("default/a", "n", "error", calls=("ScriptedBinder.bind",))
    steps = (node("n"), pod("a", script=script), scheduled("a", "n"), failed)
    assert not broken(*steps, queues())
    assert broken(*steps, scheduled("a", "n")) == ["R-INV-05"]


@pytest.mark.parametrize("popped", ["Hold:Error", "Hold:ErrorAfterBound"])
def test_a_script_that_is_changed_in_mid_cycle_decides_nothing_of_it(popped: str) -> None:
    other = "Hold:Error" if popped == "Hold:ErrorAfterBound" else "Hold:ErrorAfterBound"
    first, then = (pod("a", script=f'{{"ScriptedBinder": {{"bind": "{each}"}}}}') for each in (popped, other))
    failed = Bind("default/a", "n", "error", calls=("ScriptedBinder.bind",))
    waits = queues(backoff=("a",)) if popped == "Hold:Error" else queues()
    assert not broken(node("n"), first, scheduled("a", "n"), Update(then.object), failed, waits)


def test_a_pod_that_is_being_deleted_is_not_bound_by_a_binding_that_fails() -> None:
    script = '{"ScriptedBinder": {"bind": "Hold:ErrorAfterBound"}}'
    created = pod("a", script=script)
    leaving = {**created.object["metadata"], "deletionTimestamp": "2025-12-31T23:00:00Z"}
    failed = Bind("default/a", "n", "error", calls=("ScriptedBinder.bind",))
    steps = (node("n"), created, scheduled("a", "n"), Update({**created.object, "metadata": leaving}), failed)
    assert not broken(*steps, queues(backoff=("a",)))


def test_a_pod_is_in_one_queue_only() -> None:
    assert not broken(pod("a"), queues(active=("a",)))
    assert broken(pod("a"), queues(active=("a",), backoff=("a",))) == ["R-INV-06"]


def test_without_pop_from_backoff_a_pod_may_be_in_two_queues_for_a_while() -> None:
    gates = {"SchedulerPopFromBackoffQ": False}
    assert not broken(pod("a"), queues(active=("a",), backoff=("a",)), gates=gates)
    assert broken(pod("a", on="n"), queues(active=("a",), backoff=("a",)), gates=gates) == ["R-INV-06"]


def test_of_a_pod_in_two_queues_one_place_is_left_when_it_is_deleted() -> None:
    gates = {"SchedulerPopFromBackoffQ": False}
    doubled = (pod("a"), queues(active=("a",), backoff=("a",)))
    left = queues(backoff=("a",))
    assert not broken(*doubled, deleted("Pod", "a"), left, gates=gates)
    assert not broken(*doubled, deleted("Pod", "a"), left, left, gates=gates)
    assert not broken(*doubled, deleted("Pod", "a"), left, scheduled("a", "n"), gates=gates)
    assert broken(*doubled, deleted("Pod", "a"), queues(), left, gates=gates) == ["R-INV-06"]
    assert broken(*doubled, deleted("Pod", "a"), queues(), scheduled("a", "n"), gates=gates) == ["R-INV-05"]
    assert broken(pod("a"), left, deleted("Pod", "a"), left, gates=gates) == ["R-INV-06"]


def test_a_pod_on_a_node_or_none_at_all_is_in_no_queue() -> None:
    assert broken(pod("a", on="n"), queues(active=("a",))) == ["R-INV-06"]
    assert broken(pod("a"), deleted("Pod", "a"), queues(active=("a",))) == ["R-INV-06"]


def test_a_pod_of_ours_that_nobody_has_is_lost() -> None:
    assert broken(pod("a"), queues()) == ["R-INV-07"]
    assert not broken(pod("a", schedulerName="other"), queues())
    leaving = pod("a")
    leaving.object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert not broken(leaving, queues())


def test_what_was_assumed_and_not_bound_is_given_back() -> None:
    steps = (node("n"), pod("a"), scheduled("a", "n"))
    assert not broken(*steps, counted(n=("a",)))
    assert broken(*steps, Bind("default/a", "n", "error"), counted(n=("a",))) == ["R-INV-08"]


def test_what_is_bound_counts() -> None:
    assert broken(node("n"), pod("a", on="n"), counted(n=())) == ["R-INV-08"]
    assert broken(node("n"), node("m"), pod("a", on="n"), counted(n=("a",), m=("a",))) == ["R-INV-08"]
    assert not broken(node("n"), pod("a", on="n"), deleted("Node", "n"), counted(n=("a",)))


def test_an_update_does_not_take_a_pod_off_its_node() -> None:
    assert not broken(node("n"), pod("a", on="n"), Update(pod("a").object), counted(n=("a",)))


# --- In mid-cycle ---------------------------------------------------------------------------------


def test_a_held_pod_was_decided_when_its_cycle_began() -> None:
    invariants = Invariants(DEFAULT_CONFIG, {})
    for record in (node("n"), pod("a")):
        invariants.take(record)
    invariants.begin("default/a")
    assert not invariants.take(queues())
    assert not invariants.take(pod("b", "2", on="n"))
    assert not invariants.take(scheduled("a", "n"))


def test_a_pod_that_was_changed_in_mid_cycle_counts_as_it_was() -> None:
    invariants = Invariants(DEFAULT_CONFIG, {})
    for record in (node("n"), pod("a"), pod("b")):
        invariants.take(record)
    invariants.begin("default/a")
    assert not invariants.take(Update(pod("a", "900").object))
    assert not invariants.take(scheduled("a", "n"))
    assert not invariants.take(scheduled("b", "n"))


def test_an_assumed_pod_of_which_more_is_said_to_be_in_use_counts_as_it_was() -> None:
    running = {"containerStatuses": [_holding("c", "2")]}
    steps = (node("n"), pod("a"), scheduled("a", "n"), Update({**pod("a").object, "status": running}))
    assert not broken(*steps, pod("b"), scheduled("b", "n"))


@pytest.mark.parametrize(("kubernetes", "breaks"), [("1.34", ["R-INV-01"]), ("1.19", [])])
def test_in_1_19_a_node_miscounts_a_pod_that_was_changed_in_mid_cycle(
    kubernetes: str, breaks: list[str]
) -> None:
    changed = pod("b", "900m").object
    steps = (
        node("n"),
        pod("a", on="n"),
        pod("b", "0"),
        scheduled("b", "n"),
        Update(changed),
        bound("b", "n"),
    )
    steps += (deleted("Pod", "b"), pod("c", "1001m"), scheduled("c", "n"))
    config = configured_for(DEFAULT_CONFIG, RELEASES[kubernetes])
    assert broken(*steps, config=config, release=RELEASES[kubernetes]) == breaks


def test_whose_name_was_used_again_in_mid_cycle_is_left_alone() -> None:
    again = (node("n"), pod("a"), scheduled("a", "n"), deleted("Pod", "a"), pod("a"))
    assert not broken(*again, queues())
    assert not broken(*again, queues(active=("a",)))
    assert not broken(*again, counted(n=("a",)))
    assert not broken(*again, scheduled("a", "n"))


def test_each_invariant_counts_how_often_it_had_something_to_look_at() -> None:
    invariants = Invariants(DEFAULT_CONFIG, {})
    scores = {"n": {"ImageLocality": 0}}
    attempt = scheduled("a", "n", filter={"n": SUCCESS}, scores=scores, totals={"n": 0})
    for record in (node("n"), pod("a"), attempt, queues(), counted(n=("a",))):
        assert not invariants.take(record)
    assert {f"R-INV-0{number}" for number in range(1, 9)} <= set(invariants.decisive)


@pytest.mark.parametrize(("kubernetes", "breaks"), [("1.34", []), ("1.35", ["R-INV-08"])])
def test_an_assumed_pod_counts_once_its_deletion_has_begun_as_the_release_says(
    kubernetes: str, breaks: list[str]
) -> None:
    dying = pod("a").object
    dying = {**dying, "metadata": {**dying["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    steps = (node("n"), pod("a"), scheduled("a", "n"), Update(dying))
    assert broken(*steps, counted(n=("a",)), release=RELEASES[kubernetes]) == breaks
