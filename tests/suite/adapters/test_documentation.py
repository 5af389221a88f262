# SPDX-License-Identifier: Apache-2.0
"""docs/adapters.md: what it shows is what happens."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from refsched import reference
from refsched.suite.adapters.answers import CAPABILITIES
from refsched.suite.adapters.connecting import connect
from refsched.tools.serving import Server, no_config

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "adapters.md").read_text()
EXAMPLE = f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(DOCS / 'examples' / 'exec_adapter.py'))}"
POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


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


def test_the_example_is_an_adapter() -> None:
    with connect(EXAMPLE) as adapter:
        assert adapter.hello.name == "refsched"
        session = adapter.reset(no_config())
        session.create(POD)
        assert session.schedule().attempt is not None
        assert session.schedule("default/b").error == "default/b does not wait to be scheduled"
        assert session.advance(60).error is None
        error = session.release("default/a").error
        assert error is not None
        assert error.startswith("InputError: ")


def test_the_example_is_short() -> None:
    assert len((DOCS / "examples" / "exec_adapter.py").read_text().splitlines()) <= 60


@pytest.mark.parametrize("link", re.findall(r"\]\((?!https:)([^)#]+)\)", PAGE))
def test_the_links_of_the_page_lead_somewhere(link: str) -> None:
    assert (DOCS / link).exists()
