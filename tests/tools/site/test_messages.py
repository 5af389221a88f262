# SPDX-License-Identifier: Apache-2.0
"""Every message that the specification can produce, and that kube-scheduler was recorded to give, is on the page
"Why is my pod pending?"."""

from __future__ import annotations

import ast
import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from refsched.reading.shipped_files import module_file
from refsched.suite.catalogue.reasons import declared_reasons, specification_modules
from refsched.suite.catalogue.rules import all_rules
from refsched.tools.site.pending_page import pending_page, shown

ROOT = Path(__file__).parents[3]

DECIDING = (
    "binding",
    "cache",
    "cel",
    "cycle",
    "devices",
    "extenders",
    "framework",
    "machine",
    "oddities",
    "plugins",
    "preemption",
    "volumes",
)
"""The packages whose words can reach a pod's event or condition."""

OTHERWISE = ("InputError", "CycleHeldError", "KnownDefect", "EventHint")
"""What is made of the words that a call of these is given is no message about a pod."""

NOT_SHOWN = {
    "pod …(…) wasn't assumed so cannot be forgotten": "the scheduler only logs it",
    "pod …(…) is not added to scheduler cache, so cannot be updated": "the scheduler only logs it",
    "assumed pod …(…) should not be updated": "the scheduler only logs it",
    "pod …(…) is not found in scheduler cache, so cannot be removed from it": "the scheduler only logs it",
    "pod …(…) was already in added state": "the scheduler only logs it",
    "…: preempting to accommodate a higher priority pod": "it is the condition of a victim",
    "the search for devices tries more than …, and has no filterTimeout": "the input is refused",
    "sizing a request has refused selectors without CEL": "an assertion",
    "duplicate counter set name …": "since v1.35 no event says why a pool is invalid",
    "a device consumes counters that … does not have": "since v1.35 no event says why a pool is invalid",
    "being updated": "it says which state a pool is in",
    "no report is known": "it is what a known defect says that nobody has reported",
    "nobody is there": "refsched says so of an extender that it does not call",
}


def template(node: ast.AST) -> str:
    """The text of a string, with a blank for each value; empty where it is none."""
    if isinstance(node, ast.Constant):
        return shown(node.value) if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def messages_in(source: str) -> Iterator[tuple[int, str]]:
    """The texts of more than one word that are neither docstrings, assertions nor given to ``OTHERWISE``."""
    pending: list[ast.AST] = [ast.parse(source)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Assert) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OTHERWISE:
            continue
        text = template(node)
        if text:
            if re.search(r"\w+ ['\w(]", text):
                yield getattr(node, "lineno", 0), text
            continue
        pending += ast.iter_child_nodes(node)


@cache
def page() -> str:
    return pending_page().replace("\\|", "|")


@cache
def messages() -> tuple[str, ...]:
    return tuple(re.findall(r"^\| `(.+?)` \| \[R-", page(), re.MULTILINE))


def modules() -> list[str]:
    """What cel-go says stands inside of the two reasons of cel/values.py."""
    return [name for name in specification_modules() if name.split(".")[1] in DECIDING and ".cel" not in name]


def test_every_message_of_a_module_is_on_the_page() -> None:
    listed = "\n".join(messages())
    for module in modules():
        path = module_file(module)
        assert [
            f"{path.name}:{line}: {text}"
            for line, text in messages_in(path.read_text("utf-8"))
            if text.strip(" :,") not in listed and not patterns().fullmatch(text) and text not in NOT_SHOWN
        ] == []


def test_a_message_that_is_missing_is_noticed() -> None:
    found = list(
        messages_in('def f():\n    """A docstring."""\n    return unschedulable(f"no {x} is here")\n')
    )
    assert found == [(3, "no … is here")]
    assert found[0][1] not in "\n".join(messages())


@pytest.mark.parametrize("release", ["1.19", "1.34"])
def test_every_reason_of_a_release_stands_beside_its_rule(release: str) -> None:
    missing = [
        reason
        for reason in declared_reasons()
        if release in all_rules()[reason.rule].releases
        and not re.search(rf"\| `{re.escape(shown(reason))}` \| \[{reason.rule}\]", page())
    ]
    assert missing == []


# --- What kube-scheduler said -----------------------------------------------------------------------

FOLDERS = sorted(path for path in (ROOT / "traces").iterdir() if any(path.glob("*.jsonl.gz")))
SCRIPTED = re.compile(r"scripted|by extender|not by extender")
"""What scripted plugins and the extenders of the suite say of nodes."""


@cache
def patterns() -> re.Pattern[str]:
    return re.compile("|".join(".*".join(map(re.escape, each.split("…"))) for each in messages()), re.DOTALL)


def recorded(folder: Path) -> set[str]:
    """The reasons and the errors of all attempts and bindings."""
    said: set[str] = set()
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                attempt = entry.get("attempt", {})
                for status in (*attempt.get("filter", {}).values(), attempt.get("preFilter", {})):
                    said.update(status.get("reasons", ()))
                for ended in (attempt, entry.get("bind", {})):
                    if ended.get("result") == "error":
                        said.add(ended.get("message", ""))
    return said


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_message_that_was_recorded_is_on_the_page(folder: Path) -> None:
    said = recorded(folder)
    assert said
    assert [
        text for text in sorted(said) if not SCRIPTED.search(text) and not patterns().fullmatch(text)
    ] == []
