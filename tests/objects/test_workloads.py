# SPDX-License-Identifier: Apache-2.0
"""Namespaces, Services and the owners of pods, read from API objects."""

from __future__ import annotations

import pytest

from refsched.errors import InputError
from refsched.objects.reading import read_as
from refsched.objects.workloads import Service


def test_a_selector_of_the_wrong_type_is_refused_by_its_path() -> None:
    with pytest.raises(InputError, match="expected a string, found 1"):
        read_as(Service, {"spec": {"selector": {"app": 1}}})
