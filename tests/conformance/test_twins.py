# SPDX-License-Identifier: Apache-2.0
"""Which names get a twin, and where it stands."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import strategies as st

from conformance.strategies import AREAS
from conformance.strategies.exchanged import of_areas
from conformance.strategies.twins import TWIN, may_have_twin, twinning, values_of_names
from conformance.vocabulary.objects import ZONE, spread
from conformance.vocabulary.places import objects_in
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import Create, History
from refsched.suite.histories.trial import try_history
from refsched.suite.session.drawing import collected, load_profile

Json = dict[str, Any]


def made(kind: str, name: str, **members: Any) -> Json:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}} | members


def labelled(value: str) -> Json:
    return made("Node", f"of-{value}", metadata={"name": f"of-{value}", "labels": {"rack": value}})


def test_a_name_has_the_values_that_stand_beside_it() -> None:
    found = values_of_names(History(tuple(Create(labelled(value)) for value in ("a", "b", "a"))))
    assert found == {("rack", ""): ["a", "b"]}


@pytest.mark.parametrize(
    ("kind", "member", "key", "value", "may"),
    [
        ("Pod", "labels", "app", "a", True),
        ("Pod", "labels", f"app{TWIN}", "a", False),
        ("Pod", "requests", "cpu", "1", False),
        ("Pod", "requests", "example.com/gpu", "1", True),
        ("Pod", "requests", "attachable.kubernetes.io/disk", "1", False),
        ("ResourceClaim", "requests", "memory", "1", True),
        ("ResourceClaim", "capacity", "requests", {"memory": "1"}, False),
        ("ResourceSlice", "counters", "memory", {"value": "1"}, True),
        ("ResourceSlice", "nodeSelector", "nodeSelectorTerms", [], False),
    ],
)
def test_only_a_name_that_is_free_to_choose_has_a_twin(
    kind: str, member: str, key: str, value: Any, may: bool
) -> None:
    assert may_have_twin(kind, member, key, value) is may


def drawn(area: str) -> str:
    load_profile()
    histories = collected(twinning(of_areas([area])), examples=60, seed="3", name="test")
    return "\n".join(
        repr(step.object) for each in histories for step in each.steps if isinstance(step, Create)
    )


def test_a_twin_stands_wherever_its_name_does() -> None:
    text = drawn("spread")
    for member, value in (
        *(("labels", r"\{[^}]*"), ("matchLabels", r"\{[^}]*"), ("matchLabelKeys", r"\[[^]]*")),
        *(("topologyKey", "'[^']*"), ("key", "'[^']*")),
    ):
        assert re.search(f"'{member}': {value}{TWIN}'", text), member


def test_a_counter_has_a_twin_where_it_is_shared_and_where_it_is_consumed() -> None:
    text = drawn("shared_devices")
    for member in ("sharedCounters", "consumesCounters"):
        assert re.search(f"'{member}': [^]]*{TWIN}'", text), member


def test_the_specification_decides_what_has_twins() -> None:
    with connect("refsched.reference") as adapter:
        for area in ("twins", "twins_newer"):
            for history in collected(AREAS[area](), examples=20, seed="1", name="test"):
                assert not try_history(adapter, history).findings


def test_no_name_has_two_twins() -> None:
    """An API server refuses two constraints of one key and one whenUnsatisfiable."""
    load_profile()
    zoned = made("Node", "n1", metadata={"name": "n1", "labels": {ZONE: "a"}})
    spreading = made("Pod", "p1", spec={"topologySpreadConstraints": [spread(ZONE, 1)]})
    twice = twinning(st.just(History((Create(zoned), Create(spreading)))))
    for history in collected(twice, examples=30, seed="1", name="test"):
        keys = [each["topologyKey"] for each in _only_pod(history)["spec"]["topologySpreadConstraints"]]
        assert len(keys) == len(set(keys))


def _only_pod(history: History) -> Json:
    [found] = [shown for shown in objects_in(history) if shown["kind"] == "Pod"]
    return found
