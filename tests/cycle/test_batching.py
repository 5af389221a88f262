# SPDX-License-Identifier: Apache-2.0
"""Batches: a pod that is equal to the one before it is tried on the next best node first."""

from __future__ import annotations

from typing import Any

import pytest

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


# --- The node that was chosen last ----------------------------------------------------------------


def test_there_is_no_hint_if_a_candidate_is_gone_when_the_last_node_is_scored_again() -> None:
    cluster = world()
    cluster.node("n4", "100")
    cluster.schedule("a", "2")
    cluster.delete_node("n2")
    attempt = cluster.schedule("b", "2")
    assert attempt.node == "n4"
    assert not is_hinted(attempt)


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


def test_labels_are_not_signed_if_the_preferred_terms_of_existing_pods_are_ignored() -> None:
    args = {"ignorePreferredTermsOfExistingPods": True}
    config = configuration(WITHOUT_SPREADING | {"pluginConfig": [{"name": "InterPodAffinity", "args": args}]})
    labelled = pod_object("p", "1", labels={"app": "a"})
    assert signed(pod(), "1.37", config) == signed(labelled, "1.37", config)


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
