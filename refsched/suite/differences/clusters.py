# SPDX-License-Identifier: Apache-2.0
"""Clusters: the smallest ones on which two releases were found to decide differently, with the rules that say so.

They are kept as data, which ``python -m conformance.campaigns.differing_clusters`` makes anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import history_as_json, history_from_json

Json = dict[str, Any]

FILE = Path(__file__).parent / "clusters.json"


@frozen
class ReleaseDifference:
    """``rules`` has for each release, by its minor version, the rule that is applied on this cluster and differs
    from that of the other; ``change`` is what changed it in Kubernetes, if that is known, and ``differs`` is the
    pattern of the member in which the releases differ (differing_members.py)."""

    rules: Mapping[str, str]
    history: History
    change: str = ""
    differs: str = "*"


@cache
def differences(path: Path = FILE) -> tuple[ReleaseDifference, ...]:
    """Returns the differences in the order of the rules of the newest release."""
    return tuple(_read(each) for each in json.loads(path.read_text("utf-8")))


def write(found: tuple[ReleaseDifference, ...], path: Path = FILE) -> None:
    """Writes the differences, each in a line of its own."""
    lines = ",\n".join(json.dumps(_written(each)) for each in found)
    path.write_text(f"[\n{lines}\n]\n", "utf-8")


def _read(value: Json) -> ReleaseDifference:
    return ReleaseDifference(
        value["rules"], history_from_json(value), value.get("change", ""), value["differs"]
    )


def _written(difference: ReleaseDifference) -> Json:
    return {
        "rules": dict(difference.rules),
        **({"change": difference.change} if difference.change else {}),
        "differs": difference.differs,
        **history_as_json(difference.history),
    }
