# SPDX-License-Identifier: Apache-2.0
"""Manifests: which objects a cluster has, from files, folders and standard input."""

from __future__ import annotations

import json
import os
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from refsched.errors import InputError
from refsched.objects.kinds import described_as
from refsched.objects.pod import Pod
from refsched.reading import manifests
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.manifests import read_manifests
from refsched.releases.v1_19 import V1_19
from refsched.releases.v1_34 import V1_34


def _object(
    kind: str, name: str, namespace: str = "", api_version: str = "v1", **more: Any
) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        **more,
    }


POD = _object("Pod", "p")


def _file(folder: Path, name: str, *values: object) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n---\n".join(json.dumps(value) for value in values))
    return str(path)


def _names(paths: list[str]) -> list[str]:
    return [described_as(shown) for shown in read_manifests(paths).objects]


def _refusal(*paths: str | Path, stdin: bytes = b"") -> str:
    with pytest.raises(InputError) as refused:
        read_manifests(paths, BytesIO(stdin))
    return str(refused.value)


def test_objects_come_in_the_order_of_a_cluster_that_is_built(tmp_path: Path) -> None:
    pods = [_object("Pod", "b"), _object("Pod", "a", "z"), _object("Pod", "c", "a"), _object("Pod", "a")]
    path = _file(
        tmp_path, "a.yaml", *pods, _object("Node", "n2"), _object("Node", "n1"), _object("Namespace", "z")
    )
    expected = ["Namespace z", "Node n1", "Node n2", "Pod a/c", "Pod default/a", "Pod default/b", "Pod z/a"]
    assert _names([path]) == expected


def test_lists_stand_for_their_items_and_typed_lists_name_their_kind(tmp_path: Path) -> None:
    bare = {"metadata": {"name": "q"}}
    pods = {"apiVersion": "v1", "kind": "PodList", "items": [bare]}
    listed = {"apiVersion": "v1", "kind": "List", "items": [POD, pods]}
    empty = {"apiVersion": "v1", "kind": "List", "items": None}
    path = _file(tmp_path, "a.yml", listed, empty)
    assert _names([path]) == ["Pod default/p", "Pod default/q"]


def test_kinds_that_scheduling_does_not_read_are_counted(tmp_path: Path) -> None:
    deployments = [_object("Deployment", name, api_version="apps/v1") for name in "ab"]
    found = read_manifests(
        [_file(tmp_path, "a.yaml", *deployments, POD, _object("AllowList", "x", api_version="x/v1"))]
    )
    assert found.ignored == {"apps/v1 Deployment": 2, "x/v1 AllowList": 1}
    assert len(found.objects) == 1


def test_fields_that_the_release_does_not_have_are_dropped(tmp_path: Path) -> None:
    gated = _object("Pod", "p", spec={"schedulingGates": [{"name": "quota"}]})
    path = _file(tmp_path, "a.yaml", gated)
    gates = [
        shown.spec.scheduling_gates
        for release in (V1_34, V1_19)
        for shown in read_manifests([path], release=release).objects
        if isinstance(shown, Pod)
    ]
    assert [len(each) for each in gates] == [1, 0]


def test_fields_whose_feature_gate_is_off_do_not_count(tmp_path: Path) -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {},
        "matchLabelKeys": ["version"],
    }
    path = _file(tmp_path, "a.yaml", _object("Pod", "p", spec={"topologySpreadConstraints": [constraint]}))
    off = with_feature_gates({"MatchLabelKeysInPodTopologySpread": False}, V1_34)
    keys = [
        shown.spec.topology_spread_constraints[0].match_label_keys
        for release in (V1_34, off)
        for shown in read_manifests([path], release=release).objects
        if isinstance(shown, Pod)
    ]
    assert keys == [("version",), ()]


def test_a_folder_stands_for_all_manifests_below_it(tmp_path: Path) -> None:
    for name in ("b/2.yaml", "b/1.json", "a.yml"):
        _file(tmp_path, name, _object("Pod", Path(name).stem))
    for name in (".hidden.yaml", ".git/x.yaml", "notes.txt"):
        _file(tmp_path, name, "not an object")
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    assert _names([str(tmp_path)]) == ["Pod default/1", "Pod default/2", "Pod default/a"]
    assert (
        _refusal(tmp_path / "folder.yaml")
        == f"{tmp_path}/folder.yaml: holds no file named *.yaml, *.yml, *.json"
    )


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(POD).encode()
    assert len(read_manifests(["-"], BytesIO(text)).objects) == 1
    monkeypatch.setattr(manifests.sys, "stdin", SimpleNamespace(buffer=BytesIO(text)))
    assert len(read_manifests(["-"]).objects) == 1


def test_priority_comes_from_the_classes_among_the_objects(tmp_path: Path) -> None:
    classes = _object("PriorityClass", "high", api_version="scheduling.k8s.io/v1", value=7)
    path = _file(tmp_path, "a.yaml", _object("Pod", "p", spec={"priorityClassName": "high"}), classes)
    pod = read_manifests([path]).objects[-1]
    assert isinstance(pod, Pod)
    assert pod.priority == 7


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "holds no object"),
        (b"# nothing\n---\n", "holds no object"),
        (b"a\xff", "is not UTF-8 text (byte 1)"),
        (b"3", "document 1 (line 1): expected an API object, found 3"),
        (b"[]", "expected an API object or a List of them, found a list without kind"),
        (b'{"kind": "List", "items": 3}', "items: expected a list, found 3"),
        (b'{"kind": "List", "items": [3]}', "items[0]: expected an API object, found 3"),
        (
            b'{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": 3}}]}',
            "items[0]: Pod: metadata.name: expected a string, found 3",
        ),
        (b'{"apiVersion": "v2", "kind": "Pod"}', "Pod: apiVersion: Pod is read as v1, not as 'v2'"),
        (
            b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"priorityClassName": "x"}}',
            "Pod default/a: spec.priorityClassName: no PriorityClass with name x was found",
        ),
        (
            b"{apiVersion: v1, kind: Node, metadata: {name: n, namespace: x}}\n---\n"
            b"{apiVersion: v1, kind: Node, metadata: {name: n}}",
            "document 2 (line 2): Node n stands there twice, also in standard input: document 1 (line 1)",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_file_document_object_and_field(text: bytes, problem: str) -> None:
    assert _refusal("-", stdin=text) == f"standard input: {problem}"


def test_values_that_are_too_deep_to_be_reported_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(manifests, "read_known", too_deep)
    assert _refusal("-", stdin=b"{}") == "standard input: is nested too deeply"


def test_files_that_cannot_be_opened_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _refusal(tmp_path / "gone.yaml") == f"{tmp_path}/gone.yaml: No such file or directory"

    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "scandir", refuse)
    assert _refusal(tmp_path) == f"{tmp_path}: Permission denied"


def test_a_selector_that_no_api_server_would_store_is_refused() -> None:
    text = (
        b"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, "
        b"spec: {selector: {matchExpressions: [{key: k, operator: Is}]}}}"
    )
    assert _refusal("-", stdin=text) == (
        "standard input: document 1 (line 1): PodDisruptionBudget default/a: "
        "spec.selector.matchExpressions[0].operator: expected one of In, NotIn, Exists, DoesNotExist, found 'Is'"
    )
