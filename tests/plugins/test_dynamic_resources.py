# SPDX-License-Identifier: Apache-2.0
"""DynamicResources in the cycle: claims are found, allocated, reserved, written and given back."""

from __future__ import annotations

import pytest
from device_world import (
    Json,
    allocated,
    claim,
    device,
    device_class,
    first_of,
    one,
    piece,
)
from world import FEASIBLE, World, configuration, profile

from refsched.framework.interface import Continue, Reject
from refsched.framework.node_info import PodInfo
from refsched.framework.status import error
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.records import Delete, Reference

NAME = "DynamicResources"


@pytest.fixture
def cluster(world: World) -> World:
    """Nodes n1 and n2; s1 offers two devices on n1."""
    for node in ("n1", "n2"):
        world.node(node)
    world.create(device_class())
    world.create(piece("s1", device("d0"), device("d1")))
    return world


def needs(*claims: str) -> list[Json]:
    return [{"name": f"g{i}", "resourceClaimName": name} for i, name in enumerate(claims)]


def from_template(made: str | None) -> Json:
    """A pod's spec and status where its claim is made from a template; ``made`` is empty where none was needed."""
    status: list[Json] = [{"name": "another", "resourceClaimName": "another"}]
    if made is not None:
        status.append({"name": "g", "resourceClaimName": made} if made else {"name": "g"})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "uid": "uid-of-p"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}],
        },
        "status": {"resourceClaimStatuses": status},
    }


def owned(name: str, uid: str) -> Json:
    made = claim(name, one())
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid, "controller": True}
    made["metadata"]["ownerReferences"] = [owner]
    return made


def delete_claim(world: World, name: str) -> None:
    world.apply(Delete(Reference("ResourceClaim", name, "resource.k8s.io/v1", "default")))


# --- PreEnqueue -----------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [None, "foreign", "leaving"])
def test_a_claim_from_a_template_must_be_made_be_the_pods_own_and_stay(
    cluster: World, made: str | None
) -> None:
    cluster.create(owned("foreign", "somebody"))
    leaving = owned("leaving", "uid-of-p")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    cluster.create(leaving)
    cluster.create(from_template(made))
    assert cluster.is_idle()

    cluster.create(owned("own", "uid-of-p"))
    cluster.update(from_template("own"))

    assert cluster.schedule("p").node == "n1"


def test_a_template_may_turn_out_to_need_no_claim(cluster: World) -> None:
    cluster.create(from_template(""))

    assert cluster.schedule("p").filter == {"n1": FEASIBLE, "n2": FEASIBLE}


# --- Filter ---------------------------------------------------------------------------------------


def looked_at(cluster: World) -> tuple[PodClaims, PodInfo]:
    """What PreFilter finds of a pod that needs the claim c."""
    spec = {"metadata": {"name": "p", "namespace": "default"}, "spec": {"resourceClaims": needs("c")}}
    pod = PodInfo(read_as(Pod, spec))
    found = DynamicResources().pre_filter(pod, cluster.machine.state.snapshot())
    assert isinstance(found, Continue)
    return found.state, pod


# --- Reserve and Unreserve ------------------------------------------------------------------------


def script(**points: str) -> dict[str, dict[str, str]]:
    return {"ScriptedA": points}


def test_reserve_without_anything_found_is_an_error(cluster: World) -> None:
    plugin, elsewhere = DynamicResources(), cluster.machine.state.snapshot().by_name["n2"]
    cluster.create(claim("c", one()))
    state, pod = looked_at(cluster)

    answer = plugin.reserve(state, pod, elsewhere, cluster.machine.state.objects)
    assert answer == Reject(error("claim allocation not found for node"))


# --- PreBind --------------------------------------------------------------------------------------


def held(cluster: World, status: Json | None = None, finalizers: tuple[str, ...] = ()) -> None:
    made = claim("c", one(), status=status)
    made["metadata"]["finalizers"] = list(finalizers)
    cluster.create(made)
    cluster.schedule("p", resourceClaims=needs("c"), script=script(permit="Wait"))


@pytest.mark.parametrize(
    ("status", "finalizers", "step"),
    [
        (None, (), "add finalizer to"),
        (None, ("resource.kubernetes.io/delete-protection",), "add allocation and reservation to"),
        (allocated("d0"), (), "add reservation to"),
    ],
)
def test_a_claim_that_was_deleted_by_then_is_an_error(
    cluster: World, status: Json | None, finalizers: tuple[str, ...], step: str
) -> None:
    held(cluster, status, finalizers)
    delete_claim(cluster, "c")

    cluster.permit("p", "allow")

    problem = f'{step} claim default/c: resourceclaims.resource.k8s.io "c" not found'
    assert [bind.message for bind in cluster.binds] == [f'running PreBind plugin "{NAME}": {problem}']


def test_a_claim_that_is_leaving_by_then_is_an_error(cluster: World) -> None:
    held(cluster)
    leaving = claim("c", one())
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    cluster.update(leaving)

    cluster.permit("p", "allow")

    problem = "claim default/c got deleted in the meantime"
    assert [bind.message for bind in cluster.binds] == [f'running PreBind plugin "{NAME}": {problem}']


# --- Events ---------------------------------------------------------------------------------------


def test_a_pod_hears_of_its_own_status_only_and_when_its_claims_are_there(cluster: World) -> None:
    plugin = DynamicResources()
    objects = cluster.machine.state.objects
    own = read_as(Pod, from_template("own"))
    other = read_as(Pod, {"metadata": {"name": "q", "uid": "q"}})

    assert not plugin.after_pod_change(own, None, other, objects)
    assert not plugin.after_pod_change(own, None, own, objects)
    assert plugin.after_pod_change(other, None, other, objects)


# --- Points that are left out ---------------------------------------------------------------------


OFF = {"disabled": [{"name": NAME}]}


@pytest.mark.parametrize(
    ("kubernetes", "points", "score"),
    [("1.37", {}, 200), ("1.37", {"filter": OFF}, 0), ("1.35", {"filter": OFF}, 0), ("1.35", {}, None)],
)
def test_score_counts_only_what_filter_allocated(kubernetes: str, points: Json, score: int | None) -> None:
    """v1.35 fails where Filter allocates some of the claims and others are allocated already."""
    world = World(configuration(profile(**points)), kubernetes=kubernetes)
    anywhere = {"allocation": {"devices": allocated("d1")["allocation"]["devices"]}}
    for each in (device_class(), claim("c0", first_of("r", one("a"))), claim("c1", one(), status=anywhere)):
        world.create(each)
    for name in ("n1", "n2"):
        world.node(name)
        world.create(piece(f"of-{name}", device("d0"), node=name))
    attempt = world.schedule("p", resourceClaims=[{"name": c, "resourceClaimName": c} for c in ("c0", "c1")])
    if score is None:
        assert "number of allocations 1 is smaller than number of claims" in str(attempt.message)
    else:
        assert attempt.scores is not None
        assert {scores[NAME] for scores in attempt.scores.values()} == {score}
