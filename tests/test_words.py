# SPDX-License-Identifier: Apache-2.0
"""Words: the tree speaks the language of Kubernetes and of testing, and its docstrings are sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    path.relative_to(ROOT) for name in ("refsched", "conformance") for path in (ROOT / name).rglob("*.py")
)
EVIDENCE_OF_AN_OLDER_TREE = {Path("docs/mutants.md")}
PAGES = sorted(
    {path.relative_to(ROOT) for folder in (ROOT, ROOT / "docs") for path in folder.glob("*.md")}
    - EVIDENCE_OF_AN_OLDER_TREE
)

INSTEAD = {
    "told": "reported, informed, given",
    "tell": "report, say, show",
    "tells": "reports, says, shows",
    "cure": "make schedulable, requeue",
    "cures": "requeues",
    "cured": "requeued",
    "woken": "requeued",
    "gone": "deleted, removed",
    "several": "many, more than one",
    "spare": "reprieve",
    "spares": "reprieves",
    "spared": "reprieved",
    "filled": "built, set, full",
    "liked": "preferred",
    "hates": "avoids, repels",
    "hated": "avoided, repelled",
    "offers": "has",
    "whom": "which, who",
    "corners": "cases",
    "particulars": "cases",
    "remedy": "event",
    "remedies": "events",
    "journey": "attempt",
    "journeys": "attempts",
    "station": "extension point",
    "stations": "extension points",
    "scene": "history",
    "scenes": "histories",
    "unprepared": "without its PreFilter or PreScore",
    "let off": "reprieved",
    "late point": "Reserve to PostBind",
    "late points": "Reserve to PostBind",
}
"""Words of no dialect but one's own, and the field's words for the same. They are no identifiers either."""

IN_DATA = re.compile(r"(?i:r-cure)|\bCURE\b|gone_victims|told to fail")
"""Words that stand in data: in the ids of rules, in the name of an area of recordings, and in recorded answers."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def dialect(text: str) -> Iterator[str]:
    """Yields each forbidden word of the text, as a word or as a part of an identifier."""
    words = [word.lower() for word in _WORD.findall(IN_DATA.sub("", text))]
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    yield from (word for word in (*words, *pairs) if word in INSTEAD)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it is told", ["told"]),
        ("_told_late", ["told"]),
        ("ToldToFailError", ["told"]),
        ("LATE_POINTS", ["late points"]),
        ("it was let off", ["let off"]),
        ("R-CURE-NodePorts-Pod-Delete", []),
        ("retold", []),
    ],
)
def test_a_word_is_found_alone_and_in_an_identifier(text: str, found: list[str]) -> None:
    assert list(dialect(text)) == found


def test_every_file_speaks_the_language_of_kubernetes() -> None:
    assert [
        f"{path}:{number}: {word} ({INSTEAD[word]})"
        for path in (*MODULES, *PAGES)
        for number, line in enumerate((ROOT / path).read_text("utf-8").splitlines(), 1)
        for word in dialect(line)
    ] == []


def test_a_docstring_begins_like_a_sentence_and_ends_like_one() -> None:
    assert [
        f"{module}: {first!r}"
        for module in MODULES
        for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and (first := " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split()))
        and not re.fullmatch(r"[A-Z`0-9{].*[.:]", first)
    ] == []


AROUND = (
    "suite",
    "tools",
    "reading",
    "processes",
    "checking",
    "remembering",
    "mistakes",
    "wrong",
    "campaigns",
    "vocabulary",
)
BEGINS_WITH_A_VERB = re.compile(r"(?!This |Those |As |Is |Has |Its |Us )([A-Z][a-z]*[a-z]s[ ,]|R-[A-Z]+-\d)")
HELP_OF_COMMANDS = {
    Path("refsched/tools/cli/about_clusters.py"),
    Path("refsched/tools/cli/import_commands.py"),
    Path("refsched/tools/cli/in_a_cluster.py"),
    Path("refsched/tools/cli/main.py"),
    *(
        Path("conformance/campaigns") / f"{name}.py"
        for name in ("choosing", "fuzz", "pairs", "recording", "soundness")
    ),
}
BEGINS_WITH_ITS_NAME = r"(?:An? |The )?{}\b|``|R-[A-Z]+-\d"


def test_a_docstring_says_what_a_function_does_and_what_a_class_is() -> None:
    """``Returns whether the specification allows these records.``, and ``A Finding is one thing that ...``.

    A class may begin with what one of its members is."""
    modules = [module for module in MODULES if module.parts[1] in AROUND and module not in HELP_OF_COMMANDS]
    assert [found for module in modules for found in _not_saying(module)] == []


def _not_saying(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8"))):
        match node:
            case ast.FunctionDef():
                pattern = BEGINS_WITH_A_VERB
            case ast.ClassDef(name=name):
                pattern = re.compile(BEGINS_WITH_ITS_NAME.format(name))
            case _:
                continue
        said = " ".join((ast.get_docstring(node) or "").split())
        if said and not pattern.match(said):
            yield f"{module}:{node.lineno}: {said:.60}"
