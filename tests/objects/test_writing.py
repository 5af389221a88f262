# SPDX-License-Identifier: Apache-2.0
"""Objects as they are written: the JSON that would be read as the same object again."""

from __future__ import annotations

import pytest

from refsched.objects.quantity import Quantity, parse_quantity
from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolumeClaim
from refsched.objects.writing import as_json


@pytest.mark.parametrize(
    ("amount", "written"), [("1Ki", "1024"), ("1.5", "1500m"), ("0.5m", "500u"), ("1n", "1n"), ("-2", "-2")]
)
def test_an_amount_is_written_as_it_can_be_read_again(amount: str, written: str) -> None:
    value = {
        "metadata": {"name": "c", "namespace": "n"},
        "spec": {"resources": {"requests": {"storage": amount}}},
    }
    claim = read_as(PersistentVolumeClaim, value)

    requests = as_json(claim)["spec"]["resources"]["requests"]

    assert requests == {"storage": written}
    assert parse_quantity(written) == parse_quantity(amount) != Quantity()
