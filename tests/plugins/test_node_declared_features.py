# SPDX-License-Identifier: Apache-2.0
"""NodeDeclaredFeatures."""

from __future__ import annotations

from typing import Any

from world import pod_object

from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.plugins.node_declared_features import NodeDeclaredFeatures

PLUGIN, NOTHING = NodeDeclaredFeatures(), ObjectStore()


def pod(**spec: Any) -> Pod:
    value = pod_object("p", **spec)
    value["metadata"]["uid"] = "uid"
    return read_as(Pod, value)


def containing(kind: str = "containers", **container: Any) -> Pod:
    return pod(**{"containers": [{"name": "c"}], kind: [{"name": "d", **container}]})


MOUNTING = {"volumeMounts": [{"name": "v", "bindMountOptions": ["noexec"]}]}


def test_a_pod_requeues_itself_that_requires_other_features() -> None:
    before = containing(**MOUNTING)
    assert PLUGIN.after_own_change(before, before, pod(), NOTHING)
    assert not PLUGIN.after_own_change(before, before, before, NOTHING)
    assert not PLUGIN.after_own_change(before, None, before, NOTHING)
