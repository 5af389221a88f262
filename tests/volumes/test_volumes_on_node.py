# SPDX-License-Identifier: Apache-2.0
"""Finding: which volumes a pod's claims have, or could have, on a node."""

from __future__ import annotations

from typing import Any

import pytest
from volume_objects import (
    by_hand,
    claim,
    csi_node,
    read,
    store,
    using,
    volume,
)
from world import node_object, pod_object

from refsched.objects.store import ObjectStore
from refsched.volumes.errors import VolumeError
from refsched.volumes.provisioning import NOTHING_TO_BIND
from refsched.volumes.volumes_on_node import (
    OUT_OF_REACH,
    VOLUME_IS_MISSING,
    claims_of,
    rejections,
)


def pod(*claims: str) -> Any:
    return read(pod_object("p", volumes=using(*claims)))


def node(name: str = "n1", **labels: str) -> Any:
    return read(node_object(name, labels={"kubernetes.io/hostname": name, **labels}))


def refused(objects: ObjectStore, *claims: str, on: str = "n1", **labels: str) -> tuple[str, ...]:
    return rejections(claims_of(pod(*claims), objects), node(on, **labels), objects)


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


def test_a_volume_that_cannot_be_translated_is_an_error() -> None:
    objects = store(
        claim("c", bound_to="v"),
        volume("v", azureDisk={"diskURI": "d"}),
        csi_node("n1", "kubernetes.io/azure-disk"),
    )

    with pytest.raises(VolumeError, match=r"could not translate pv: kind\(Shared\) is not supported"):
        refused(objects, "c")
