# SPDX-License-Identifier: Apache-2.0
"""Batches: a pod that is equal to the one before it is tried on the next best node first."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import asdict

from refsched.framework.choices import Choices
from refsched.framework.signature import Signature, sign_pod
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.records import Attempt
from tests.world import FEASIBLE, Json, World, configuration, pod_object, profile

WITHOUT_SPREADING = profile(
    multiPoint={
        "enabled": [{"name": "ScriptedA"}, {"name": "ScriptedB"}],
        "disabled": [{"name": "PodTopologySpread"}],
    }
)


def world(kubernetes: str = "1.37", choices: Choices | None = None, *profiles: Json, **options: Any) -> World:
    """Three nodes; a pod that requests 2 CPUs leaves no room for another on n1, n2 and n3, of which n1 is the best
    and n3 the worst."""
    made = World(
        configuration(*(profiles or (WITHOUT_SPREADING,)), **options), choices=choices, kubernetes=kubernetes
    )
    for name, cpu in (("n1", "3900m"), ("n2", "3500m"), ("n3", "3")):
        made.node(name, cpu)
    return made


def is_hinted(attempt: Attempt) -> bool:
    return attempt.filter == {attempt.node: FEASIBLE} and attempt.totals is None


# --- Which pod gets a hint ------------------------------------------------------------------------


@pytest.mark.parametrize("kubernetes", ["1.35", "1.36", "1.37"])
def test_equal_pods_get_the_nodes_of_one_search_from_the_best_to_the_worst(kubernetes: str) -> None:
    cluster = world(kubernetes)
    attempts = [cluster.schedule(name, "2") for name in ("a", "b", "c")]
    assert [attempt.node for attempt in attempts] == ["n1", "n2", "n3"]
    assert [is_hinted(attempt) for attempt in attempts] == [False, True, True]
    assert (attempts[1].evaluated, attempts[1].feasible) == (1, 1)
    assert cluster.schedule("d", "2").result == "unschedulable"


def test_in_1_34_and_without_the_gate_each_pod_is_searched_for() -> None:
    cluster = world("1.34")
    assert [is_hinted(cluster.schedule(name, "2")) for name in ("a", "b", "c")] == [False] * 3


def test_the_system_default_constraints_leave_every_pod_without_a_hint() -> None:
    cluster = world("1.37", None, profile())
    assert [is_hinted(cluster.schedule(name, "2")) for name in ("a", "b")] == [False, False]


def test_a_pod_with_another_signature_gets_no_hint() -> None:
    cluster = world()
    cluster.schedule("a", "2")
    assert not is_hinted(cluster.schedule("b", "2", labels={"app": "other"}))


@pytest.mark.parametrize(("kubernetes", "hinted"), [("1.35", True), ("1.36", False), ("1.37", False)])
def test_a_pod_that_is_updated_in_flight_keeps_its_signature(kubernetes: str, hinted: bool) -> None:
    """It fails twice in the same way, so that no update of its status follows the second time."""
    cluster = world(kubernetes)
    cluster.pop("late", "2", script={"ScriptedA": {"reserve": "Hold:Error"}})
    cluster.release("late")
    cluster.advance(5)
    cluster.pop("late")
    failed = cluster.machine.state.api.get(Pod, "late", "default")
    assert failed is not None
    conditions = [asdict(each) for each in failed.status.conditions]
    cluster.update(pod_object("late", "2", labels={"app": "a"}) | {"status": {"conditions": conditions}})
    cluster.release("late")
    cluster.advance(5)
    cluster.schedule("a", "2", labels={"app": "a"}, priority=5)
    assert is_hinted(cluster.schedule("late")) is hinted


def test_a_pod_that_failed_between_two_equal_ones_ends_the_batch() -> None:
    cluster = world()
    cluster.schedule("a", "2")
    assert cluster.schedule("huge", "100").result == "unschedulable"
    assert not is_hinted(cluster.schedule("b", "2"))


def test_a_pod_of_another_profile_ends_the_batch() -> None:
    cluster = world("1.37", None, WITHOUT_SPREADING, WITHOUT_SPREADING | {"schedulerName": "other"})
    cluster.schedule("a", "2")
    assert not is_hinted(cluster.schedule("of-other", "100m", schedulerName="other"))
    assert not is_hinted(cluster.schedule("b", "2"))


@pytest.mark.parametrize(("seconds", "hinted"), [(0.5, True), (0.51, False)])
def test_a_batch_ends_after_half_a_second(seconds: float, hinted: bool) -> None:
    cluster = world()
    cluster.schedule("a", "2")
    cluster.advance(seconds)
    assert is_hinted(cluster.schedule("b", "2")) is hinted


def test_only_the_search_counts_for_the_age_of_a_batch_and_not_its_hints() -> None:
    cluster = world()
    cluster.schedule("a", "2")
    cluster.advance(0.4)
    assert is_hinted(cluster.schedule("b", "2"))
    cluster.advance(0.4)
    assert not is_hinted(cluster.schedule("c", "2"))


# --- The node that was chosen last ----------------------------------------------------------------


def test_a_node_with_room_for_one_more_is_scored_again_and_competes() -> None:
    cluster = world()
    cluster.node("n4", "100")
    attempts = [cluster.schedule(name, "2") for name in ("a", "b")]
    assert [attempt.node for attempt in attempts] == ["n4", "n4"]
    assert is_hinted(attempts[1])


@pytest.mark.parametrize("kubernetes", ["1.35", "1.36"])
def test_until_1_36_there_is_no_hint_while_the_last_node_has_room(kubernetes: str) -> None:
    cluster = world(kubernetes)
    cluster.node("n4", "100")
    attempts = [cluster.schedule(name, "2") for name in ("a", "b")]
    assert [attempt.node for attempt in attempts] == ["n4", "n4"]
    assert not is_hinted(attempts[1])


def test_there_is_no_hint_if_the_last_node_is_gone() -> None:
    cluster = world()
    cluster.schedule("a", "2")
    cluster.delete_node("n1")
    assert not is_hinted(cluster.schedule("b", "2"))


def test_there_is_no_hint_if_a_candidate_is_gone_when_the_last_node_is_scored_again() -> None:
    cluster = world()
    cluster.node("n4", "100")
    cluster.schedule("a", "2")
    cluster.delete_node("n2")
    attempt = cluster.schedule("b", "2")
    assert attempt.node == "n4"
    assert not is_hinted(attempt)


def test_a_hint_at_a_node_that_no_longer_fits_is_followed_by_a_search() -> None:
    cluster = world()
    cluster.schedule("a", "2")
    cluster.update_node("n2", "1")
    attempt = cluster.schedule("b", "2")
    assert attempt.node == "n3"
    assert set(attempt.filter or ()) == {"n1", "n2", "n3"}


def test_a_hint_at_a_node_that_is_gone_is_followed_by_a_search() -> None:
    cluster = world()
    cluster.schedule("a", "2")
    cluster.delete_node("n2")
    attempt = cluster.schedule("b", "2")
    assert attempt.node == "n3"
    assert set(attempt.filter or ()) == {"n1", "n3"}


def test_of_equal_candidates_any_may_be_hinted_at() -> None:
    class LastChoice:
        def choose(self, question: str, options: Any) -> Any:
            return options[-1]

    cluster = World(configuration(WITHOUT_SPREADING), choices=LastChoice(), kubernetes="1.37")
    for name in ("n1", "n2", "n3"):
        cluster.node(name, "3")
    assert [cluster.schedule(name, "2").node for name in ("a", "b", "c")] == ["n3", "n2", "n1"]


# --- Nominated pods -------------------------------------------------------------------------------


def test_a_nominated_pod_gets_no_hint() -> None:
    cluster = world()
    cluster.schedule("a", "2")
    assert cluster.schedule("b", "2", nominated_to="n3").node == "n3"
    assert not is_hinted(cluster.schedule("c", "2")), "one node was feasible, and nothing was scored"


def test_until_1_36_a_nominated_pod_uses_up_a_hint() -> None:
    cluster = world("1.36")
    cluster.node("n4", "2500m")
    cluster.schedule("a", "2")
    nominated = cluster.schedule("b", "2", nominated_to="n4")
    assert nominated.node == "n4"


# --- Signatures -----------------------------------------------------------------------------------


def signed(
    pod: Json, kubernetes: str = "1.37", config: Json | None = None, *classes: Json
) -> Signature | None:
    cluster = World(config or configuration(WITHOUT_SPREADING), kubernetes=kubernetes)
    for each in classes:
        cluster.create(each)
    state = cluster.machine.state
    return sign_pod(state.profiles["default-scheduler"], read_as(Pod, pod), state.objects)


def pod(**spec: Any) -> Json:
    return pod_object("p", "1", **spec)


def container(**parts: Any) -> Json:
    return {"name": "c", "image": "i", **parts}


def requirement(key: str, *values: str) -> Json:
    return {"key": key, "operator": "In", "values": list(values)}


def affinity(*terms: Json, preferred: tuple[Json, ...] = ()) -> Json:
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)},
            "preferredDuringSchedulingIgnoredDuringExecution": list(preferred),
        }
    }


A, B = requirement("a", "1", "2"), requirement("b", "3")
ONE, OTHER = {"matchExpressions": [A, B]}, {"matchFields": [B]}
ONE_IN_ANOTHER_ORDER = {"matchExpressions": [B, requirement("a", "2", "1")]}
TOLERATION, ANOTHER = {"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}
DISK = {"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pod(), pod_object("q", "1000m")),
        (pod(priority=5), pod()),
        (pod(tolerations=[TOLERATION, ANOTHER]), pod(tolerations=[ANOTHER, TOLERATION])),
        (pod(volumes=[DISK]), pod(volumes=[DISK | {"name": "other"}])),
        (pod(volumes=[{"name": "v", "configMap": {"name": "a"}}]), pod()),
        (pod(volumes=[{"name": "v", "secret": {"secretName": "a"}}]), pod()),
        (pod(containers=[container(ports=[{"hostPort": 80}])]),
         pod(containers=[container(ports=[{"hostPort": 80, "protocol": "UDP", "hostIP": "10.0.0.1"}])])),
        (pod(containers=[container(), container(image="j")]),
         pod(containers=[container(image="j:latest"), container(), container()])),
        (pod(affinity=affinity(ONE, OTHER)), pod(affinity=affinity(OTHER, ONE_IN_ANOTHER_ORDER))),
    ],
)  # fmt: skip
def test_what_differs_in_nothing_that_plugins_read_has_the_same_signature(one: Json, other: Json) -> None:
    assert signed(one) is not None
    assert signed(one) == signed(other)


@pytest.mark.parametrize(
    "other",
    [
        pod_object("p", "2"),
        pod_object("p", "1", labels={"app": "a"}),
        pod(tolerations=[TOLERATION]),
        pod(nodeSelector={"a": "b"}),
        pod(affinity={"nodeAffinity": {}}),
        pod(affinity=affinity(ONE)),
        pod(affinity=affinity(preferred=({"weight": 1, "preference": ONE},))),
        pod(volumes=[DISK]),
        pod(containers=[container(resources={"requests": {"cpu": "1"}}, ports=[{"hostPort": 80}])]),
        pod(containers=[container(resources={"requests": {"cpu": "1"}}, image="j")]),
        pod(hostNetwork=True, hostUsers=False),
        pod(on="n1"),
    ],
)
def test_what_differs_in_what_a_plugin_reads_has_another_signature(other: Json) -> None:
    assert signed(pod()) != signed(other)
    assert signed(other) is not None


@pytest.mark.parametrize(
    "unsigned",
    [
        pod(affinity={"podAffinity": {}}),
        pod(affinity={"podAntiAffinity": {}}),
        pod(resourceClaims=[{"name": "c", "resourceClaimName": "c"}]),
    ],
)
def test_a_pod_whose_place_depends_on_others_has_no_signature(unsigned: Json) -> None:
    assert signed(unsigned) is None


CONSTRAINT = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}


def spreading(*constraints: Json) -> Json:
    args = {"defaultingType": "List", "defaultConstraints": list(constraints)}
    return configuration(profile() | {"pluginConfig": [{"name": "PodTopologySpread", "args": args}]})


def test_a_pod_with_spread_constraints_of_its_own_or_by_default_has_no_signature() -> None:
    assert signed(pod(), "1.37", spreading()) is not None
    assert signed(pod(topologySpreadConstraints=[CONSTRAINT]), "1.37", spreading()) is None
    assert signed(pod(), "1.37", spreading(CONSTRAINT)) is None
    assert signed(pod(), "1.37", configuration()) is None


def test_labels_are_not_signed_if_the_preferred_terms_of_existing_pods_are_ignored() -> None:
    args = {"ignorePreferredTermsOfExistingPods": True}
    config = configuration(WITHOUT_SPREADING | {"pluginConfig": [{"name": "InterPodAffinity", "args": args}]})
    labelled = pod_object("p", "1", labels={"app": "a"})
    assert signed(pod(), "1.37", config) == signed(labelled, "1.37", config)


def test_no_pod_has_a_signature_if_there_are_extenders() -> None:
    extender = {"urlPrefix": "http://127.0.0.1:1", "filterVerb": "filter", "ignorable": True}
    assert signed(pod(), "1.37", configuration(WITHOUT_SPREADING, extenders=[extender])) is None


SERVED = container(resources={"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}})
GPU = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {"extendedResourceName": "example.com/gpu"},
}


@pytest.mark.parametrize("kubernetes", ["1.36", "1.37"])
def test_a_pod_that_devices_serve_has_no_signature(kubernetes: str) -> None:
    assert signed(pod(containers=[SERVED]), kubernetes, None, GPU) is None
    assert signed(pod(containers=[SERVED]), kubernetes) is not None
