# SPDX-License-Identifier: Apache-2.0
"""docs/adapters.md: what it shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from refsched import reference
from refsched.processes.serving import Server
from refsched.suite.adapters.answers import CAPABILITIES

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "adapters.md").read_text()


def test_the_conversation_of_the_page_is_what_the_specification_answers() -> None:
    said = re.findall(r"^(?:→|←) (.*)$", PAGE, re.MULTILINE)
    server = Server(reference.create)
    assert len(said) == 18
    for request, answer in zip(said[::2], said[1::2], strict=True):
        assert server.answer(json.loads(request)) == json.loads(answer)


def test_the_page_lists_every_capability() -> None:
    table = PAGE.split("### Capabilities")[1].split("## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE))
    listed["hold"] = listed["hold"].removesuffix("; needs `scripted`")
    assert {name: meaning.replace("`", "") for name, meaning in listed.items()} == CAPABILITIES


@pytest.mark.parametrize("link", re.findall(r"\]\((?!https:)([^)#]+)\)", PAGE))
def test_the_links_of_the_page_lead_somewhere(link: str) -> None:
    assert (DOCS / link).exists()
