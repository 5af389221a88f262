# SPDX-License-Identifier: Apache-2.0
"""Mutants of kube-scheduler itself: how they are named, sampled and told. Building them takes minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.wrong.mutating import go_mutants
from conformance.wrong.mutating.go_equivalent import EQUIVALENT
from conformance.wrong.mutating.go_mutants import GoMutant, Mutated, main, part_of
from conformance.wrong.running.go_mutant_page import FILE, PAGE, GoAttack, page, read, write

ROOT = Path(__file__).parents[2]


def rows(*places: tuple[str, int, str]) -> list[dict[str, str | int]]:
    return [
        {"number": number, "file": file, "line": line, "kind": kind, "function": "f", "text": "x"}
        for number, (file, line, kind) in enumerate(places, 1)
    ]


def test_mutants_of_one_kind_on_one_line_are_distinguished() -> None:
    named = go_mutants.named(rows(("a.go", 3, "part"), ("a.go", 3, "part"), ("a.go", 3, "negated")))

    assert [one.name for one in named] == ["a.go:3:part:0", "a.go:3:part:1", "a.go:3:negated:0"]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("framework/plugins/volumezone/volume_zone.go:1:part:0", "volumes"),
        ("framework/plugins/nodeports/node_ports.go:1:part:0", "plugins"),
        ("backend/queue/nominator.go:1:part:0", "queue"),
        ("schedule_one.go:1:part:0", "cycle"),
    ],
)
def test_each_belongs_to_a_part(name: str, part: str) -> None:
    assert part_of(name) == part


def test_a_sample_is_even_and_a_larger_one_holds_a_smaller_one() -> None:
    files = ["schedule_one.go"] * 9 + ["backend/queue/nominator.go"] * 2
    mutants = tuple(GoMutant(f"{file}:{i}:part:0", i, "f", "x") for i, file in enumerate(files))
    mutated = Mutated(Path("program"), mutants)

    small, large = mutated.sample(4), mutated.sample(8)

    assert sorted(part_of(one.name) for one in small) == ["cycle", "cycle", "queue", "queue"]
    assert large[:4] == small
    assert len(large) == 8


def test_what_became_of_them_is_kept_and_reported(tmp_path: Path) -> None:
    attacks = [
        GoAttack("schedule_one.go:1:part:0", "f", "a || b", "killed", "R-X-01", "t", 1, 4, 0.5),
        GoAttack("schedule_one.go:2:part:0", "f", "a < b", "survived", tried=4, met=4),
        GoAttack("schedule_one.go:3:part:0", "f", "i++", "unreached"),
    ]
    write(attacks, tmp_path / "kept.json")

    shown = page(read(tmp_path / "kept.json"), 10)

    assert "3 of 10 mutants were tried." in shown
    assert "**50.0 % are killed**" in shown
    assert shown.index("`schedule_one.go:2:part:0`") < shown.index("`schedule_one.go:3:part:0`")


def test_the_page_shows_what_is_kept() -> None:
    kept = read(FILE)
    shown = (ROOT / PAGE).read_text("utf-8")

    assert kept
    assert set(kept) >= set(EQUIVALENT)
    assert page(kept, int(shown.split(" mutants were tried.")[0].split(" of ")[-1])) == shown


def test_without_go_nothing_can_be_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert main(["--list"]) == 2
