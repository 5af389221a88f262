# SPDX-License-Identifier: Apache-2.0
"""All traces of kube-scheduler: the specification allows them, and they have seen what docs/traces.md says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path

import pytest

from conformance.campaigns.campaign import OF_DEVICES, PLAN
from refsched.processes.garbage_collection import look_seldom
from refsched.reading.shipped_files import data_folder
from refsched.releases import RELEASES
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.recording import unreached
from refsched.suite.recording.survey import Survey, survey
from refsched.suite.recording.table import DOCUMENT, NEWEST_FIRST, all_traces, rare_rules, with_tables
from refsched.suite.recording.unreached import OFTEN

ROOT = Path(__file__).parents[3]
FOLDER = "recorded-v1.34.2"


@pytest.fixture(scope="module")
def surveys() -> Mapping[str, Survey]:
    """All of them are replayed, once; it takes two minutes."""
    return {name: elsewhere(all_traces(RELEASES[name])) for name in NEWEST_FIRST}


@pytest.fixture(scope="module")
def seen(surveys: Mapping[str, Survey]) -> Survey:
    """The recordings of v1.34.2, which are the most."""
    return surveys["1.34"]


def elsewhere(paths: Sequence[Path]) -> Survey:
    """In a process whose coverage is not measured, which takes a third of the time."""
    with get_context("spawn").Pool(1, look_seldom) as pool:
        return pool.apply(survey, (list(paths),))


@pytest.mark.parametrize("release", NEWEST_FIRST)
def test_the_specification_allows_whatever_kube_scheduler_did(
    release: str, surveys: Mapping[str, Survey]
) -> None:
    assert surveys[release].disagreements == {}
    assert surveys[release].attempts > 1_000


@pytest.mark.parametrize("release", NEWEST_FIRST)
def test_no_rule_that_a_release_lacks_is_heard(release: str, surveys: Mapping[str, Survey]) -> None:
    lacking = [rule.id for rule in all_rules().values() if release not in rule.releases]
    assert [rule for rule in lacking if rule in surveys[release].applied] == []


@pytest.mark.parametrize(
    ("release", "each"), [("1.34", 40), ("1.19", 12), ("1.37", 12), ("1.36", 24), ("1.35", 24)]
)
def test_it_allows_some_where_coverage_is_measured(release: str, each: int) -> None:
    """Of v1.19 and of newer releases more: few other tests reach what only they do."""
    assert survey(all_traces(RELEASES[release])[::each]).disagreements == {}


def test_v1_19_has_recordings_of_all_areas_that_it_can_have(surveys: Mapping[str, Survey]) -> None:
    assert (surveys["1.19"].traces, surveys["1.19"].attempts) == (684, 4_630)
    own = {name for folder, name in surveys["1.19"].areas if folder == "recorded-v1.19.16"}
    assert {part.area for part in PLAN} - own == {*OF_DEVICES, "pending"}


def test_there_are_enough_of_them(seen: Survey) -> None:
    own = [area for (folder, _), area in seen.areas.items() if folder == FOLDER]
    assert sum(area.traces for area in own) >= 1_000
    assert sum(area.attempts for area in own) >= 10_000
    assert {name for folder, name in seen.areas if folder == FOLDER} == {part.area for part in PLAN}
    assert max(area.nodes for area in own) == 200


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in all_traces(RELEASES["1.34"])) < 8_000_000


def test_every_transition_of_the_queue_is_taken_often_enough_or_it_is_stated_why_not(seen: Survey) -> None:
    rare = {row.rule for row in RELEASES["1.34"].queue.transitions if seen.applied[row.rule] < OFTEN}
    assert rare == set(unreached.TRANSITIONS)


def test_the_documentation_says_what_they_have_seen(surveys: Mapping[str, Survey]) -> None:
    text = (ROOT / DOCUMENT).read_text("utf-8")
    assert with_tables(text, surveys) == text, "python -m refsched.suite.recording.table writes it anew"


APPLIED_OFTEN = (
    *("BIND", "CACHE", "CHANGE", "EVENT", "FIT", "FLIGHT", "NODEAFF", "NOM", "PERMIT", "PODAFF"),
    *("PORTS", "RESERVE", "ROLLBACK", "SPREAD", "VOLRESTR"),
)
"""Every rule of these areas is applied ten times. docs/traces.md lists the rules of others that are not."""


def test_the_rules_of_most_areas_are_applied_often_enough(seen: Survey) -> None:
    assert [rule for rule in rare_rules(seen, RELEASES["1.34"]) if rule.split("-")[1] in APPLIED_OFTEN] == []


def test_no_trace_is_in_two_places() -> None:
    names = [path.name for path in all_traces(RELEASES["1.34"]) if data_folder() / FOLDER in path.parents]
    assert len(names) == len(set(names))
