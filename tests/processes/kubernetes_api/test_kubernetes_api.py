# SPDX-License-Identifier: Apache-2.0
"""Requests to an API server, and watches that end in the middle."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_api_server import SmallApiServer, small_api_server

from refsched.errors import InputError
from refsched.objects.kinds import KINDS
from refsched.processes.kubernetes_api.client import ApiError, Client, UnreachableError, kind_named, path_of
from refsched.processes.kubernetes_api.watching import ADDED, DELETED, LISTED, MODIFIED, Watching

pytest.importorskip("kubernetes", reason="the client of Kubernetes is not installed: refsched[cluster]")

Json = dict[str, Any]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[SmallApiServer, Client]]:
    with small_api_server(tmp_path) as (api, kubeconfig):
        yield api, Client(kubeconfig)


def node(name: str, **labels: str) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


def test_paths_are_those_of_kubernetes() -> None:
    assert path_of(kind_named("Pod"), "default", "p", "status") == "/api/v1/namespaces/default/pods/p/status"
    paths = {kind.name: path_of(kind) for kind in KINDS}
    assert paths["StorageClass"] == "/apis/storage.k8s.io/v1/storageclasses"
    assert paths["CSIStorageCapacity"] == "/apis/storage.k8s.io/v1/csistoragecapacities"
    assert paths["PodDisruptionBudget"] == "/apis/policy/v1/poddisruptionbudgets"
    with pytest.raises(InputError, match="no kind that scheduling reads"):
        kind_named("ConfigMap")


def test_a_refusal_says_what_the_api_server_says(server: tuple[SmallApiServer, Client]) -> None:
    api, client = server
    created = client.create(node("n"))
    assert client.get("Node", "", "n") == created
    with pytest.raises(ApiError) as refused:
        client.create(node("n"))
    assert refused.value.status == 409
    with pytest.raises(ApiError) as missing:
        client.delete("Node", "", "other")
    assert missing.value.is_missing
    assert str(ApiError(503, "ServiceUnavailable", "")) == "503 ServiceUnavailable"
    assert client.patch("Node", "", "n", {"metadata": {"labels": {"a": "b"}}})["metadata"]["labels"] == {
        "a": "b"
    }
    api.refuse = lambda method, path, body: (500, "")
    with pytest.raises(ApiError, match="500"):
        client.watch(kind_named("Node"), "0") if False else client.list_of(kind_named("Node"))


def test_a_kubeconfig_that_cannot_be_used_is_an_input_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        Client(tmp_path / "missing")
    monkeypatch.setitem(sys.modules, "kubernetes.client", None)
    with pytest.raises(InputError, match=r"refsched\[cluster\]"):
        Client(tmp_path / "missing")


def test_no_answer_is_an_error_of_its_own(tmp_path: Path) -> None:
    with small_api_server(tmp_path) as (_, kubeconfig):
        client = Client(kubeconfig)
    with pytest.raises(UnreachableError, match="does not answer"):
        client.list_of(kind_named("Node"))


def test_a_watch_that_is_cut_goes_on_with_what_has_changed_meanwhile(
    server: tuple[SmallApiServer, Client],
) -> None:
    api, client = server
    for name in ("changed", "deleted", "same"):
        client.create(node(name))
    watching = Watching(client, [kind_named("Node")])
    assert _next(watching, 4) == [
        (ADDED, "changed"),
        (ADDED, "deleted"),
        (ADDED, "same"),
        (LISTED, ""),
    ]
    client.create(node("new"))
    assert _next(watching, 1) == [(ADDED, "new")]
    api.refuse = lambda method, path, body: (503, "ServiceUnavailable") if method == "GET" else None
    api.cut_watches()
    client.replace(node("changed", a="b"))
    client.delete("Node", "", "deleted")
    api.refuse = lambda method, path, body: None
    assert sorted(_next(watching, 2)) == [(DELETED, "deleted"), (MODIFIED, "changed")]
    assert watching.next(0) is None
    watching.close()


def _next(watching: Watching, count: int) -> list[tuple[str, str]]:
    events = [watching.next(20) for _ in range(count)]
    return [(event.type, (event.object.get("metadata") or {}).get("name", "")) for event in events if event]
