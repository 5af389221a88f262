# SPDX-License-Identifier: Apache-2.0
"""What the suite draws is what an API server stores. These tests do not build one, which takes minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.campaigns.stored import Store, main
from conformance.strategies import AREAS
from conformance.strategies.stored_objects import stored
from conformance.vocabulary.objects import pod
from conformance.vocabulary.places import with_each_object
from conformance.vocabulary.storage import a_claim
from conformance.wrong.profile import suite_tests
from refsched.processes.kubernetes_api.client import Client
from refsched.suite.adapters.control_plane import ControlPlane
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.histories.history import Create, History
from refsched.suite.session.drawing import collected, load_profile
from tests.built_control_plane import built_program, is_built

pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")

Json = dict[str, Any]

EXCLUSIVE = a_claim(spec={"accessModes": ["ReadWriteOnce", "ReadWriteOncePod"]})
HUGE: Json = {"hugepages-2Mi": "4Mi"}


def container(**members: Any) -> Json:
    return {"name": "c", "image": "i", **members}


def spec_of(**members: Any) -> Json:
    found: Json = stored({"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [], **members}})
    return found["spec"]


@pytest.mark.parametrize(
    ("members", "name", "expected"),
    [
        ({"nodeName": "n", "schedulingGates": [{"name": "g"}]}, "schedulingGates", None),
        ({"tolerations": [{"effect": "", "tolerationSeconds": 1}]}, "tolerations", [{"effect": ""}]),
        (
            {"topologySpreadConstraints": [{"maxSkew": 1, "matchLabelKeys": ["k"]}]},
            "topologySpreadConstraints",
            [{"maxSkew": 1}],
        ),
        (
            {"containers": [container(ports=[{"hostPort": 1}, {"hostPort": 1, "protocol": "TCP"}])]},
            "containers",
            [container(ports=[{"hostPort": 1}])],
        ),
        (
            {"containers": [container(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}})]},
            "containers",
            [container(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "2"}})],
        ),
        (
            {"containers": [container(resources={"limits": HUGE})]},
            "containers",
            [container(resources={"limits": HUGE, "requests": {"cpu": "0"}})],
        ),
        (
            {
                "containers": [container(resources={"requests": {"cpu": "1"}})],
                "resources": {"requests": {"cpu": "1m"}},
            },
            "resources",
            {"requests": {"cpu": "1000m"}},
        ),
    ],
)
def test_a_pod_is_put_right(members: Json, name: str, expected: object) -> None:
    assert spec_of(**members).get(name) == expected


def test_a_claim_that_is_exclusive_is_nothing_else() -> None:
    assert stored(EXCLUSIVE)["spec"]["accessModes"] == ["ReadWriteOncePod"]
    assert EXCLUSIVE["spec"]["accessModes"] == ["ReadWriteOnce", "ReadWriteOncePod"]


def test_what_can_be_requested_of_a_shared_device_is_there() -> None:
    policy = {"default": "1", "validRange": {"min": "2", "max": "6", "step": "3"}}
    device = {
        "name": "d",
        "allowMultipleAllocations": True,
        "capacity": {"memory": {"value": "4", "requestPolicy": policy}},
    }
    found = stored({"kind": "ResourceSlice", "spec": {"devices": [device]}})["spec"]["devices"][0]
    policy = {"default": "2", "validRange": {"min": "2", "max": "6"}}
    assert found["capacity"]["memory"] == {"value": "6", "requestPolicy": policy}


@pytest.mark.parametrize("area", ["exchanged", "twins_newer", "longer", "volumes"])
def test_what_is_put_right_stays(area: str) -> None:
    load_profile()
    for history in collected(AREAS[area](), examples=5, seed="1", name="stored"):
        assert with_each_object(history, stored) == history


# --- The API server -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    plane = ControlPlane(built_program())
    yield Store(Client(plane.kubeconfig))
    plane.close()


@is_built
def test_an_api_server_refuses_what_is_not_put_right(store: Store) -> None:
    test = suite_tests()[0]
    (refusal,) = store.refusals(test, [History((Create(pod("p")), Create(EXCLUSIVE)))])
    assert refusal.test == test.name
    assert refusal.way[0] == "PersistentVolumeClaim"
    assert "may not use ReadWriteOncePod with other access modes" in refusal.why
    assert not list(store.refusals(test, [History((Create(stored(EXCLUSIVE)),))]))


@is_built
@pytest.mark.parametrize("area", ["exchanged", "exchanged_newer", "twins_newer", "volumes"])
def test_an_api_server_stores_what_is_drawn(store: Store, area: str) -> None:
    load_profile()
    histories = collected(AREAS[area](), examples=8, seed="2", name="stored")
    assert not list(store.refusals(suite_tests()[0], histories))


@is_built
def test_the_campaign_says_what_is_refused() -> None:
    result = CliRunner().invoke(main, ["--of=cases", "--area=ports"])
    assert result.exit_code == 0
    assert re.fullmatch(r"0 of \d+ objects are refused, in 0 ways\n", result.stdout)


@is_built
def test_areas_without_objects_are_not_judged() -> None:
    result = CliRunner().invoke(main, ["--of=chosen", "--area=configurations"])
    assert result.exit_code == 2
    assert "no test of these areas has an object" in result.stderr


def test_without_an_api_server_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable() -> None:
        raise AdapterUnavailable("the control plane", "there is no Go")

    monkeypatch.setattr("conformance.campaigns.stored.control_plane_program", unavailable)
    result = CliRunner().invoke(main, ["--area=ports"])
    assert result.exit_code == 2
    assert "there is no Go" in result.stderr
