# SPDX-License-Identifier: Apache-2.0
"""Matching: the volume that a claim gets, of those that exist."""

from __future__ import annotations

from typing import Any

import pytest
from volume_objects import Json, claim, read, volume

from refsched.volumes.matching import candidates, find_matching_volume

N1 = {"kubernetes.io/hostname": "n1"}


def matching(wanted: Json, *volumes: Json, taken: tuple[str, ...] = ()) -> str | None:
    """The name of the volume that the claim gets on n1."""
    asking = read(wanted)
    able = candidates(asking, [read(each) for each in volumes])
    found = find_matching_volume(asking, able, N1, taken)
    return found.name if found is not None else None


def test_the_smallest_volume_that_is_large_enough_is_taken() -> None:
    volumes = [volume("large", size="5Gi"), volume("small", size="1Gi"), volume("medium", size="3Gi")]

    assert matching(claim("c", size="2Gi"), *volumes) == "medium"
    assert matching(claim("c", size="3Gi"), *volumes) == "medium"
    assert matching(claim("c", size="3221225473"), *volumes) == "large"
    assert matching(claim("c", size="6Gi"), *volumes) is None
    assert matching(claim("c", size=""), *volumes) == "small"


def test_of_equal_volumes_the_first_is_taken() -> None:
    volumes = [volume("b"), volume("a")]

    assert matching(claim("c"), *volumes) == "b"
    assert matching(claim("c"), *volumes, taken=("b",)) == "a"


@pytest.mark.parametrize(
    "other",
    [
        volume("v", phase="Released"),
        volume("v", phase="Pending"),
        volume("v", of_class="another"),
        volume("v", modes=("ReadOnlyMany",)),
        volume("v", volumeMode="Block"),
        volume("v", volumeAttributesClassName="gold"),
        volume("v", claimed_by="d"),
        volume("v", claimed_by="c", uid="of-an-earlier-one"),
        volume("v", on="n2"),
        volume("v") | {"metadata": {"name": "v", "deletionTimestamp": "2026-01-01T00:00:00Z"}},
    ],
)
def test_a_volume_that_does_not_serve_is_passed_over(other: Json) -> None:
    assert matching(claim("c"), volume("v")) == "v"
    assert matching(claim("c"), other) is None


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [
        (claim("c", modes=("ReadOnlyMany",)), True),
        (claim("c", modes=("ReadOnlyMany", "ReadWriteOnce")), True),
        (claim("c", modes=("ReadOnlyMany", "ReadWriteMany")), False),
        (claim("c", selector={"matchLabels": {"disk": "ssd"}}), True),
        (claim("c", selector={}), True),
        (claim("c", selector={"matchLabels": {"disk": "hdd"}}), False),
        (claim("c", volumeMode="Block"), False),
        (claim("c", volumeAttributesClassName="gold"), False),
    ],
)
def test_a_claim_may_ask_for_more_than_a_size(wanted: Json, matches: bool) -> None:
    offered = volume("v", modes=("ReadWriteOnce", "ReadOnlyMany"), labels={"disk": "ssd"})

    assert (matching(wanted, offered) == "v") is matches


@pytest.mark.parametrize("uid", ["", "uid-c"])
def test_a_volume_that_names_the_claim_is_taken_before_a_smaller_one(uid: str) -> None:
    """Neither its phase, its class, its access modes nor the claim's selector matter then."""
    rest: dict[str, Any] = {"modes": (), "phase": "Pending", "of_class": "another", "size": "9Gi"}
    own = volume("own", claimed_by="c", uid=uid, **rest)
    wanted = claim("c", selector={"matchLabels": {"disk": "ssd"}})

    assert matching(wanted, volume("v", labels={"disk": "ssd"}), own) == "own"


def test_a_volume_that_names_the_claim_must_still_be_large_enough_and_in_reach() -> None:
    small = volume("own", size="1Mi", claimed_by="c")
    elsewhere = volume("own", on="n2", claimed_by="c")

    assert matching(claim("c"), small, volume("v")) == "v"
    assert matching(claim("c"), volume("v"), elsewhere) is None
    assert matching(claim("c"), volume("v"), elsewhere, taken=("own",)) == "v"
