# SPDX-License-Identifier: Apache-2.0
"""DefaultBinder."""

from __future__ import annotations

from refsched.framework.interface import Binding
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.plugins.default_binder import binding


def test_a_binding_names_the_pod_by_uid_and_its_node() -> None:
    metadata = {"name": "web", "namespace": "team", "uid": "7", "labels": {"app": "web"}}
    pod = read_as(Pod, {"metadata": metadata})
    assert binding(pod, "n1") == Binding(ObjectMeta("web", "team", "7"), "n1")
