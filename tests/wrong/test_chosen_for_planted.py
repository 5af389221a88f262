# SPDX-License-Identifier: Apache-2.0
"""What only a property finds of what is planted is shown by a chosen history, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.chosen import chosen_histories
from conformance.wrong import chosen_for_planted, evidence
from conformance.wrong.__main__ import main

NAME = "one-port-for-all-protocols"
TEST = "conformance.test_plugins::test_host_ports"


@pytest.fixture
def nothing_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("conformance.chosen.FOLDER", tmp_path)
    chosen_histories.cache_clear()
    yield
    chosen_histories.cache_clear()


@pytest.mark.usefixtures("nothing_chosen")
def test_a_history_is_chosen_that_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    for added in (1, 0):
        assert main(["choose", NAME, "--jobs", "1"]) == 0
        assert capsys.readouterr().out == f"   {added} histories are added to {TEST}\n"
        chosen_histories.cache_clear()
    assert len(chosen_histories(TEST)) == 1


@pytest.mark.usefixtures("nothing_chosen")
def test_what_nothing_shows_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chosen_for_planted, "SEEDS", ())
    assert main(["choose", NAME, "--jobs", "1"]) == 1
    assert capsys.readouterr().out.endswith(f"nothing shows {NAME}\n")
    assert not chosen_histories(TEST)


def test_what_a_case_finds_needs_no_history() -> None:
    known = evidence.read()
    assert chosen_for_planted.by_property(known, NAME)
    assert not chosen_for_planted.by_property(known, "overcommits")


@pytest.mark.parametrize("place", range(0, 500, 50))
def test_what_a_property_finds_is_shown_by_a_chosen_history(place: int) -> None:
    known = evidence.read()
    name = [one for one in sorted(known.planted) if chosen_for_planted.by_property(known, one)][place]
    test = chosen_for_planted.test_of(known, name)
    assert chosen_for_planted.first_that_shows(name, test, chosen_histories(test.name)) is not None, name
