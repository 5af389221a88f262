# SPDX-License-Identifier: Apache-2.0
"""The pictures of the extension points show all that is in the tables."""

from __future__ import annotations

from xml.etree import ElementTree

from refsched.config.types import EXTENSION_POINTS
from refsched.tools.site.plugin_pages import plugin_names, points_drawn

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(picture: str) -> list[str]:
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_the_extension_points_show_every_point_and_every_plugin() -> None:
    texts = texts_of(points_drawn())
    assert [text for text in texts if text in EXTENSION_POINTS] == list(EXTENSION_POINTS)
    told = " ".join(texts).replace(",", " ").split()
    assert [name for name in plugin_names() if name not in told] == []


def test_a_picture_is_legible_in_dark_mode() -> None:
    assert "prefers-color-scheme: dark" in points_drawn()
