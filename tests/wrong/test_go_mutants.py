# SPDX-License-Identifier: Apache-2.0
"""Mutants of kube-scheduler itself: how they are named and sampled. Building them takes minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.wrong import go_mutants
from conformance.wrong.__main__ import main
from conformance.wrong.go_mutants import GoMutant, Mutated, part_of


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


def test_the_first_of_them_are_an_even_sample() -> None:
    files = ["schedule_one.go"] * 9 + ["backend/queue/nominator.go"] * 2
    mutants = tuple(GoMutant(f"{file}:{i}:part:0", i, "f", "x") for i, file in enumerate(files))
    mutated = Mutated(Path("program"), mutants)

    small, large = mutated.sample()[:4], mutated.sample()

    assert sorted(part_of(one.name) for one in small) == ["cycle", "cycle", "queue", "queue"]
    assert set(large) == set(mutants)


def test_without_go_nothing_can_be_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert main(["try", "go", "--sample", "1"]) == 2
