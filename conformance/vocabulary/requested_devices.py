# SPDX-License-Identifier: Apache-2.0
"""What claims ask for of devices, and what became of them: parts of a ResourceClaim, as plain JSON."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.devices import DRIVER
from conformance.vocabulary.features import NAMED

Json = dict[str, Any]

_MATCHING = tuple(f"{DRIVER}/{attribute}" for attribute in ("numa", "model"))


def _request(name: str, *alternatives: Json) -> Json:
    if len(alternatives) == 1:
        return {"name": name, "exactly": alternatives[0]}
    return {"name": name, "firstAvailable": [{"name": f"a{n}", **one} for n, one in enumerate(alternatives)]}


def _asked(count: int, expression: str = "", **more: Any) -> Json:
    amount = {"allocationMode": "ExactCount", "count": count} if count else {"allocationMode": "All"}
    selectors = {"selectors": [{"cel": {"expression": expression}}]} if expression else {}
    return {"deviceClassName": "any", **amount, **selectors, **more}


_IS_A = f"device.attributes['{DRIVER}'].model == 'a'"
REQUESTS: tuple[tuple[Json, ...], ...] = (
    (_request("r0", _asked(1)),),
    (_request("r0", _asked(2)),),
    (_request("r0", _asked(3)),),
    (_request("r0", _asked(1)), _request("r1", _asked(1, _IS_A))),
    (_request("r0", _asked(2, _IS_A), _asked(1)), _request("r1", _asked(1))),
    (_request("r0", _asked(3), _asked(2)), _request("r1", _asked(1))),
    (_request("r0", _asked(0, _IS_A)),),
    (_request("r0", _asked(1, adminAccess=True)), _request("r1", _asked(1))),
)
CONSTRAINTS: tuple[tuple[Json, ...], ...] = (
    (),
    ({"matchAttribute": _MATCHING[0]},),
    tuple({"matchAttribute": each} for each in _MATCHING),
    ({"matchAttribute": _MATCHING[1]}, {"matchAttribute": _MATCHING[0], "requests": ["r0"]}),
    ({"matchAttribute": _MATCHING[0], "requests": ["r0/a1", "r1"]},),
    ({"matchAttribute": _MATCHING[1]}, {"matchAttribute": _MATCHING[0], "requests": ["r0/a0", "r1"]}),
    ({"matchAttribute": f"other.example/{_MATCHING[0].partition('/')[2]}"},),
)
"""A constraint that names a request goes with claims that have it."""
ALLOCATED: tuple[Json, ...] = tuple(
    {
        "allocation": {
            "devices": {"results": [{"request": "r0", "driver": DRIVER, "pool": "s1", "device": "d0"}]},
            **reach,
        },
        **users,
    }
    for reach in ({}, {"nodeSelector": {"nodeSelectorTerms": [NAMED]}})
    for users in ({}, {"reservedFor": [{"resource": "pods", "name": "p1", "uid": "p1"}]})
)
"""What became of a claim: it holds a device, perhaps on one node only, and perhaps for a pod."""
