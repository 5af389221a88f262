# SPDX-License-Identifier: Apache-2.0
"""Lists that are longer than an area draws them, and which histories are chosen since misread lists show."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner

from conformance import chosen
from conformance.campaigns import misreadings
from conformance.campaigns.misreadings import (
    Candidate,
    Misreading,
    all_shown_in,
    choose,
    draw,
    misread,
    misreadings_of,
    shown_in,
)
from conformance.strategies import AREAS
from conformance.strategies.exchanged import LONGEST, of_areas
from conformance.strategies.longer import lists_of, lists_within, with_longer_lists
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import Create, History, Schedule
from refsched.suite.histories.trial import try_history
from refsched.suite.session.drawing import collected, load_profile

TAINTS = "Node.spec.taints"


def node(*keys: str) -> dict[str, Any]:
    taints = [{"key": key, "effect": "NoSchedule"} for key in keys]
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": taints}}


def history(*objects: dict[str, Any]) -> History:
    return History((*map(Create, objects), Schedule(1)))


@cache
def lists_drawn(area: str) -> list[tuple[str, list[Any]]]:
    load_profile()
    return [
        (field, items)
        for each in collected(with_longer_lists(of_areas((area,))), examples=40, seed="1", name="test")
        for step in each.steps
        if isinstance(step, Create)
        for _, field, items in lists_within(step.object, (), step.object["kind"])
    ]


@pytest.mark.parametrize(
    ("area", "field"),
    [
        ("taints", TAINTS),
        ("pod_affinity", "Pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"),
        ("devices", "ResourceClaim.spec.devices.requests"),
    ],
)
def test_lists_of_three_and_of_four_are_drawn(area: str, field: str) -> None:
    drawn = {len(items) for each, items in lists_drawn(area) if each == field}
    assert {LONGEST - 1, LONGEST} <= drawn


def test_items_of_one_name_or_key_stand_once() -> None:
    for field, items in (*lists_drawn("taints"), *lists_drawn("devices")):
        if field in (TAINTS, "ResourceClaim.spec.devices.requests"):
            known = [(each.get("name"), each.get("key"), each.get("effect")) for each in items]
            assert len(known) == len(set(known)), field


def test_what_must_be_alone_stays_alone() -> None:
    lists = lists_of(history({"kind": "Pod", "metadata": {}, "spec": {"values": ["5"], "taints": ["a"]}}))
    assert list(lists) == [TAINTS.replace("Node", "Pod")]


def test_the_specification_decides_what_has_longer_lists() -> None:
    load_profile()
    with connect("refsched.reference") as adapter:
        for area in ("longer", "longer_newer"):
            for each in collected(AREAS[area](), examples=20, seed="1", name="test"):
                assert not try_history(adapter, each).findings


# --- What is misread ------------------------------------------------------------------------------


def misread_taints(items: list[Any], place: str, *member: str) -> list[Any]:
    return Misreading(TAINTS, place, member).misread(items)


@pytest.mark.parametrize(
    ("place", "left"), [("first", ["b", "c"]), ("middle", ["a", "c"]), ("last", ["a", "b"])]
)
def test_one_item_of_three_is_overlooked(place: str, left: list[str]) -> None:
    assert misread_taints(["a", "b", "c"], place) == left
    assert misread_taints(["a", "b"], place) == ["a", "b"]


@pytest.mark.parametrize(("place", "said"), [("first", [1, 1, 1]), ("last", [None, None, None])])
def test_a_member_is_taken_for_that_of_all(place: str, said: list[int | None]) -> None:
    items = [
        {"name": "a", "asks": {"count": 1}},
        {"name": "b", "asks": {"count": 2}},
        {"name": "c", "asks": {}},
    ]
    read = misread_taints(items, place, "asks", "count")
    assert [(each["name"], each["asks"].get("count")) for each in read] == list(zip("abc", said, strict=True))


def test_what_is_no_object_has_no_members() -> None:
    assert misread_taints(["a", {"key": "b"}], "last", "key") == ["a", {"key": "b"}]


def test_all_lists_of_a_field_are_misread() -> None:
    read = misread(history(node("a", "b"), node("c")), Misreading(TAINTS, "last", ("key",)))
    assert read == history(node("b", "b"), node("c"))


def test_only_what_differs_can_be_misread() -> None:
    assert {str(each) for each in misreadings_of(history(node("a", "b")))} == {
        "Node.spec.taints, key the first",
        "Node.spec.taints, key the last",
    }
    assert {str(each) for each in misreadings_of(history(node("a", "a", "a")))} == {
        f"Node.spec.taints, without the {place}" for place in ("first", "middle", "last")
    }


def test_what_a_seed_draws_shows_what_is_misread() -> None:
    came = draw(5, 1)
    assert came.shows
    assert came.shows.keys() <= came.could.keys()
    misreading, candidate = next(iter(came.shows.items()))
    assert misreading in all_shown_in(candidate)


def test_what_shows_the_most_for_its_steps_is_chosen_until_all_shows() -> None:
    first, second, third = (Misreading(TAINTS, place) for place in ("first", "middle", "last"))
    long, short, other = (Candidate(steps, "test", line) for steps, line in ((9, "l"), (1, "s"), (3, "o")))
    shown = {long: frozenset({first, second}), short: frozenset({first}), other: frozenset({third})}
    assert list(choose(shown)) == [short, other, long]


def test_what_no_api_server_accepts_shows_nothing() -> None:
    broken = Misreading("Pod.spec.containers", "first", ("name",))
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": 5}, {"name": "b"}]},
    }
    with connect("refsched.reference", in_process=True) as adapter:
        assert not list(shown_in(adapter, history(pod), [broken]))


def test_what_is_chosen_is_written_and_what_shows_nowhere_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[str, int] = {}
    monkeypatch.setattr(chosen, "write_histories", lambda test, some: written.update({test: len(list(some))}))
    came = CliRunner().invoke(misreadings.main, ["--seeds", "1", "--histories", "5", "--workers", "1"])
    assert came.exit_code == 0
    assert sum(written.values()) > 1
    *listed, last = came.stdout.splitlines()
    assert re.fullmatch(r"\d+ of \d+ misreadings show", last)
    assert any(re.fullmatch(r" +\d+  \S+, .*", line) for line in listed)
