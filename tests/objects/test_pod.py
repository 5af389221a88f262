# SPDX-License-Identifier: Apache-2.0
"""Pod: tolerations, and how a pod is named."""

from __future__ import annotations

import pytest

from refsched.objects.node import Taint
from refsched.objects.pod import Pod, Toleration
from refsched.objects.reading import read_as

TAINT = Taint("dedicated", "NoSchedule", "gpu")


@pytest.mark.parametrize(
    ("toleration", "tolerates"),
    [
        (Toleration("dedicated", "Equal", "gpu", "NoSchedule"), True),
        (Toleration("dedicated", "", "gpu"), True),
        (Toleration("dedicated", "Equal", "cpu"), False),
        (Toleration("dedicated", "Exists", "cpu"), True),
        (Toleration("dedicated", "Exists", effect="NoExecute"), False),
        (Toleration("other", "Exists"), False),
        (Toleration(operator="Exists"), True),
        (Toleration("dedicated", "Matches", "gpu"), False),
    ],
)
def test_a_toleration_tolerates_what_it_names(toleration: Toleration, tolerates: bool) -> None:
    assert toleration.tolerates(TAINT) is tolerates


def test_a_pod_is_named_by_namespace_and_name() -> None:
    pod = read_as(Pod, {"metadata": {"name": "web", "namespace": "shop", "uid": "7"}})
    assert (pod.key, pod.name, pod.uid, pod.priority) == ("shop/web", "web", "7", 0)
