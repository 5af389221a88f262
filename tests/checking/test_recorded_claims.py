# SPDX-License-Identifier: Apache-2.0
"""What is written into a claim is compared: how devices are configured, where they can be used, and by whom."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from device_world import DRIVER, Json, claim, device, device_class, one, piece
from world import configuration, node_object, pod_object

from refsched.checking.checker import Checker
from refsched.checking.other_scheduler import OtherScheduler
from refsched.checking.recorded_claims import ClaimWrites, allocation_disagreements
from refsched.devices.claims import start_allocation
from refsched.objects.dra import DELETE_PROTECTION, ResourceClaim
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.records import Attempt, Create, Record, Update, Write
from refsched.releases.v1_34 import V1_34

CONFIG = {"opaque": {"driver": DRIVER, "parameters": {"mode": "fast"}}}
ADMIN = {**one("a"), "adminAccess": True}
ON_N1 = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
GIVEN: Json = {
    "devices": {
        "results": [
            {"request": "r", "driver": DRIVER, "pool": "s", "device": "d0"},
            {"request": "a", "driver": DRIVER, "pool": "s", "device": "d1", "adminAccess": True},
        ],
        "config": [
            {"source": "FromClass", "requests": ["r", "a"], **CONFIG},
            {"source": "FromClaim", "requests": ["r"], **CONFIG},
        ],
    },
    "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [ON_N1]}]},
}
USED = [{"resource": "pods", "name": "p", "uid": "uid-of-p"}]


def asked(status: Json | None = None, *finalizers: str) -> Json:
    made = claim("c", one(), ADMIN, status=status, config=[{"requests": ["r"], **CONFIG}])
    return {**made, "metadata": {**made["metadata"], "finalizers": list(finalizers)}}


def cluster(checker: Checker | None = None) -> Checker:
    """A pod with a claim for a device, and for another one to administer."""
    checker = checker or Checker(configuration(), release=V1_34)
    gpu = {**device_class(), "spec": {"config": [CONFIG]}}
    users = [{"name": "c", "resourceClaimName": "c"}]
    waiting = pod_object("p", resourceClaims=users)
    waiting["metadata"]["uid"] = "uid-of-p"
    for each in (gpu, node_object("n1"), piece("s", device("d0"), device("d1"), node="n1"), asked(), waiting):
        checker.take(Create(each))
    return checker


def found(written: Json) -> list[str]:
    """The members in which the second write differs; the first one adds the finalizer."""
    records: list[Record] = [
        Attempt("default/p", "scheduled", node="n1"),
        Write("update", asked(None, DELETE_PROTECTION)),
        Write("update", written),
    ]
    checker = cluster()
    checker.foresee(records)
    return [each.member for record in records for each in checker.take(record)]


def whole() -> Json:
    return asked({"allocation": deepcopy(GIVEN), "reservedFor": deepcopy(USED)}, DELETE_PROTECTION)


def test_what_the_specification_writes_agrees() -> None:
    assert found(whole()) == []


def test_the_devices_may_be_reported_in_another_order() -> None:
    written = whole()
    written["status"]["allocation"]["devices"]["results"].reverse()

    assert found(written) == []


@pytest.mark.parametrize(
    ("path", "value", "member"),
    [
        (("devices", "config"), [], "claimConfig"),
        (("devices", "config"), GIVEN["devices"]["config"][::-1], "claimConfig"),
        (("nodeSelector",), None, "claimNodes"),
        (("nodeSelector",), {"nodeSelectorTerms": [{"matchExpressions": [ON_N1]}]}, "claimNodes"),
        (("devices", "results", 1, "adminAccess"), None, "claimAdmin"),
        (("devices", "results", 0, "tolerations"), [{"key": "k", "value": "v"}], "claimTolerations"),
        (("devices", "results", 0, "bindingConditions"), ["Ready"], "claimConditions"),
        (("devices", "results", 0, "bindingFailureConditions"), ["Broken"], "claimFailureConditions"),
        (("devices", "results", 0, "shareID"), "1", "claimShares"),
        (("devices", "results", 0, "consumedCapacity"), {"memory": "1"}, "claimCapacity"),
        (("devices", "results", 0, "device"), "d9", "write"),
    ],
)
def test_each_part_of_an_allocation_is_compared(path: tuple[Any, ...], value: Any, member: str) -> None:
    written = whole()
    place = written["status"]["allocation"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value

    assert found(written) == [f"{member}.default/c"]


@pytest.mark.parametrize(
    "users",
    [
        [],
        [*USED, *USED],
        [{**USED[0], "resource": "nodes"}],
        [{**USED[0], "name": "q"}],
        [{**USED[0], "apiGroup": "batch"}],
    ],
)
def test_a_claim_is_reserved_for_the_pod_and_for_nobody_else(users: list[Json]) -> None:
    written = whole()
    written["status"]["reservedFor"] = users

    assert found(written) == ["claimUsers.default/c"]


def test_another_pods_uid_is_not_the_pods() -> None:
    checker = cluster()
    other = pod_object("q", nodeName="n1")
    other["metadata"]["uid"] = "uid-of-q"
    checker.take(Create(other))
    checker.take(Attempt("default/p", "scheduled", node="n1"))
    written = whole()
    written["status"]["reservedFor"][0]["uid"] = "uid-of-q"

    assert [each.member for each in checker.take(Write("update", written))] == ["claimUsers.default/c"]


def test_a_uid_that_an_api_server_made_up_may_be_any() -> None:
    written = whole()
    written["status"]["reservedFor"][0]["uid"] = "made-up"

    assert found(written) == []


def test_a_claim_is_protected_before_devices_are_allocated() -> None:
    written = whole()
    written["metadata"]["finalizers"] = []

    assert found(written) == ["claimFinalizers.default/c"]


def test_a_claim_keeps_what_its_driver_reports_of_devices_and_gets_no_more_of_it() -> None:
    written = whole()
    written["status"]["devices"] = [{"driver": DRIVER, "pool": "s", "device": "d0", "data": {"a": 1}}]

    assert found(written) == ["claimDevices.default/c"]


def test_members_that_are_absent_prove_nothing_unless_the_uid_is_given() -> None:
    written = whole()
    del written["metadata"]["uid"], written["metadata"]["finalizers"], written["status"]["reservedFor"]
    del written["status"]["allocation"]["nodeSelector"], written["status"]["allocation"]["devices"]["config"]

    assert found(written) == []


def test_who_holds_nothing_was_given_nothing() -> None:
    free = read_as(ResourceClaim, asked())
    given = read_as(ResourceClaim, asked({"allocation": {"devices": {}}}))

    assert list(allocation_disagreements(free, given)) == []


def test_who_reports_claims_has_to_write_the_devices_too() -> None:
    silent, protecting, honest = cluster(), cluster(), cluster()
    for checker in (silent, protecting, honest):
        checker.take(Attempt("default/p", "scheduled", node="n1"))
    protecting.take(Write("update", asked(None, DELETE_PROTECTION)))
    honest.take(Write("update", asked(None, DELETE_PROTECTION)))
    honest.take(Write("update", whole()))

    def missing(checker: Checker) -> list[str]:
        return [each.member for each in checker.take_missing() if each.member != "bind"]

    assert missing(protecting) == ["write.default/c"]
    assert missing(silent) == missing(honest) == missing(protecting) == []


def test_whoever_leaves_the_api_server_to_others_has_to_report_all_writes() -> None:
    checker = cluster(Checker(configuration(), release=V1_34, other=OtherScheduler(reports_claims=True)))
    checker.take(Attempt("default/p", "scheduled", node="n1"))

    assert "write.default/c" in [each.member for each in checker.take_missing()]


def test_a_claim_that_the_specification_deleted_meanwhile_is_compared_as_it_was() -> None:
    writes = ClaimWrites()
    writes.specify(Write("update", whole()))
    writes.specify(Write("delete", whole()))

    assert list(writes.take(read_as(ResourceClaim, whole()), read_as(ResourceClaim, asked()))) == []
    assert writes.deleted.keys() == {"default/c"}
    assert writes.missing() == []


def test_before_it_is_deleted_a_claim_may_be_written_as_it_was_created() -> None:
    created, protecting = asked(), asked(None, DELETE_PROTECTION)
    writes = ClaimWrites()
    for record in (Write("create", created), Write("update", protecting), Write("delete", created)):
        writes.specify(record)

    assert list(writes.take(read_as(ResourceClaim, created), read_as(ResourceClaim, protecting))) == []


def test_a_write_that_leaves_the_claim_as_it_is_proves_nothing() -> None:
    checker = cluster()
    checker.take(Attempt("default/p", "scheduled", node="n1"))
    taken_back = whole()
    taken_back["status"]["reservedFor"] = []

    assert [each.member for each in checker.take(Write("update", taken_back))] == ["claimUsers.default/c"]

    checker.take(Update(taken_back))
    assert list(checker.take(Write("update", taken_back))) == []


def test_a_claim_that_others_changed_before_it_was_allocated_is_followed_no_further() -> None:
    objects = ObjectStore()
    start_allocation(read_as(ResourceClaim, whole()), objects)
    writes = ClaimWrites(are_reported=True)
    writes.note_input(Update(asked()), objects)
    writes.specify(Write("update", whole()))

    assert (writes.missing(), writes.is_lost) == ([], True)
