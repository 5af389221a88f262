# SPDX-License-Identifier: Apache-2.0
"""The table of scores shows each score, and the table of a trace shows where its pods are after each step."""

from __future__ import annotations

from itertools import pairwise

import pytest

from refsched.checking.trace import read_trace
from refsched.reading.shipped_files import data_folder
from refsched.tools.cluster import Cluster
from refsched.tools.site.shown_runs import SCORED, scores_shown, steps_shown, steps_table


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_the_scores_are_those_that_explain_reports() -> None:
    heads, _, *rows = cells(scores_shown())
    explained = Cluster(SCORED).explain("shop-1")
    assert len(explained.nodes) == 4
    for column, node in enumerate(explained.nodes, 2):
        assert heads[column] == (f"**{node.node}**" if node.verdict == "chosen" else node.node)
        added = {row[0]: row[column] for row in rows}
        assert added.pop("total") == str(node.total)
        assert added == {plugin: str(score.weighted) for plugin, score in node.scores.items()}


def test_the_table_of_a_recording_follows_each_pod_that_is_to_be_placed() -> None:
    heads, _, *rows = cells(steps_shown())
    assert heads == ["what happens", "checkout-1", "checkout-2", "checkout-canary"]
    assert [row[1] for row in rows[:3]] == ["active", "unschedulable", "backoff"]
    assert rows[6] == ["11 s pass", "active", "active", ""]
    assert rows[-1] == ["checkout-canary is attempted: unschedulable", "bound", "bound", "unschedulable"]


@pytest.mark.parametrize("name", ["gang-waiting-on-permit", "autoscaled-nodes-arrive", "gpu-job-with-dra"])
def test_in_each_row_some_pod_is_elsewhere(name: str) -> None:
    entries = list(read_trace(data_folder() / f"scenarios-v1.34.2/{name}.jsonl.gz").entries)
    heads, _, *rows = cells(steps_table(entries))
    places = [["" for _ in heads[1:]], *(row[1:] for row in rows)]
    assert len(rows) > 2
    assert all(one != other for one, other in pairwise(places))


def test_a_trace_without_pods_has_no_row() -> None:
    assert cells(steps_table([])) == [["what happens"], ["---"]]
