# SPDX-License-Identifier: Apache-2.0
"""The pictures of the queue and of the extension points show all that is in the tables."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from refsched.config.types import EXTENSION_POINTS
from refsched.queue import transitions
from refsched.queue.transitions import Transitions
from refsched.releases.v1_19.queue import transitions as v1_19
from refsched.tools.rulebook.pictures import WIDTH, queue_picture
from refsched.tools.rulebook.plugin_pages import plugin_names, points_drawn

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(picture: str) -> list[str]:
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("table", [transitions.TRANSITIONS, v1_19.TRANSITIONS], ids=["v1.34", "v1.19"])
def test_the_queue_shows_every_place_and_every_transition(table: Transitions) -> None:
    texts = texts_of(queue_picture(table, "The queue"))
    moves = [row for row in table if row.place is not row.goes_to]
    assert {row.place.value for row in moves} | {row.goes_to.value for row in moves} <= set(texts)
    told = " ".join(texts)
    for row in moves:
        assert f"{row.place.value} → {row.goes_to.value}: " in told
        assert set(str(row.occurrence.value).split()) <= set(told.split())


def test_nothing_of_the_queue_lies_outside_the_picture() -> None:
    root = ElementTree.fromstring(queue_picture(transitions.TRANSITIONS, "The queue"))
    height = int(root.attrib["viewBox"].split()[3])
    for box in root.iter(f"{SVG}rect"):
        x, y = float(box.get("x", 0)), float(box.get("y", 0))
        assert x >= 0
        assert x + float(box.attrib["width"]) <= WIDTH
        assert y + float(box.attrib["height"]) <= height
    for text in root.iter(f"{SVG}text"):
        assert 0 < float(text.attrib["y"]) < height


def test_boxes_of_the_queue_do_not_overlap() -> None:
    root = ElementTree.fromstring(queue_picture(transitions.TRANSITIONS, "The queue"))
    boxes = [
        tuple(float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        for box in root.iter(f"{SVG}rect")
        if box.get("class") == "box"
    ]
    for number, (x, y, width, height) in enumerate(boxes):
        for left, top, wide, high in boxes[:number]:
            assert x + width <= left or left + wide <= x or y + height <= top or top + high <= y


def test_the_extension_points_show_every_point_and_every_plugin() -> None:
    texts = texts_of(points_drawn())
    assert [text for text in texts if text in EXTENSION_POINTS] == list(EXTENSION_POINTS)
    told = " ".join(texts).replace(",", " ").split()
    assert [name for name in plugin_names() if name not in told] == []


def test_a_picture_is_legible_in_dark_mode() -> None:
    assert "prefers-color-scheme: dark" in points_drawn()
