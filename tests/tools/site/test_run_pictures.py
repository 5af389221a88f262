# SPDX-License-Identifier: Apache-2.0
"""The heat map shows each score, and the timeline shows where the pods of a recording are."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from refsched.checking.trace import read_trace
from refsched.tools.cluster import Cluster
from refsched.tools.shipped_files import data_folder
from refsched.tools.site.pictures import WIDTH
from refsched.tools.site.run_pictures import (
    SCORED,
    TRACE,
    scores_drawn,
    stretches,
    timeline_drawn,
    timeline_picture,
)

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_the_heat_map_shows_every_node_with_what_each_plugin_adds_and_the_total() -> None:
    texts = texts_of(scores_drawn())
    explained = Cluster(SCORED).explain("shop-1")
    assert len(explained.nodes) == 4
    for node in explained.nodes:
        mark = " ✓" if node.verdict == "chosen" else ""
        begin = texts.index(node.node)
        added = [str(node.scores[plugin].weighted) for plugin in explained.weights]
        assert texts[begin + 1 : begin + 2 + len(added)] == [*added, f"{node.total}{mark}"]


def test_the_strongest_colour_is_that_of_the_most_that_a_plugin_can_add() -> None:
    root = ElementTree.fromstring(scores_drawn())
    shades = [
        element.attrib["style"] for element in root.iter(f"{SVG}rect") if element.get("class") == "heat"
    ]
    assert {"fill-opacity:0.50", "fill-opacity:0.04"} <= set(shades)
    assert len(set(shades)) > 4


def test_the_timeline_of_a_recording_follows_each_pod_that_is_to_be_placed() -> None:
    rows = stretches(list(read_trace(data_folder() / TRACE).entries))
    places = {pod: [part.place for part in parts] for pod, parts in rows.items()}
    assert places["default/checkout-1"] == [
        "active",
        "unschedulable",
        "backoff",
        "active",
        "assumed",
        "bound",
    ]
    assert "default/mailer-a" not in places
    for parts in rows.values():
        assert all(one.end == other.begin for one, other in pairwise(parts))
    assert "checkout-1" in texts_of(timeline_drawn())
    assert "11 s" in texts_of(timeline_drawn())


@pytest.mark.parametrize("name", ["gang-waiting-on-permit", "autoscaled-nodes-arrive", "gpu-job-with-dra"])
def test_nothing_of_a_timeline_lies_outside_the_picture(name: str) -> None:
    entries = list(read_trace(data_folder() / f"scenarios-v1.34.2/{name}.jsonl.gz").entries)
    root = ElementTree.fromstring(timeline_picture(entries, "A timeline"))
    for box in root.iter(f"{SVG}rect"):
        assert float(box.get("x", 0)) + float(box.attrib["width"]) <= WIDTH
    assert any(box.get("class", "").startswith("place") for box in root.iter(f"{SVG}rect"))


def test_a_trace_without_pods_has_no_row() -> None:
    assert stretches([]) == {}
    assert "<svg" in timeline_picture([], "Empty")
