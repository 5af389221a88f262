# SPDX-License-Identifier: Apache-2.0
"""Fields: an object without those that are named by their paths."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.reading.without_fields import without_fields

POD: dict[str, Any] = {
    "kind": "Pod",
    "spec": {"containers": [{"name": "c", "ports": [1]}, {"name": "d"}], "resources": {"claims": []}},
}


@pytest.mark.parametrize(
    ("path", "spec"),
    [
        ("Pod.spec.resources", {"containers": POD["spec"]["containers"]}),
        ("Pod.spec.resources.claims", {"containers": POD["spec"]["containers"], "resources": {}}),
        (
            "Pod.spec.containers[].ports",
            {"containers": [{"name": "c"}, {"name": "d"}], "resources": {"claims": []}},
        ),
        ("Pod.spec.volumes[].ephemeral", POD["spec"]),
        ("Pod.spec.containers[].name.first", POD["spec"]),
        ("Pod.spec.resources[].claims", POD["spec"]),
        ("Node.spec.resources", POD["spec"]),
        ("Pod", POD["spec"]),
    ],
)
def test_a_field_is_left_out_wherever_its_path_leads(path: str, spec: dict[str, Any]) -> None:
    assert without_fields(POD, [path]) == {"kind": "Pod", "spec": spec}


def test_the_object_that_was_given_stays_as_it_is() -> None:
    without_fields(POD, ["Pod.spec.containers[].ports", "Pod.spec"])
    assert POD["spec"]["containers"][0] == {"name": "c", "ports": [1]}
