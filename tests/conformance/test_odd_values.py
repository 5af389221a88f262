# SPDX-License-Identifier: Apache-2.0
"""Odd values: which there are, where they stand, and that they decide something."""

from __future__ import annotations

import re
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from conformance.campaigns.odd_values import main, without_row
from conformance.strategies.odd_values import RARELY, Odd, Where, by_odd, changed, with_odd_values
from conformance.vocabulary.objects import HOSTNAME, ZONE, cpu, named, near, node, pod, with_spec
from conformance.vocabulary.odd_values import TABLE
from conformance.vocabulary.storage import STORAGE, storage_object, using
from refsched.objects.storage import BETA_STORAGE_CLASS
from refsched.suite.histories.history import Create, History, Schedule, Update, creating
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.session.drawing import collected, load_profile

Json = dict[str, Any]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NODES = [
    with_spec(
        named(node(labels={ZONE: "a"}), name), taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}]
    )
    for name in ("n1", "n2")
]
TOLERATION: Json = {"key": "k", "value": "v", "effect": "NoSchedule"}
POD = pod(
    "p1",
    cpu("1"),
    tolerations=[TOLERATION],
    affinity=near("podAffinity", REQUIRED, {"matchLabels": {"app": "a"}}, HOSTNAME),
)
CLAIM: Json = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c", "namespace": "default"},
    "spec": {"storageClassName": "slow", "resources": {"requests": {"storage": "1Gi"}}},
}
HISTORY = History((*creating(*NODES, POD, CLAIM), Update(NODES[0]), Schedule()))


def with_odd(field: str, name: str, where: Where = Where.ALONE) -> list[Json]:
    """Returns the objects of the history with this odd value, the first one of its kind."""
    change = by_odd(HISTORY)[Odd(field, name)][0]
    steps = changed(HISTORY, change, where).steps
    return [step.object for step in steps if isinstance(step, Create | Update)]


def test_an_object_has_the_odd_value_from_its_creation_on() -> None:
    first, second, *_, updated = with_odd("Node.metadata.labels", "legacy spelling")
    legacy = {"failure-domain.beta.kubernetes.io/zone": "a"}
    assert first["metadata"]["labels"] == updated["metadata"]["labels"] == legacy
    assert second["metadata"]["labels"] == {ZONE: "a"}


def test_all_objects_with_the_same_value_may_have_the_odd_one() -> None:
    first, second, *_ = with_odd("Node.spec.taints", "given twice", Where.EVERYWHERE)
    assert first["spec"]["taints"] == second["spec"]["taints"]
    assert len(first["spec"]["taints"]) == 2


def test_one_more_object_may_have_the_odd_value_and_pods_that_use_the_one_use_both() -> None:
    claim = {**CLAIM, "status": {"phase": "Bound"}, "spec": {**CLAIM["spec"], "volumeName": "v"}}
    user, other = pod("p1", volumes=using("c")), pod("p2")
    history = History(creating(claim, user, other))

    change = by_odd(history)[Odd("PersistentVolumeClaim.spec.resources.requests", "one more")][0]
    steps = changed(history, change, Where.BESIDE).steps
    odd, usual, both, neither = (step.object for step in steps if isinstance(step, Create))
    assert (odd["metadata"]["name"], usual, neither) == ("c-odd", claim, other)
    assert "volumeName" not in odd["spec"]
    assert "status" not in odd
    assert [each["persistentVolumeClaim"]["claimName"] for each in both["spec"]["volumes"]] == ["c", "c-odd"]


@pytest.mark.parametrize(
    ("field", "name", "shown"),
    [
        ("Pod.spec.tolerations[]", "key one character more", "'key': 'k1'"),
        ("Pod.spec.tolerations[]", "value absent", "[{'key': 'k', 'effect': 'NoSchedule'}]"),
        ("Pod.spec.containers[].resources", "one less", "'cpu': '999m'"),
        ("Pod.spec.containers[].resources", "in another spelling", "'cpu': '1000e-3'"),
        (f"Pod.spec.affinity.podAffinity.{REQUIRED}[].labelSelector", "contradicted", "'NotIn'"),
        (f"Pod.spec.affinity.podAffinity.{REQUIRED}[]", "selected and named", "'namespaces': ['other']"),
        ("PersistentVolumeClaim", "both spellings", f"'{BETA_STORAGE_CLASS}': 'slow1'"),
        ("PersistentVolumeClaim", "legacy spelling", f"'{BETA_STORAGE_CLASS}': 'slow'"),
    ],
)
def test_a_field_has_odd_values_of_its_kind(field: str, name: str, shown: str) -> None:
    assert shown in str(with_odd(field, name))
    assert shown not in str(HISTORY.steps)


def test_a_selector_may_be_absent_and_a_class_stands_in_one_place_only() -> None:
    selected = f"Pod.spec.affinity.podAffinity.{REQUIRED}[].labelSelector"
    assert "labelSelector" not in str(with_odd(selected, "absent"))
    assert "storageClassName" not in str(with_odd("PersistentVolumeClaim", "legacy spelling"))


def test_one_history_in_two_has_odd_values_and_the_seed_says_which() -> None:
    load_profile()
    many = st.integers(1, 10**6).map(lambda n: History((*HISTORY.steps, Schedule(n))))
    first, again = (
        [
            steps_as_json(one)[:-1]
            for one in collected(with_odd_values(many), examples=80, seed="3", name="odd")
        ]
        for _ in range(2)
    )
    assert first == again
    odd = [steps for steps in first if steps != steps_as_json(HISTORY)]
    assert len(first) / (2 * RARELY) < len(odd) < 2 * len(first) / RARELY


def test_each_row_is_about_a_field_that_rules_read_or_that_holds_one() -> None:
    fields = {odd.field for odd in by_odd(HISTORY)}
    assert all(any(re.fullmatch(pattern, field) for pattern, _ in TABLE) for field in fields)
    missing = without_row()
    assert "Pod.spec.priority" not in missing
    assert "CSINode.spec.drivers" in missing


def test_the_campaign_says_what_has_decided_something() -> None:
    done = CliRunner().invoke(main, ["--area", "taints", "--missing"])
    assert done.exit_code == 0
    assert re.search(r"^\d+ of \d+ odd values that were drawn have decided something$", done.output, re.M)
    assert "no odd values: " in done.output


@pytest.mark.parametrize("area", ["taint", "devices"])
def test_areas_of_which_nothing_is_drawn_are_refused(area: str) -> None:
    assert CliRunner().invoke(main, ["--area", area]).exit_code == 2


def test_numbers_counts_and_names_have_odd_values_beside_them() -> None:
    values = {
        field: sorted(
            {name for each, name in ((odd.field, odd.name) for odd in by_odd(OTHERS)) if each == field}
        )
        for field in ("CSINode.spec.drivers[].allocatable.count", "CSIStorageCapacity.capacity")
    }
    assert values == {field: ["one less", "one more", "zero"] for field in values}
    assert Odd("ResourceClaim.spec.devices.requests[].exactly.count", "one less") in by_odd(OTHERS)
    assert Odd("Pod.spec.containers[].image", "with a port") in by_odd(OTHERS)


OTHERS = History(
    creating(
        POD,
        storage_object(
            STORAGE, "CSINode", "n1", spec={"drivers": [{"name": "d", "allocatable": {"count": 2}}]}
        ),
        storage_object(STORAGE, "CSIStorageCapacity", "r", "default", capacity="2Gi"),
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": "k"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"count": 2}}]}},
        },
    )
)


def test_the_odd_values_of_a_group_are_names_that_a_configuration_may_have() -> None:
    field = "KubeSchedulerConfiguration.profiles[].pluginConfig[].args.ignoredResourceGroups[]"
    of_a_group = next(odd for pattern, odd in TABLE if re.fullmatch(pattern, field))
    assert [value for _, value in of_a_group("kubernetes.i")] == ["kubernetes.i1", "akubernetes.i"]
    assert "example.co" in [value for _, value in of_a_group("example.com")]
