# SPDX-License-Identifier: Apache-2.0
"""Chosen histories: of many that were drawn, the few in which rules meet that seldom do, or a mistake shows.

A property tries those of its own after what it draws. They are the same with every seed.
``python -m conformance.campaigns.choosing`` chooses them anew by the rules that meet, and writes a file for each
test; ``python -m conformance.campaigns.misreadings`` writes those in which misread lists show, and
``python -m conformance.wrong choose`` adds those that show what is planted.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import history_as_json, history_from_json

FOLDER = Path(__file__).parent


def file_of(test: str) -> Path:
    """Returns the file with the histories of a test, whose name is ``conformance.test_plugins::test_images``."""
    return FOLDER / f"{test.rpartition('.')[2].replace('::', '.')}.jsonl.gz"


@cache
def chosen_histories(test: str) -> tuple[History, ...]:
    """Returns the histories that were chosen of what this test draws, if any were."""
    path = file_of(test)
    return tuple(map(read_line, gzip.decompress(path.read_bytes()).splitlines())) if path.exists() else ()


def write_histories(test: str, histories: Iterable[History]) -> None:
    """Writes what was chosen of a test. The same histories give the same bytes."""
    text = "".join(map(line_of, histories))
    file_of(test).write_bytes(gzip.compress(text.encode(), mtime=0))


def write_lines(chosen: Iterable[tuple[str, str]]) -> Mapping[str, int]:
    """Writes the histories that were chosen, each a test and a line of JSON. Returns how many each test has."""
    by_test: defaultdict[str, list[History]] = defaultdict(list)
    for test, line in chosen:
        by_test[test].append(read_line(line))
    for test, histories in by_test.items():
        write_histories(test, histories)
    return {test: len(histories) for test, histories in by_test.items()}


def line_of(history: History) -> str:
    """Returns the history as a line of JSON."""
    return json.dumps(history_as_json(history), ensure_ascii=False, separators=(",", ":")) + "\n"


def read_line(line: str | bytes) -> History:
    """Returns the history of a line that ``line_of`` wrote."""
    return history_from_json(json.loads(line))
