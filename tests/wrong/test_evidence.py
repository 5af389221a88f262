# SPDX-License-Identifier: Apache-2.0
"""What long runs came to is kept in one file, from which the pages are made."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from conformance.wrong.evidence import Row, read, sample_of, with_results, write
from conformance.wrong.kinds import WrongResult
from conformance.wrong.pages import ROOT, kill_matrix, of_sample, pages, write_pages
from conformance.wrong.trying import End, TrialSummary

DEAD = TrialSummary(End.KILLED, "R-PORTS-03", "filter.n1", "conformance.m::test_ports", 3, 8, 0.5)
ALIVE = TrialSummary(End.SURVIVED, tried=7, seconds=1.0)
ERROR = TrialSummary(End.ERROR, tried=2, problem="KeyError")


@pytest.mark.parametrize("path", pages(read()))
def test_a_page_is_made_from_the_evidence(path: str) -> None:
    assert (ROOT / path).read_text("utf-8") == pages(read())[path]


def test_evidence_is_read_as_it_was_written(tmp_path: Path) -> None:
    write(read(), tmp_path / "evidence.json")
    assert read(tmp_path / "evidence.json") == read()


def test_the_pages_are_written_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    write_pages(read(), tmp_path)
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == [
        "go_mutants.md",
        "kill_matrix.md",
        "mutants.md",
    ]


def test_rows_of_others_stay() -> None:
    known = read()
    kept = with_results(known, "planted", [WrongResult("overcommits", "", "", ALIVE, DEAD, ERROR)], 1)
    assert kept.planted["overcommits"] == Row("", "", 7, 1.0, "R-PORTS-03", "")
    assert list(kept.planted) == list(known.planted)
    assert kept.planted["compares-text"] == known.planted["compares-text"]
    text = kill_matrix(kept)
    assert text.index("## Survivors") < text.index("`overcommits`") < text.index("## Resources")

    configured = with_results(known, "configured", [WrongResult("packs", "", "", DEAD)], 1).configured
    assert configured["packs"] == Row("R-PORTS-03", "m::test_ports", 3, 0.5)
    assert configured.keys() == known.configured.keys()


def test_a_part_is_tried_as_a_whole() -> None:
    kept = with_results(read(), "planted", [WrongResult("overcommits", "filter", "", ALIVE)], 1, "filter")
    assert kept.parts["filter"] == {"overcommits": Row("", "", 7, 1.0)}
    assert kept.parts["queue"] == read().parts["queue"]
    assert "| `filter` | `overcommits` |" in kill_matrix(kept)


def test_of_mutants_figures_are_kept_and_those_that_survived() -> None:
    results = [
        WrongResult("a:1", "queue", "x < y", DEAD, DEAD, ALIVE),
        WrongResult("b:1", "queue", "x + y", ALIVE),
        WrongResult("b:2", "cache", "x | y", ERROR),
        WrongResult("b:3", "cache", "x or y", ERROR),
    ]
    sample = sample_of(results, 10, {"It is the same.": ["b:3", "c:9"], "It is another.": ["c:8"]})
    assert sample.measured == date.today().isoformat()
    assert sample.ends == {
        "cache": {"error": 1, "equivalent": 1, "invariants": 0, "recordings": 0},
        "queue": {"killed": 1, "survived": 1, "invariants": 1, "recordings": 0},
    }
    assert sample.alive == {"b:1": ("survived", "x + y"), "b:3": ("equivalent", "x or y")}
    shown = of_sample(sample)
    assert "4 of 10 mutants were tried" in shown
    assert "**50.0 % are killed**" in shown
    assert "| `b:1` | `x + y` |" in shown
    assert "| It is the same. | `b:3` |" in shown
    assert "another" not in shown


@pytest.mark.parametrize("kind", ["mutants", "go"])
def test_a_new_sample_takes_the_place_of_the_one_before_and_keeps_the_arguments(kind: str) -> None:
    known = read()
    kept = with_results(known, kind, [WrongResult("a:1", "queue", "x < y", DEAD)], 10)
    sample = {"mutants": kept.mutants, "go": kept.go}[kind]
    assert (sample.of, sample.seconds, sample.alive) == (10, 0.5, {})
    assert sample.argued == {"mutants": known.mutants, "go": known.go}[kind].argued
    assert kept.planted == known.planted


def test_of_another_kind_nothing_is_kept() -> None:
    with pytest.raises(ValueError, match="there is no evidence about fields"):
        with_results(read(), "fields", [WrongResult("Pod.spec.nodeName", "Pod", "", DEAD)], 1)
