# SPDX-License-Identifier: Apache-2.0
"""Finding: which volumes a pod's claims have, or could have, on a node."""

from __future__ import annotations

from typing import Any

import pytest
from volume_objects import (
    SELECTED_NODE,
    Json,
    by_hand,
    claim,
    csi_driver,
    csi_node,
    read,
    storage_class,
    store,
    using,
    volume,
)
from world import node_object, pod_object

from refsched.objects.storage import PersistentVolume
from refsched.objects.store import ObjectStore
from refsched.volumes.errors import VolumeError
from refsched.volumes.provisioning import NOT_ENOUGH_SPACE, NOTHING_TO_BIND
from refsched.volumes.volumes_on_node import (
    OUT_OF_REACH,
    VOLUME_IS_MISSING,
    claims_of,
    find_pod_volumes,
    rejections,
)

Found = tuple[dict[str, str], list[str]]
"""The volume of each claim that is to be bound, and the claims to provision."""


def pod(*claims: str) -> Any:
    return read(pod_object("p", volumes=using(*claims)))


def node(name: str = "n1", **labels: str) -> Any:
    return read(node_object(name, labels={"kubernetes.io/hostname": name, **labels}))


def kinds(objects: ObjectStore, *claims: str) -> tuple[list[str], list[str], list[str]]:
    """The pod's claims: bound, delayed, immediate."""
    found = claims_of(pod(*claims), objects)
    bound, delayed, immediate = (
        [each.name for each in part] for part in (found.bound, found.delayed, found.immediate)
    )
    return bound, delayed, immediate


def found(objects: ObjectStore, *claims: str, on: str = "n1") -> Found | None:
    volumes = find_pod_volumes(claims_of(pod(*claims), objects), node(on))
    if volumes is None:
        return None
    matches = {match.claim.name: match.volume.name for match in volumes.matches}
    return matches, [each.name for each in volumes.provisions]


def refused(objects: ObjectStore, *claims: str, on: str = "n1", **labels: str) -> tuple[str, ...]:
    return rejections(claims_of(pod(*claims), objects), node(on, **labels), objects)


# --- The pod's claims -----------------------------------------------------------------------------


def test_claims_are_bound_or_wait_for_their_consumer_or_should_have_been_bound() -> None:
    objects = store(
        by_hand(),
        storage_class("at-once", waits=False),
        claim("bound", bound_to="v"),
        claim("later"),
        claim("at-once", "at-once"),
        claim("classless", ""),
        claim("of-no-class", "missing"),
        claim("promised", volumeName="v"),
        claim("not-complete", annotations={"pv.kubernetes.io/bind-completed": "yes"}),
    )

    assert kinds(objects, "bound", "later") == (["bound"], ["later"], [])
    assert kinds(objects, "not-complete") == ([], ["not-complete"], [])
    for name in ("at-once", "classless", "of-no-class", "promised"):
        assert kinds(objects, name) == ([], [], [name])


def test_a_claim_named_twice_counts_twice() -> None:
    objects = store(by_hand(), claim("c"), volume("a"), volume("b"))

    assert kinds(objects, "c", "c") == ([], ["c", "c"], [])


def test_volumes_of_other_classes_are_not_looked_at() -> None:
    objects = store(by_hand(), by_hand("other"), claim("c"), volume("a"), volume("b", "other"))

    [of_class] = claims_of(pod("c"), objects).candidates.values()

    assert [each.name for each in of_class] == ["a"]


# --- Claims to be bound ---------------------------------------------------------------------------


def test_the_smallest_claim_chooses_first() -> None:
    objects = store(by_hand(), claim("big", size="2Gi"), claim("small"), volume("v", size="2Gi"))

    assert found(objects, "big", "small") == ({"small": "v"}, ["big"])


def test_of_claims_of_equal_size_the_first_of_the_pod_chooses_first() -> None:
    objects = store(by_hand(), claim("a"), claim("b"), volume("v"))

    assert found(objects, "b", "a") == ({"b": "v"}, ["a"])


def test_no_volume_is_found_twice() -> None:
    objects = store(by_hand(), claim("c"), volume("v", size="1Gi"), volume("w", size="2Gi"))

    matches = find_pod_volumes(claims_of(pod("c", "c"), objects), node())

    assert matches is not None
    assert [match.volume.name for match in matches.matches] == ["v", "w"]


def test_a_volume_that_another_pod_is_about_to_bind_is_not_free() -> None:
    objects = store(by_hand(), claim("c"), volume("v"))
    objects.assume(read(volume("v", claimed_by="d")))

    assert found(objects, "c") == ({}, ["c"])
    objects.restore(PersistentVolume, "v")
    assert found(objects, "c") == ({"c": "v"}, [])


def test_a_claim_that_was_sent_to_a_node_stays_with_it() -> None:
    objects = store(
        storage_class("x"),
        claim("c", "x", annotations={SELECTED_NODE: "n1"}),
        claim("d", "x"),
        volume("v", "x"),
    )

    assert found(objects, "d", "c") == ({"d": "v"}, ["c"])
    assert found(objects, "d", "c", on="n2") is None
    assert refused(objects, "d", "c", on="n1") == ()
    assert refused(objects, "d", "c", on="n2") == (NOTHING_TO_BIND,)


def test_what_cannot_be_bound_must_be_provisioned() -> None:
    driver = csi_driver("csi.example", tracks_capacity=True)
    objects = store(by_hand(), storage_class("x"), claim("c"), claim("d", "x"), driver)

    assert refused(objects, "c") == (NOTHING_TO_BIND,)
    assert refused(objects, "d") == (NOT_ENOUGH_SPACE,)


# --- Claims that are bound ------------------------------------------------------------------------


def test_the_volume_of_a_bound_claim_must_be_there_and_in_reach() -> None:
    objects = store(
        claim("here", bound_to="v"),
        claim("there", bound_to="w"),
        claim("nowhere", bound_to="x"),
        volume("v", on="n1"),
        volume("w", on="n2"),
    )

    assert refused(objects, "here") == ()
    assert refused(objects, "here", "there") == (OUT_OF_REACH,)
    assert refused(objects, "nowhere", "there") == (VOLUME_IS_MISSING,)
    assert refused(objects, "there", "nowhere") == (OUT_OF_REACH,)


def test_bound_and_unbound_claims_both_say_why_not() -> None:
    objects = store(
        by_hand(), claim("there", bound_to="w"), claim("gone", bound_to="x"), claim("c"), volume("w", on="n2")
    )

    assert refused(objects, "c", "there") == (OUT_OF_REACH, NOTHING_TO_BIND)
    assert refused(objects, "c", "gone") == (NOTHING_TO_BIND, VOLUME_IS_MISSING)


def test_where_a_driver_stands_in_it_is_its_topology_that_counts() -> None:
    disk: Json = {"gcePersistentDisk": {"pdName": "d"}}
    zone = "topology.kubernetes.io/zone"
    objects = store(
        claim("c", bound_to="v"),
        volume("v", labels={zone: "a"}, **disk),
        csi_node("n1", "kubernetes.io/gce-pd"),
    )

    assert refused(objects, "c", on="n2") == ()
    assert refused(objects, "c", on="n1") == (OUT_OF_REACH,)
    assert refused(objects, "c", on="n1", **{"topology.gke.io/zone": "a"}) == ()


def test_a_volume_that_cannot_be_translated_is_an_error() -> None:
    objects = store(
        claim("c", bound_to="v"),
        volume("v", azureDisk={"diskURI": "d"}),
        csi_node("n1", "kubernetes.io/azure-disk"),
    )

    with pytest.raises(VolumeError, match=r"could not translate pv: kind\(Shared\) is not supported"):
        refused(objects, "c")
