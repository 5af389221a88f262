# SPDX-License-Identifier: Apache-2.0
"""InputError: one line that names where, which field and what."""

from __future__ import annotations

from refsched.errors import InputError


def test_an_error_names_place_field_and_problem() -> None:
    error = InputError("is missing", "cpu").under("requests").at("Pod default/a").at("cluster.yaml")
    assert str(error) == "cluster.yaml: Pod default/a: requests.cpu: is missing"


def test_an_index_joins_its_list_without_a_dot() -> None:
    assert InputError("is wrong", "[2]").under("containers").field == "containers[2]"
    assert str(InputError("is wrong")) == "is wrong"
