# SPDX-License-Identifier: Apache-2.0
"""A version of Kubernetes is a value in refsched/releases alone, and nobody asks which plugin a plugin is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import refsched
from refsched.releases import RELEASES

PACKAGE = Path(refsched.__path__[0])
PROSE = ("suite/catalogue/untestable_rules.py", "tools/site/catalogue_pages.py")
"""What the documentation says of a release, in sentences."""
OF_A_RELEASE = re.compile(r"\breleases\.v1_(\d+)")
VERSION = re.compile(r"\bv?1\.(?:19|3\d)(?:\.\d+)?\b")


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8"))


def values(tree: ast.Module) -> Iterator[ast.Constant]:
    """The strings of a module, without its docstrings."""
    stated = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in stated:
            yield node


def test_nothing_outside_the_releases_names_a_version_of_kubernetes_as_a_value() -> None:
    found = [
        f"{name}:{node.lineno}: {node.value[:60]!r}"
        for name, tree in modules()
        if not name.startswith("releases/") and name not in PROSE
        for node in values(tree)
        if VERSION.search(node.value)
    ]
    assert found == []


def test_nothing_outside_the_releases_imports_from_the_folder_of_one() -> None:
    importing = {
        name
        for name, tree in modules()
        if not name.startswith("releases/")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and OF_A_RELEASE.search(f"{node.module}.{node.names[0].name}")
    }
    assert importing == {"tools/site/catalogue_pages.py", "suite/catalogue/rules.py"}, "they write its pages"


def test_a_release_imports_from_no_older_one() -> None:
    """So that an older one can be deleted with its folder."""
    found = [
        (name, node.module)
        for name, tree in modules()
        if (release := OF_A_RELEASE.search(name.replace("/", "."))) is not None
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (other := OF_A_RELEASE.search(str(node.module))) is not None
        and int(other[1]) < int(release[1])
    ]
    assert found == []


def test_no_plugin_is_asked_which_plugin_it_is() -> None:
    plugins = {made for release in RELEASES.values() for made in release.plugins}
    found = [
        f"{name}:{node.lineno}"
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        for asked in ast.walk(node.args[1])
        if isinstance(asked, ast.Name | ast.Attribute)
        and (asked.id if isinstance(asked, ast.Name) else asked.attr) in {*plugins, "Scripted", "Plugin"}
    ]
    assert found == []
