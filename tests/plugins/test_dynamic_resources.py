# SPDX-License-Identifier: Apache-2.0
"""DynamicResources in the cycle: claims are found, allocated, reserved, written and given back."""

from __future__ import annotations

from collections.abc import Iterator

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
from world import FEASIBLE, World, configuration, profile, unresolvable

from refsched.framework.choices import SeededChoices
from refsched.framework.interface import Continue, Reject
from refsched.framework.node_info import PodInfo
from refsched.framework.status import error
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.records import Delete, Reference, Write

NAME = "DynamicResources"
NOT_ALL = unresolvable(NAME, "cannot allocate all claims")
NOT_HERE = unresolvable(NAME, "resourceclaim not available on the node")


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


def statuses(world: World) -> list[Json]:
    """The claims' statuses that the scheduler wrote, in their order."""
    written = [write.object for write in world.writes if write.object["kind"] == "ResourceClaim"]
    return [each.get("status", {}) for each in written]


def given(status: Json) -> list[str]:
    return [result["device"] for result in status["allocation"]["devices"]["results"]]


def delete_claim(world: World, name: str) -> None:
    world.apply(Delete(Reference("ResourceClaim", name, "resource.k8s.io/v1", "default")))


# --- PreEnqueue -----------------------------------------------------------------------------------


def test_a_pod_waits_at_the_gate_until_its_claim_is_there(cluster: World) -> None:
    cluster.pod("p", resourceClaims=needs("c"))
    assert cluster.is_idle()

    cluster.create(claim("c", one()))

    assert cluster.schedule("p").node == "n1"


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


def test_a_claim_that_says_neither_name_nor_template_keeps_the_pod_at_the_gate(cluster: World) -> None:
    cluster.pod("p", resourceClaims=[{"name": "g"}])

    assert cluster.is_idle()


# --- PreFilter ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (one(class_name="no"), "request r: device class no does not exist"),
        (first_of("r", one("a"), one("b", class_name="no")), "request r/b: device class no does not exist"),
    ],
)
def test_a_class_that_is_missing_is_waited_for(cluster: World, asked: Json, reason: str) -> None:
    cluster.create(claim("c", asked))

    attempt = cluster.schedule("p", resourceClaims=needs("c"))

    assert attempt.pre_filter is not None
    assert attempt.pre_filter.reasons == (reason,)
    assert cluster.is_idle()
    cluster.create(device_class("no"))
    cluster.advance(10)
    assert cluster.schedule("p").node == "n1"


def test_a_request_of_no_known_type_is_refused(cluster: World) -> None:
    cluster.create(claim("c", first_of("r")))
    attempt = cluster.schedule("p", resourceClaims=needs("c"))
    assert attempt.pre_filter is not None
    assert attempt.pre_filter.reasons == ("resource claim default/c, request r: unknown request type",)


def test_a_request_without_a_class_is_an_error(cluster: World) -> None:
    cluster.create(claim("c", one(class_name="")))

    attempt = cluster.schedule("p", resourceClaims=needs("c"))

    assert attempt.message == f'running PreFilter plugin "{NAME}": request r: unsupported request type'


def test_where_prefilter_ended_before_its_turn_postfilter_is_an_error() -> None:
    world = World()
    world.node("n1")
    world.create(device_class())
    world.create(claim("c", one()))
    affinity = {"key": "metadata.name", "operator": "In", "values": ["elsewhere"]}
    required = {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [affinity, {**affinity, "values": ["n"]}]}]
        }
    }

    attempt = world.schedule("p", resourceClaims=needs("c"), affinity={"nodeAffinity": required})

    assert attempt.message is not None
    assert attempt.message.endswith("not found")


# --- Filter ---------------------------------------------------------------------------------------


def test_devices_must_be_found_on_the_node(cluster: World) -> None:
    cluster.create(claim("c", one(count=2)))

    attempt = cluster.schedule("p", resourceClaims=needs("c"))

    assert attempt.filter == {"n1": FEASIBLE, "n2": NOT_ALL}
    assert given(statuses(cluster)[-1]) == ["d0", "d1"]


def test_what_is_wrong_with_a_claim_ends_the_attempt(cluster: World) -> None:
    cluster.create(claim("c", one("r", "device.attributes['x'].y == 1")))

    attempt = cluster.schedule("p", resourceClaims=needs("c"))

    assert attempt.result == "error"
    assert attempt.filter is not None
    assert attempt.filter["n1"].code == "Error"


def test_a_claim_that_is_allocated_ties_its_pods_to_its_nodes(cluster: World) -> None:
    cluster.create(claim("c", one(), status=allocated("d0", reserved_for=["other"])))

    attempt = cluster.schedule("p", resourceClaims=needs("c"))

    assert attempt.filter == {"n1": FEASIBLE, "n2": NOT_HERE}
    assert [user["name"] for user in statuses(cluster)[-1]["reservedFor"]] == ["other", "p"]


def test_a_claim_that_is_allocated_without_a_selector_can_be_used_anywhere(cluster: World) -> None:
    status = allocated("d0")
    del status["allocation"]["nodeSelector"]
    cluster.create(claim("c", one(), status=status))

    assert cluster.schedule("p", resourceClaims=needs("c")).filter == {"n1": FEASIBLE, "n2": FEASIBLE}


def test_a_pod_may_use_a_claim_that_is_allocated_and_one_that_is_not(cluster: World) -> None:
    cluster.create(claim("a", one(), status=allocated("d0")))
    cluster.create(claim("b", one()))

    cluster.schedule("p", resourceClaims=needs("a", "b"))

    assert [given(status) for status in statuses(cluster) if status] == [["d0"], ["d1"]]


def test_devices_of_allocated_claims_are_taken_unless_by_admin_access(cluster: World) -> None:
    watched = allocated("d1")
    watched["allocation"]["devices"]["results"][0]["adminAccess"] = True
    cluster.create(claim("a", one(), status=allocated("d0")))
    cluster.create(claim("b", one(), status=watched))
    cluster.create(claim("c", one()))

    cluster.schedule("p", resourceClaims=needs("c"))

    assert given(statuses(cluster)[-1]) == ["d1"]


def looked_at(cluster: World) -> tuple[PodClaims, PodInfo]:
    """What PreFilter finds of a pod that needs the claim c."""
    spec = {"metadata": {"name": "p", "namespace": "default"}, "spec": {"resourceClaims": needs("c")}}
    pod = PodInfo(read_as(Pod, spec))
    found = DynamicResources().pre_filter(pod, cluster.machine.state.snapshot())
    assert isinstance(found, Continue)
    return found.state, pod


@pytest.mark.parametrize(
    ("again", "given"), [([], True), ([claim("a", one(), status=allocated("d0", "d1"))], False)]
)
def test_of_two_claims_that_hold_a_device_the_first_that_lets_go_frees_it(
    cluster: World, again: list[Json], given: bool
) -> None:
    """Until it is taken anew."""
    for name in ("a", "b"):
        cluster.create(claim(name, one(), status=allocated("d0", "d1")))
    delete_claim(cluster, "a")
    for each in again:
        cluster.create(each)
    cluster.create(claim("c", one()))
    cluster.pod("p", resourceClaims=needs("c"))

    assert (cluster.schedule().node == "n1") is given


# --- PostFilter -----------------------------------------------------------------------------------


def test_a_claim_that_is_in_the_way_and_not_in_use_is_deallocated(cluster: World) -> None:
    cluster.create(claim("c", one(), status=allocated("d0", node="gone")))

    attempt = cluster.schedule("p", resourceClaims=needs("c"))

    assert attempt.filter == {"n1": NOT_HERE, "n2": NOT_HERE}
    assert attempt.message is not None
    assert "deallocation of ResourceClaim completed" in attempt.message
    assert statuses(cluster) == [{}]
    cluster.advance(10)
    assert cluster.schedule("p").node == "n1"


def test_a_claim_that_others_use_stays_allocated(cluster: World) -> None:
    cluster.create(claim("c", one(), status=allocated("d0", node="gone", reserved_for=["other"])))

    attempt = cluster.schedule("p", resourceClaims=needs("c"))

    assert attempt.message is not None
    assert "deallocation" not in attempt.message
    assert statuses(cluster) == []


def test_which_of_two_claims_is_deallocated_is_a_choice() -> None:
    freed = set()
    for seed in range(8):
        world = World(choices=SeededChoices(seed))
        world.node("n1")
        for name in ("a", "b"):
            world.create(claim(name, one(), status=allocated("d0", node=f"gone-with-{name}")))
        world.schedule("p", resourceClaims=needs("a", "b"))
        [written] = [
            record.object["metadata"]["name"] for record in world.reported if isinstance(record, Write)
        ]
        freed.add(written)

    assert freed == {"a", "b"}


def test_without_claims_there_is_nothing_to_deallocate(cluster: World) -> None:
    attempt = cluster.schedule("p", cpu="99")

    assert attempt.message is not None
    assert "deallocat" not in attempt.message


@pytest.mark.parametrize(
    ("requests", "said"),
    [
        ({"cpu": "99"}, "no new claims to deallocate"),
        ({"resourceClaims": needs("c")}, "still not schedulable"),
    ],
)
def test_v1_34_says_that_it_deallocates_nothing(requests: Json, said: str) -> None:
    world = World(kubernetes="1.34")
    world.node("n1")
    world.create(claim("c", one(), status=allocated("d0", node="gone", reserved_for=["other"])))
    assert said in (world.schedule("p", **requests).message or "")


# --- Reserve and Unreserve ------------------------------------------------------------------------


def script(**points: str) -> dict[str, dict[str, str]]:
    return {"ScriptedA": points}


def test_devices_that_are_about_to_be_written_are_taken(cluster: World) -> None:
    for name in ("a", "b", "c"):
        cluster.create(claim(name, one()))
    cluster.schedule("p", resourceClaims=needs("a"), script=script(permit="Wait"))

    assert cluster.schedule("q", resourceClaims=needs("b")).node == "n1"
    assert given(statuses(cluster)[-1]) == ["d1"]
    assert cluster.schedule("r", resourceClaims=needs("c")).filter == {"n1": NOT_ALL, "n2": NOT_ALL}


def test_a_claim_that_another_pod_is_having_allocated_is_waited_for(cluster: World) -> None:
    cluster.create(claim("c", one()))
    cluster.schedule("p", resourceClaims=needs("c"), script=script(permit="Wait"))

    attempt = cluster.schedule("q", resourceClaims=needs("c"))

    assert attempt.pre_filter is not None
    assert attempt.pre_filter.reasons == ("resource claim default/c is in the process of being allocated",)
    cluster.permit("p", "allow")
    cluster.advance(10)
    assert cluster.schedule("q").node == "n1"


def test_what_was_held_is_given_up_when_the_pod_is_rejected(cluster: World) -> None:
    cluster.create(claim("c", one(count=2)))
    cluster.create(claim("d", one(count=2)))
    cluster.schedule("p", resourceClaims=needs("c"), script=script(permit="Wait"))

    cluster.permit("p", "reject", "ScriptedA")

    assert cluster.writes == []
    assert cluster.schedule("q", resourceClaims=needs("d")).node == "n1"


def test_a_failed_binding_takes_the_reservation_back_and_leaves_the_allocation(cluster: World) -> None:
    cluster.create(claim("c", one()))
    binder = {"ScriptedBinder": {"bind": "Error"}}

    cluster.schedule("p", resourceClaims=needs("c"), script=binder)

    reserved, given_back = statuses(cluster)[-2:]
    assert given(reserved) == given(given_back) == ["d0"]
    assert "reservedFor" in reserved
    assert "reservedFor" not in given_back


def test_a_pod_that_reserved_nothing_takes_nothing_back(cluster: World) -> None:
    cluster.schedule("p", script={"ScriptedBinder": {"bind": "Error"}})
    cluster.create(claim("c", one(), status=allocated("d0", reserved_for=["other"])))
    cluster.schedule("q", resourceClaims=needs("c"), script=script(reserve="Error"))
    cluster.create(claim("gone", one(), status=allocated("d1")))
    cluster.schedule("r", resourceClaims=needs("gone"), script=script(permit="Wait"))
    delete_claim(cluster, "gone")
    cluster.permit("r", "reject", "ScriptedA")

    assert cluster.writes == []


def test_reserve_without_anything_found_is_an_error(cluster: World) -> None:
    plugin, elsewhere = DynamicResources(), cluster.machine.state.snapshot().by_name["n2"]
    cluster.create(claim("c", one()))
    state, pod = looked_at(cluster)

    answer = plugin.reserve(state, pod, elsewhere, cluster.machine.state.objects)
    assert answer == Reject(error("claim allocation not found for node"))


def test_an_order_of_pools_in_which_something_fails_is_not_one_that_filter_found(world: World) -> None:
    world.node("n1")
    world.create(device_class())
    world.create(piece("a", device("d0")))
    world.create(piece("b", device("d0"), device("d0")))
    world.create(claim("c", one()))

    assert world.schedule("p", resourceClaims=needs("c")).node == "n1"
    assert given(statuses(world)[-1]) == ["d0"]


@pytest.mark.parametrize(("release", "tried"), [("1.34", {"d0", "d1"}), ("1.37", {"d0"})])
def test_which_pool_is_tried_first_was_a_choice(release: str, tried: set[str]) -> None:
    def outcomes() -> Iterator[str]:
        for seed in range(12):
            world = World(choices=SeededChoices(seed), kubernetes=release)
            world.node("n1")
            world.create(device_class())
            world.create(piece("a", device("d0")))
            world.create(piece("b", device("d1")))
            world.create(claim("c", one()))
            world.schedule("p", resourceClaims=needs("c"))
            yield from given(statuses(world)[-1])

    assert set(outcomes()) == tried


# --- PreBind --------------------------------------------------------------------------------------


def test_the_finalizer_is_written_before_the_allocation(cluster: World) -> None:
    cluster.create(claim("c", one()))

    cluster.schedule("p", resourceClaims=needs("c"))

    first, second = (write.object for write in cluster.writes)
    assert first["metadata"]["finalizers"] == ["resource.kubernetes.io/delete-protection"]
    assert "status" not in first
    assert "allocation" in second["status"]


def test_a_claim_that_bears_the_finalizer_is_written_once(cluster: World) -> None:
    protected = claim("c", one())
    protected["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
    cluster.create(protected)

    cluster.schedule("p", resourceClaims=needs("c"))

    assert len(cluster.writes) == 1


def test_a_claim_that_the_pod_has_reserved_is_not_written_again(cluster: World) -> None:
    cluster.create(claim("c", one(), status=allocated("d0", reserved_for=["uid-of-p"])))
    pod = from_template(None)
    pod["spec"]["resourceClaims"] = needs("c")
    cluster.create(pod)

    cluster.schedule("p")

    assert cluster.writes == []


def test_a_claim_that_the_pod_names_twice_is_allocated_once_too_often(cluster: World) -> None:
    cluster.create(claim("c", one()))

    cluster.schedule("p", resourceClaims=needs("c", "c"))

    problem = "claim default/c got allocated elsewhere in the meantime"
    assert [bind.message for bind in cluster.binds] == [f'running PreBind plugin "{NAME}": {problem}']


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


def waiting(world: World) -> None:
    """p waits for devices: its claim c needs three."""
    world.create(claim("c", one(count=3)))
    world.schedule("p", resourceClaims=needs("c"))
    world.advance(10)
    assert world.where("p") == "unschedulable"


def test_a_new_slice_or_node_or_class_may_help(cluster: World) -> None:
    waiting(cluster)
    cluster.create(piece("s2", device("d2")))
    assert cluster.where("p") == "active"


def test_a_claim_that_lost_its_allocation_frees_devices_for_all(cluster: World) -> None:
    cluster.create(claim("other", one(), status=allocated("d0")))
    waiting(cluster)
    cluster.update(claim("other", one(), status=allocated("d0")))
    assert cluster.where("p") == "unschedulable"

    cluster.update(claim("other", one()))

    assert cluster.where("p") == "active"


def test_of_its_own_claim_only_the_status_concerns_a_pod(cluster: World) -> None:
    waiting(cluster)
    renamed = claim("c", one(count=3))
    renamed["metadata"]["labels"] = {"a": "b"}
    cluster.update(renamed)
    assert cluster.where("p") == "unschedulable"

    cluster.update(
        claim("c", one(count=3), status={"reservedFor": [{"resource": "pods", "name": "x", "uid": "x"}]})
    )

    assert cluster.where("p") == "active"


def test_a_pod_without_all_of_its_claims_hears_of_none(cluster: World) -> None:
    cluster.create(claim("other", one(), status=allocated("d0")))
    waiting(cluster)
    delete_claim(cluster, "c")
    cluster.update(claim("other", one()))
    assert cluster.where("p") == "unschedulable"

    cluster.create(claim("c", one(count=2)))

    assert cluster.where("p") == "active"


def test_a_pod_hears_of_its_own_status_only_and_when_its_claims_are_there(cluster: World) -> None:
    plugin = DynamicResources()
    objects = cluster.machine.state.objects
    own = read_as(Pod, from_template("own"))
    other = read_as(Pod, {"metadata": {"name": "q", "uid": "q"}})

    assert not plugin.after_pod_change(own, None, other, objects)
    assert not plugin.after_pod_change(own, None, own, objects)
    assert plugin.after_pod_change(other, None, other, objects)


def test_a_claim_that_disappears_between_queue_and_cycle_is_found_missing(cluster: World) -> None:
    cluster.create(claim("c", one()))
    cluster.pod("p", resourceClaims=needs("c"))
    delete_claim(cluster, "c")

    attempt = cluster.schedule("p")

    assert attempt.pre_filter is not None
    assert attempt.pre_filter.reasons == ('could not find ResourceClaim "default/c"',)


# --- Points that are left out ---------------------------------------------------------------------


OFF = {"disabled": [{"name": NAME}]}


def test_score_fails_for_any_pod_where_pre_filter_was_left_out() -> None:
    world = World(configuration(profile(preFilter=OFF, filter=OFF)), kubernetes="1.37")
    world.node("n1")
    world.node("n2")

    assert world.schedule("p").message == f'running Score plugins: plugin "{NAME}" failed with: not found'


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
