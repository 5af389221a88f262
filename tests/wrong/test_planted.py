# SPDX-License-Identifier: Apache-2.0
"""The texts of planted schedulers: each edit can be made, and each scheduler was tried."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.wrong import evidence
from conformance.wrong.profile import suite_tests
from refsched.mistakes.planting import replacing
from refsched.mistakes.wrong import WrongScheduler, all_wrong, areas, read_area
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.catalogue.rules import all_rules

ROOT = Path(__file__).parents[2]

ENTRY = """\
# Planted schedulers that wait.
# Tried on them first: queue, faults

waits-longer: A pod waits for two minutes.
breaks R-QUEUE-50, R-QUEUE-51 of v1.19 in refsched.queue.waiting
cites kubernetes #1
shows with queue
-     wait(
-         60)
+     wait(120)

never-waits: A pod waits for nothing.
breaks R-QUEUE-50 in refsched.queue
- wait()
"""


@pytest.mark.parametrize("area", areas())
def test_every_edit_of_an_area_can_be_made_and_compiled(area: str) -> None:
    for wrong in areas()[area].planted:
        compile(edited(wrong), wrong.module, "exec")


def test_no_edit_uses_a_name_that_its_module_does_not_have(tmp_path: Path) -> None:
    for wrong in all_wrong().values():
        (tmp_path / f"{wrong.name}.py").write_text(edited(wrong), "utf-8")
    ruff = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select",
        "F821",
        "--no-cache",
        str(tmp_path),
    ]

    assert subprocess.run(ruff, capture_output=True, text=True, check=False).stdout == "All checks passed!\n"


def edited(wrong: WrongScheduler) -> str:
    found = find_spec(wrong.module)
    assert found is not None
    assert found.origin is not None
    source = replacing(wrong.before, wrong.after)(Path(found.origin).read_text("utf-8"))
    assert isinstance(source, str)
    return source


def test_every_name_is_there_once_and_can_be_typed() -> None:
    names = Counter(wrong.name for area in areas().values() for wrong in area.planted)

    assert max(names.values()) == 1
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)


def test_there_are_wrong_schedulers_in_every_area() -> None:
    assert len(all_wrong()) >= 250
    assert all(len(area.planted) >= 5 for area in areas().values())


def test_what_each_does_wrong_is_said_in_one_sentence_that_no_other_says() -> None:
    said = Counter(wrong.says for wrong in all_wrong().values())

    assert max(said.values()) == 1
    assert all(". " not in sentence and sentence.endswith(".") for sentence in said)


def test_every_area_has_tests_that_lie_near() -> None:
    of_the_suite = {test.area for release in RELEASES for test in suite_tests(release)}

    assert all(set(area.near) <= of_the_suite for area in areas().values())


def test_every_text_of_planted_schedulers_is_read() -> None:
    texts = (ROOT / "refsched/mistakes/planted").glob("*.txt")

    assert {text.stem for text in texts} == areas().keys()


def test_an_entry_says_all_about_a_planted_scheduler() -> None:
    assert read_area(ENTRY).planted == (
        WrongScheduler(
            "waits-longer",
            "A pod waits for two minutes.",
            "refsched.queue.waiting",
            "    wait(\n        60)",
            "    wait(120)",
            cites="kubernetes #1",
            breaks=("R-QUEUE-50", "R-QUEUE-51"),
            kubernetes="1.19",
            shows_with="queue",
        ),
        WrongScheduler(
            "never-waits", "A pod waits for nothing.", "refsched.queue", "wait()", "", breaks=("R-QUEUE-50",)
        ),
    )


@pytest.mark.parametrize(
    "entry", ["# A comment.", "says-nothing:\n", "has-no-rule: A pod waits.\n- wait()\n"]
)
def test_what_is_no_entry_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="no entry of a planted scheduler"):
        read_area(f"{ENTRY}\n{entry}\n")


def test_a_text_says_which_areas_are_tried_first() -> None:
    with pytest.raises(ValueError, match="no head of a text"):
        read_area(ENTRY.partition("\n")[2])


def test_every_wrong_scheduler_was_tried_and_killed() -> None:
    rows = evidence.read().planted
    assert list(rows) == list(all_wrong())
    assert [name for name, row in rows.items() if not row.rule] == []


def test_every_wrong_scheduler_breaks_rules_of_the_catalogue() -> None:
    for wrong in all_wrong().values():
        assert wrong.breaks, wrong.name
        assert set(wrong.breaks) <= all_rules().keys(), wrong.name
        decides_by = wrong.kubernetes or DEFAULT.name
        assert any(decides_by in all_rules()[rule].releases for rule in wrong.breaks), wrong.name


def test_who_stops_reading_the_list_of_the_planted_sees_no_traceback() -> None:
    listing = [sys.executable, "-m", "refsched.mistakes"]
    with subprocess.Popen(listing, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline().startswith("overcommits: ")
        run.stdout.close()

        assert run.stderr.read() == ""
        assert run.wait() == 2
