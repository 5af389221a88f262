# SPDX-License-Identifier: Apache-2.0
"""Recordings that are done to another implementation: what is read from the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refsched.records import Create
from refsched.suite.histories.recordings import needs_of, read_recording, recordings

Json = dict[str, Any]
HEADER = {
    "trace": "refsched.trace/v1",
    "scheduler": {"name": "kube-scheduler", "version": "v1.19.16"},
    "config": {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"},
}


def pod(name: str, uid: str = "") -> Json:
    metadata = {"name": name, "namespace": "default"} | ({"uid": uid} if uid else {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}}


def created(tmp_path: Path, *records: Json) -> list[str | None]:
    """The uids with which the pods of the recording are created."""
    path = tmp_path / "area-001.jsonl"
    lines = (HEADER, *({"at": 0.0, **record} for record in records))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    steps = read_recording(path).steps
    return [step.object["metadata"].get("uid") for step in steps if isinstance(step, Create)]


def deletion(name: str) -> Json:
    return {"delete": {"apiVersion": "v1", "kind": "Pod", "name": name, "namespace": "default"}}


def test_an_object_is_created_with_the_uid_that_its_updates_show(tmp_path: Path) -> None:
    records = [{"create": pod("a")}, {"create": pod("b")}, {"update": pod("a", "uid-7")}]
    assert created(tmp_path, *records) == ["uid-7", None]


def test_a_uid_that_was_given_stays(tmp_path: Path) -> None:
    assert created(tmp_path, {"create": pod("a", "mine")}, {"update": pod("a", "other")}) == ["mine"]


def test_another_object_of_the_same_name_has_a_uid_of_its_own(tmp_path: Path) -> None:
    records = [{"create": pod("a")}, deletion("a"), {"create": pod("a")}, {"update": pod("a", "second")}]
    assert created(tmp_path, *records) == [None, "second"]


def test_a_recorded_nomination_needs_who_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "area-001.jsonl"
    for nominated, needs in (("n1", {"nominations"}), ("", set())):
        created = {**pod("a"), "status": {"nominatedNodeName": nominated}}
        path.write_text(f"{json.dumps(HEADER)}\n{json.dumps({'at': 0.0, 'create': created})}\n", "utf-8")
        assert needs_of(read_recording(path)) == needs


@pytest.mark.parametrize(
    ("kind", "needs"), [("PersistentVolumeClaim", {"volumes"}), ("ResourceClaim", {"devices"})]
)
def test_what_is_created_says_which_capability_is_needed(tmp_path: Path, kind: str, needs: set[str]) -> None:
    path = tmp_path / "area-001.jsonl"
    claim = {"kind": kind, "metadata": {"name": "c", "namespace": "default"}, "spec": {}}
    path.write_text(f"{json.dumps(HEADER)}\n{json.dumps({'at': 0.0, 'create': claim})}\n", "utf-8")
    assert needs_of(read_recording(path)) == needs


def test_a_recording_in_which_a_pod_asks_for_a_device_needs_devices() -> None:
    """Whatever its area is called."""
    for area in ("tainted_devices", "binding_conditions"):
        for path in recordings(area):
            assert "devices" in needs_of(read_recording(path))
