# SPDX-License-Identifier: Apache-2.0
"""The picture of the packages: it shows each of them, and each says what it is."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from refsched.tools.site.layout_picture import LAYERS, PACKAGE, first_line, layout_picture

SHOWN = [package for packages in LAYERS.values() for package in packages]


def test_every_package_of_refsched_is_in_the_picture() -> None:
    packages = {f"refsched.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")}
    assert packages == {package for package in SHOWN if package.startswith("refsched.")}


@pytest.mark.parametrize("package", SHOWN)
def test_a_package_says_in_one_line_what_it_is(package: str) -> None:
    assert 20 < len(first_line(package)) <= 110


def test_the_picture_is_an_svg_document() -> None:
    root = ElementTree.fromstring(layout_picture())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert set(SHOWN) <= texts


def test_the_picture_is_legible_in_dark_mode() -> None:
    assert "prefers-color-scheme: dark" in layout_picture()
