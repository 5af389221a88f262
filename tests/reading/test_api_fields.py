# SPDX-License-Identifier: Apache-2.0
"""What is no field is refused where a person wrote it, reported where a cluster printed it, and never found in
what is right."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import Any, get_args

import attrs
import pytest
import yaml

from refsched.errors import InputError
from refsched.objects.kinds import KINDS
from refsched.objects.quantity import Quantity
from refsched.objects.reading import TEXT_OF_OTHERS, json_name
from refsched.reading.api_fields import api_fields, check_fields, type_of, unknown_fields
from refsched.reading.manifests import read_manifests
from refsched.suite.catalogue.api_fields import fields_of

RELEASES = ("19.16", "22.17", "25.16", "28.15", "30.14", "31.14", "33.5", "34.2", "35.4", "36.3")
SCENARIOS = sorted(Path(__file__).parents[2].glob("traces/scenarios/*.yaml"))
MISSPELT = {"containers": [{"name": "c", "image": "i"}], "nodeSelectr": {"a": "b"}}


def pod(metadata: dict[str, Any] | None = None, **members: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", **(metadata or {})}, **members}


def refusal(value: dict[str, Any]) -> str:
    with pytest.raises(InputError) as refused:
        check_fields(value)
    return str(refused.value)


def module_cache() -> Path:
    go = which("go")
    if go is None:
        pytest.skip("needs Go, whose module cache may have what Kubernetes says itself")
    found = subprocess.run([go, "env", "GOMODCACHE"], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


# --- What a person wrote --------------------------------------------------------------------------


def test_what_is_no_field_is_refused_with_its_path_and_the_field_that_may_be_meant() -> None:
    assert refusal(pod(spec=MISSPELT)) == "Pod p: spec.nodeSelectr: is no field; did you mean nodeSelector?"
    container = {"name": "c", "imagge": "i"}
    assert refusal(pod(spec={"containers": [container]})) == (
        "Pod p: spec.containers[0].imagge: is no field; did you mean image?"
    )
    assert refusal(pod(wholly={})) == "Pod p: wholly: is no field"


def test_a_dry_run_of_kubectl_is_what_a_person_wrote() -> None:
    assert "nodeSelectr" in refusal(pod({"creationTimestamp": None}, spec=MISSPELT, status={}))


@pytest.mark.parametrize(
    "status", [{"allocatable": {"cpu": "4"}, "capacity": {"cpu": "4"}}, {"alocatable": {}}]
)
def test_a_node_that_says_only_what_it_has_was_written_by_a_person(status: dict[str, Any]) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status}
    assert "is no field" in refusal({**node, "spec": {"taint": []}})


# --- What a cluster printed -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "printed",
    [
        pod({"uid": "u"}),
        pod({"resourceVersion": "7"}),
        pod({"managedFields": []}),
        pod({"creationTimestamp": "2026-01-01T00:00:00Z"}),
        pod(status={"conditions": []}),
    ],
)
def test_what_a_cluster_printed_is_reported_once_whatever_its_position(printed: dict[str, Any]) -> None:
    containers = [{"name": "c", "newer": 1}, {"name": "d", "newer": 1}]
    value = {**printed, "spec": {"containers": containers, "newest": 1}}
    assert check_fields(value) == ("Pod spec.containers[].newer", "Pod spec.newest")


def test_manifests_count_what_a_cluster_printed() -> None:
    objects = [pod({"name": name, "uid": name}, spec=MISSPELT) for name in "ab"]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    assert read_manifests(["-"], BytesIO(text.encode())).unknown == {"Pod spec.nodeSelectr": 2}


# --- What is right --------------------------------------------------------------------------------


def test_free_forms_and_other_kinds_and_versions_are_left_alone() -> None:
    metadata = {
        "labels": {"any": "thing"},
        "annotations": {"a": "b"},
        "managedFields": [{"fieldsV1": {"f:x": {}}}],
    }
    assert check_fields(pod(metadata, spec={"nodeSelector": {"x": "y"}, "overhead": {"cpu": "1"}})) == ()
    assert check_fields({"apiVersion": "apps/v1", "kind": "Deployment", "speck": {}}) == ()
    assert check_fields({"apiVersion": "v7", "kind": "Pod", "speck": {}}) == ()
    assert check_fields([]) == check_fields({"kind": ["Pod"]}) == check_fields(pod(spec=["x"])) == ()
    assert check_fields(pod(spec={"containers": {"a": {}}, "affinity": "x"})) == ()


def test_every_field_that_is_read_is_a_field() -> None:
    def check(cls: type[Any], kind: str) -> None:
        for attribute in attrs.fields(attrs.resolve_types(cls)):
            name = json_name(attribute.name)
            if TEXT_OF_OTHERS in attribute.metadata:
                continue
            assert name in api_fields()[kind], (kind, name)
            for inner in classes_in(attribute.type):
                check(inner, api_fields()[kind][name].removeprefix("[]").removeprefix("{}"))

    for kind in KINDS:
        check(kind.type, type_of(kind))


def classes_in(annotation: Any) -> Iterator[type[Any]]:
    """What is read as an object with fields."""
    if attrs.has(annotation) and annotation is not Quantity:
        yield annotation
    for part in get_args(annotation):
        yield from classes_in(part)


def test_what_kubernetes_writes_with_every_field_there_is_has_nothing_else() -> None:
    paths = list(module_cache().glob("k8s.io/api@v0.34.*/testdata/**/*.json"))
    if not paths:
        pytest.skip("the module cache does not have k8s.io/api")
    for path in paths:
        assert list(unknown_fields(json.loads(path.read_text("utf-8")))) == [], path


def test_the_table_is_what_kubernetes_own_documents_say() -> None:
    name = "k8s.io/kubernetes@v1.{}/api/openapi-spec/swagger.json"
    paths = [module_cache() / name.format(release) for release in RELEASES]
    if not all(path.exists() for path in paths):
        pytest.skip("the module cache does not have the documents of all releases")
    assert api_fields() == fields_of(json.loads(path.read_text("utf-8")) for path in paths)


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[2].glob("traces/scenarios/*.yaml")), ids=lambda p: p.stem
)
def test_scenarios_have_nothing_but_fields(path: Path) -> None:
    documents = yaml.safe_load_all(path.read_text("utf-8"))
    assert [found for document in documents for found in unknown_fields(document)] == []
