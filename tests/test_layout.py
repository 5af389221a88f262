# SPDX-License-Identifier: Apache-2.0
"""What holds of every file of the tree: how long it is, and what it must not mention.

Who may import whom is a contract in pyproject.toml, which import-linter checks.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from refsched.suite.catalogue.reasons import AROUND

ROOT = Path(__file__).parent.parent
PACKAGES = ("refsched", "conformance")
MODULES = sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST = 400
LONGEST_FUNCTION = 50

# --- What the package imports ---------------------------------------------------------------------

BY_NAME = frozenset({"__import__", "find_spec", "import_module", "run_module", "run_path"})
IMPORT_BY_NAME = frozenset(
    {
        "refsched/__init__.py",  # its own modules, when a name is first used
        "refsched/mistakes/planting.py",  # a module of the specification, to edit it
        "refsched/mistakes/serving.py",  # the command line, when the edit is in place
        "refsched/releases/__init__.py",  # its own modules, when a release is first used
        "refsched/suite/breaking/similar_fields.py",  # modules of the specification
        "refsched/suite/catalogue/reasons.py",  # modules of the specification
        "refsched/processes/serving.py",  # the scheduler that is served
        "refsched/tools/site/plugin_pages.py",  # modules that are imported already, for their docstrings
        "refsched/tools/site/rule_pages.py",  # the same
    }
)
CHANGE_THE_PATH = frozenset(
    {
        "refsched/processes/module_process.py",  # the scheduler that --impl names
        "refsched/processes/serving.py",  # the scheduler that is served
        "refsched/suite/adapters/module.py",  # the scheduler that --impl names
    }
)


def test_nothing_in_the_package_imports_what_pytest_collects_not_even_by_its_name() -> None:
    """An installed package has no module ``conformance``: pytest imports the copy in ``shipped`` by its path."""
    by_name, of_path, imported = set(), set(), set()
    for module in [module for module in MODULES if module.parts[0] == "refsched"]:
        for node in ast.walk(_tree(ROOT / module)):
            match node:
                case ast.Name(name) | ast.Attribute(attr=name) if name in BY_NAME:
                    by_name.add(module.as_posix())
                case ast.Attribute(ast.Name("sys"), "path"):
                    of_path.add(module.as_posix())
                case ast.Import(names):
                    imported.update(alias.name.partition(".")[0] for alias in names)
                case ast.ImportFrom(module=str(name)):
                    imported.add(name.partition(".")[0])
    assert "attrs" in imported
    assert "conformance" not in imported
    assert by_name == IMPORT_BY_NAME
    assert of_path == CHANGE_THE_PATH


# --- Circles --------------------------------------------------------------------------------------


def test_no_file_of_the_package_imports_itself_by_way_of_others() -> None:
    """Imports within functions, and those for types alone, count as well: who reads one file of a circle has to
    read them all."""
    imports = _imports()
    assert not {name for name in imports if name.startswith("refsched.") and name in _reached(name, imports)}


def test_no_package_of_suite_or_tools_imports_itself_by_way_of_others() -> None:
    imports: dict[str, set[str]] = {}
    for name, imported in _imports().items():
        if name.startswith(AROUND_IT):
            found = {_package(other) for other in imported if other.startswith(AROUND_IT)}
            imports.setdefault(_package(name), set()).update(found - {_package(name)})
    assert not {name for name in imports if name in _reached(name, imports)}


AROUND_IT = ("refsched.suite.", "refsched.tools.")


def _package(module: str) -> str:
    """Returns the package of suite or tools, such as ``refsched.suite.histories``, in which the module stands."""
    return ".".join(module.split(".")[:3])


def _imports() -> Mapping[str, set[str]]:
    """Returns by module what it imports of this tree."""
    names = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in MODULES}
    return {name: set(_imported(_tree(ROOT / path), names)) - {name} for name, path in names.items()}


def _imported(tree: ast.Module, names: Collection[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(aliases):
                yield from (alias.name for alias in aliases if alias.name in names)
            case ast.ImportFrom(module=str(module), names=aliases):
                whole = (f"{module}.{alias.name}" for alias in aliases)
                yield from (name if name in names else module for name in whole)


def _reached(start: str, imports: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        new = imports.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


# --- Files ----------------------------------------------------------------------------------------


def test_a_module_can_be_read_in_one_sitting() -> None:
    for module in MODULES:
        assert (ROOT / module).read_text("utf-8").count("\n") <= LONGEST, module
        functions = [node for node in ast.walk(_tree(ROOT / module)) if isinstance(node, ast.FunctionDef)]
        long = {node.name for node in functions if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION}
        assert long <= {"add_options"}, f"{module}: a list of options is as long as it is"


def test_a_module_begins_with_its_licence_and_says_what_it_is() -> None:
    for module in MODULES:
        text = (ROOT / module).read_text("utf-8")
        if text or module.name != "__init__.py":
            assert text.startswith("# SPDX-License-Identifier: Apache-2.0\n"), module
            assert ast.get_docstring(_tree(ROOT / module)), module


def test_each_module_of_tests_has_a_name_of_its_own() -> None:
    """pytest imports them by their bare names."""
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))


SPEAKS_OF_A_MACHINE = re.compile(r"(?<![\w.~$}/*\\-])/(?:work|root|home|Users|tmp/venv|opt/venv)/\w")
SPEAKS_OF_A_REGISTRY = re.compile(
    r"(?:index-url|extra-index|GOPROXY\s*=|proxy\.golang|pypi\.org/simple|artifactory)"
)


def test_no_file_names_a_place_of_one_machine_or_a_registry() -> None:
    found = [
        f"{path}: {match.group()}"
        for path, text in _texts()
        for pattern in (SPEAKS_OF_A_MACHINE, SPEAKS_OF_A_REGISTRY)
        for match in pattern.finditer(text)
    ]
    assert not found


TEXTS = frozenset({".py", ".md", ".go", ".toml", ".ini", ".yaml", ".yml", ".mod"})


def _texts() -> Iterator[tuple[Path, str]]:
    """The text files of the checkout, but this one."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no checkout")
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in TEXTS and path.is_file() and path != Path(__file__):
            yield path.relative_to(ROOT), path.read_text("utf-8")


# --- Reading --------------------------------------------------------------------------------------


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


# --- Who names a rule -----------------------------------------------------------------------------

RULE_ID = re.compile(r"\bR-[A-Z]+(?:-PREP)?-\d{2,3}")
NAME_RULES = {
    "refsched/suite/catalogue/untestable_rules.py": "why the suite does not test a rule",
    "refsched/suite/histories/driver.py": "a driver asks whether a pod that is allowed waits on",
    "refsched/suite/invariants/__init__.py": "its own rules, which its modules state, and when an update requeues",
    "refsched/suite/invariants/reservations.py": "an invariant of two rules of the specification",
    "refsched/suite/recording/unreached.py": "why no recording shows a rule",
    "refsched/suite/session/check.py": "two rules of all plugins",
    "refsched/reading/inputs.py": "a rule of a release's table",
    "refsched/tools/running/shadow.py": "by which rule another total is too low",
    "refsched/tools/site/binding_ways.py": "a table, whose ways the tests go",
    "refsched/tools/rulebook/without_example.py": "why a rule has no example",
}
"""Files outside of the specification that name rules which they do not state; none comes in addition."""


def test_outside_of_the_specification_no_rule_is_named_but_where_it_is_stated() -> None:
    around = [
        path for path in MODULES if path.with_suffix("").parts[1] in AROUND and path.parts[0] == "refsched"
    ]
    naming = {path.as_posix() for path in around if _named(path) - _stated(path)}
    assert naming == NAME_RULES.keys()


def _named(path: Path) -> set[str]:
    """Returns the rules whose ids are texts of the code, and not only a part of one that people read."""
    return {
        node.value
        for node in ast.walk(_tree(ROOT / path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and RULE_ID.fullmatch(node.value)
    }


def _stated(path: Path) -> set[str]:
    return set(re.findall(rf"({RULE_ID.pattern})(?: \([^()]*\))?:\s", (ROOT / path).read_text("utf-8")))
