# SPDX-License-Identifier: Apache-2.0
"""Taint rules: taints that devices have, and those that DeviceTaintRules add, which they do since v1.37."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.claims_in_turn import afterwards, begin, exactly, requests
from conformance.vocabulary.devices import (
    DRIVER,
    claimed,
    resource_slice,
    taint_rule,
)
from conformance.vocabulary.objects import AN_AGE_AGO
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]

# --- Taints ---------------------------------------------------------------------------------------


def _since(*taints: Json) -> list[Json]:
    """Returns the taints with the time at which they were added. Where it is not given, the API server takes it
    from its clock, and an update of the same taint a second later would be a change."""
    return [{**taint, "timeAdded": "2026-01-01T00:00:00Z"} for taint in taints]


TAINTS: tuple[list[Json], ...] = (
    _since({"key": "broken", "effect": "NoSchedule"}),
    _since({"key": "broken", "value": "very", "effect": "NoExecute"}),
    _since({"key": "watched", "effect": "None"}),
    _since(
        {"key": "broken", "value": "very", "effect": "NoSchedule"},
        {"key": "hot", "effect": "NoExecute"},
    ),
    [],
)
TOLERATIONS: SearchStrategy[list[Json]] = st.sampled_from(
    [
        [],
        [{"key": "broken", "operator": "Exists"}],
        [{"key": "broken"}],
        [{"key": "broken", "operator": "Equal", "value": "very"}],
        [{"key": "broken", "value": "very", "effect": "NoExecute"}],
        [{"key": "broken", "operator": "Exists", "effect": "NoSchedule"}],
        [{"key": "broken", "operator": "Exists"}, {"key": "hot", "operator": "Exists"}],
        [{"operator": "Exists"}],
    ]
)
_SELECTED: SearchStrategy[Json | None] = st.sampled_from(
    [
        {"driver": DRIVER, "pool": "s0"},
        {"driver": DRIVER, "pool": "s0", "device": "d0"},
        {"device": "d0"},
        {"pool": "s1", "device": "d1"},
        {"driver": "another.example.com"},
        {"driver": DRIVER},
        {},
        {},
        None,
    ]
)
"""The empty one selects every device; without any a rule concerns none."""


def _rule(selector: Json | None, taint: Json) -> Json:
    """An API server would set ``timeAdded`` by its own clock with each update, and kube-scheduler compares it."""
    return taint_rule("rule", selector, {**taint, "timeAdded": AN_AGE_AGO})


@st.composite
def _tainted(draw: DrawFn, has_rule: bool) -> History:
    """Devices have taints of their own, or by a rule as well that comes, changes or goes."""
    taints = [draw(st.lists(st.sampled_from(TAINTS), min_size=1, max_size=2)) for _ in range(2)]
    cluster = begin(2, *(_tainted_slice(pool, of_pool) for pool, of_pool in enumerate(taints)))
    rules = [_rule(draw(_SELECTED), draw(st.sampled_from(TAINTS[:3]))[0]) for _ in range(2)]
    comes = draw(st.sampled_from(["first", "later", "first"])) if has_rule else "never"
    if comes == "first":
        cluster.add(rules[0])
    tolerations = draw(st.lists(TOLERATIONS, min_size=3, max_size=5))
    claims = [requests(_tolerating(each)) for each in tolerations]
    claimed(cluster, claims)
    if comes == "later":
        cluster.add(rules[0])
    if comes != "never":
        cluster.wait()
        cluster.schedule()
        cluster.steps.append(Update(rules[1]) if draw(st.booleans()) else deleting(rules[0]))
        cluster.wait()
        cluster.schedule()
    afterwards(draw, cluster, claims)
    return cluster.history()


def _tolerating(tolerations: list[Json]) -> Json:
    more: Json = {"tolerations": tolerations} if tolerations else {}
    return exactly(**more)


def _tainted_slice(pool: int, taints: Sequence[list[Json]]) -> Json:
    devices = [
        {"name": f"d{number}", **({"taints": each} if each else {})} for number, each in enumerate(taints)
    ]
    return resource_slice(f"s{pool}", devices, {"nodeName": f"n{pool + 1}"})


def without_rules() -> SearchStrategy[History]:
    return _tainted(has_rule=False)


def histories() -> SearchStrategy[History]:
    return _tainted(has_rule=True)
