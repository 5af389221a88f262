# SPDX-License-Identifier: Apache-2.0
"""All traces of kube-scheduler: the specification allows them, and they have seen what docs/traces.md says."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

import pytest

from conformance.campaigns.campaign import FOLDER, OF_DEVICES, PLAN
from refsched.queue.transitions import TRANSITIONS
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.recording import unreached
from refsched.suite.recording.survey import Survey, survey
from refsched.suite.recording.table import DOCUMENT, all_traces, plugin_counts, with_tables
from refsched.suite.recording.transitions import LEFT_OVER, MID_CYCLE
from refsched.suite.recording.unreached import OFTEN
from refsched.tools.shipped_files import data_folder

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def seen() -> Survey:
    """All of them are replayed, once; it takes most of a minute."""
    return elsewhere(all_traces())


@pytest.fixture(scope="module")
def seen_of_v1_19() -> Survey:
    return elsewhere(all_traces(RELEASES["1.19"]))


def elsewhere(paths: Sequence[Path]) -> Survey:
    """In a process whose coverage is not measured, which takes a third of the time."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(survey, (list(paths),))


def test_the_specification_allows_whatever_kube_scheduler_did(seen: Survey) -> None:
    assert seen.disagreements == {}


@pytest.mark.parametrize(("release", "each"), [("1.34", 20), ("1.19", 4)])
def test_it_allows_some_where_coverage_is_measured(release: str, each: int) -> None:
    """Of v1.19 more: few other tests reach what only v1.19 does."""
    assert survey(all_traces(RELEASES[release])[::each]).disagreements == {}


def test_the_specification_of_v1_19_allows_whatever_kube_scheduler_did(seen_of_v1_19: Survey) -> None:
    assert seen_of_v1_19.disagreements == {}
    assert (seen_of_v1_19.traces, seen_of_v1_19.attempts) == (684, 4_630)
    own = {name for folder, name in seen_of_v1_19.areas if folder == "recorded-v1.19.16"}
    assert {part.area for part in PLAN} - own == {*OF_DEVICES, "pending"}


def test_there_are_enough_of_them(seen: Survey) -> None:
    own = [area for (folder, _), area in seen.areas.items() if folder == FOLDER]
    assert sum(area.traces for area in own) >= 1_000
    assert sum(area.attempts for area in own) >= 10_000
    assert {name for folder, name in seen.areas if folder == FOLDER} == {part.area for part in PLAN}
    assert max(area.nodes for area in own) == 200


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in all_traces()) < 8_000_000


def test_every_plugin_refuses_and_scores_often_enough_or_it_is_stated_why_not(seen: Survey) -> None:
    rare = {
        (plugin, point)
        for plugin, counted in plugin_counts(seen)
        for point, times in counted.items()
        if times < OFTEN
    }
    assert rare == set(unreached.PLUGINS)


def test_every_transition_of_the_queue_is_taken_often_enough_or_it_is_stated_why_not(seen: Survey) -> None:
    rare = {row.rule for row in TRANSITIONS if seen.transitions[row.rule] < OFTEN}
    assert rare == set(unreached.TRANSITIONS)


@pytest.mark.parametrize("counted", ["asked", "happened"])
def test_whatever_else_is_counted_is_counted_often_enough(seen: Survey, counted: str) -> None:
    assert {what: times for what, times in getattr(seen, counted).items() if times < OFTEN} == {}


def test_the_documentation_says_what_they_have_seen(seen: Survey, seen_of_v1_19: Survey) -> None:
    text = (ROOT / DOCUMENT).read_text("utf-8")
    assert with_tables(text, {"1.34": seen, "1.19": seen_of_v1_19}) == text, (
        "python -m refsched.suite.recording.table writes it anew"
    )


def test_what_is_written_and_what_is_not_recorded_is_there(seen: Survey) -> None:
    for happened in (
        "a scheduling cycle held",
        "no pod to pop",
        "write: update PersistentVolume",
        "write: update PersistentVolumeClaim",
        "write: update ResourceClaim",
        "the clock moves by more than five minutes",
        "permit: allow",
        "permit: reject",
        LEFT_OVER,
        MID_CYCLE,
        *(
            f"feature gate {gate.name} {'off' if gate.default else 'on'}"
            for gate in DEFAULT.gates.values()
            if gate.otherwise is not None
        ),
    ):
        assert seen.happened[happened] >= OFTEN, happened
    for verb in ("filter", "prioritize", "preempt", "bind"):
        for happened in ("an answer", "another status than 200", "no answer"):
            assert seen.asked[f"{verb}: {happened}"] >= OFTEN, happened


def test_every_way_back_is_taken_often_enough(seen: Survey) -> None:
    refused = {f"{point}: unschedulable" for point in ("reserve", "permit", "preBind", "bind")}
    failed = {f"{point}: error" for point in ("reserve", "permit", "preBind", "bind", "bind, an extender")}
    own = {f"PreBind, {plugin}: error" for plugin in ("VolumeBinding", "DynamicResources")}
    waiting = {f"waiting on Permit: {why}" for why in ("timed out", "rejected", "deleted", "preempted")}
    left_out = {"reserve, a plugin of its own: error"}  # its PreFilter is disabled
    expected = refused | failed | own | waiting | left_out | {"Bind, DefaultBinder: error"}
    assert {way for way, times in seen.ways_back.items() if times >= OFTEN} == expected


def test_no_trace_is_in_two_places() -> None:
    names = [path.name for path in all_traces() if data_folder() / FOLDER in path.parents]
    assert len(names) == len(set(names))
