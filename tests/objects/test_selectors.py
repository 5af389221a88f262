# SPDX-License-Identifier: Apache-2.0
"""Selectors: labels, and nodes by labels and name."""

from __future__ import annotations

import pytest

from refsched.errors import InputError
from refsched.objects.meta import LabelSelector
from refsched.objects.reading import read_as
from refsched.objects.selectors import Requirement, compile_selector


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(InputError, match="'Near' is not a selector operator"):
        Requirement("key", "Near").matches({})
    near = read_as(LabelSelector, {"matchExpressions": [{"key": "k", "operator": "Gt", "values": ["1"]}]})
    with pytest.raises(InputError, match=r"matchExpressions\[0\].operator"):
        compile_selector(near)
