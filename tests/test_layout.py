# SPDX-License-Identifier: Apache-2.0
"""What holds of every file of the tree: whom it may know, how long it is, and what it must not mention."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("refsched", "conformance")
MODULES = sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST = 500
LONGEST_FUNCTION = 50

# --- Whom a package may know ----------------------------------------------------------------------

MUST_NOT_KNOW: Mapping[str, tuple[str, ...]] = {
    "refsched": ("conformance", "pytest", "hypothesis"),
    "refsched.objects": (
        "refsched.framework",
        "refsched.plugins",
        "refsched.config",
        "refsched.cache",
        "refsched.queue",
        "refsched.cycle",
        "refsched.scheduler",
    ),
    "refsched.framework": ("refsched.plugins", "refsched.queue", "refsched.cycle", "refsched.scheduler"),
    "refsched.config": ("refsched.plugins", "refsched.queue", "refsched.cycle", "refsched.scheduler"),
    "refsched.plugins": (
        "refsched.config",
        "refsched.queue",
        "refsched.cache",
        "refsched.cycle",
        "refsched.binding",
        "refsched.scheduler",
        "refsched.trace",
    ),
    "refsched.volume_binding": ("refsched.plugins", "refsched.queue", "refsched.cycle", "refsched.scheduler"),
    "refsched.dra": ("refsched.plugins", "refsched.queue", "refsched.cycle", "refsched.scheduler"),
    "refsched.queue": ("refsched.plugins", "refsched.cycle", "refsched.binding", "refsched.scheduler"),
    "refsched.cache": ("refsched.plugins", "refsched.queue", "refsched.cycle", "refsched.scheduler"),
    "refsched.cycle": (
        "refsched.binding.binding_cycle",
        "refsched.scheduler",
        "refsched.checking",
        "refsched.cli",
    ),
    "refsched.trace": ("refsched.framework", "refsched.plugins", "refsched.scheduler"),
    "refsched.scheduler": ("refsched.checking", "refsched.reference", "refsched.planner", "refsched.cli"),
    "conformance.adapters": ("conformance.suite", "pytest"),
    "conformance.strategies": ("conformance.adapters", "conformance.suite", "conformance.driver", "pytest"),
}
"""Dependencies point one way (docs/architecture.md)."""

ALLOWED: Mapping[tuple[str, str], str] = {
    ("refsched.config.args", "refsched.plugins"): "arguments of NodeResourcesFit are values of its scoring",
    ("refsched.config.validate_args", "refsched.plugins"): "the same",
    ("refsched.cli.main", "conformance"): "the command that records, imported when it is given",
    ("refsched.plugins.default_preemption", "refsched.cycle"): "its last dry run ends in a FitError's words",
}


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_knows_only_what_lies_below_it(module: Path) -> None:
    name = _dotted(module)
    for package, others in MUST_NOT_KNOW.items():
        if not _is_within(name, package):
            continue
        for imported in _imports(ROOT / module):
            wrong = [other for other in others if _is_within(imported, other)]
            assert not wrong or (name, wrong[0]) in ALLOWED, f"{name} imports {imported}"


def test_every_exception_is_still_one() -> None:
    for name, other in ALLOWED:
        path = ROOT / f"{name.replace('.', '/')}.py"
        assert any(_is_within(imported, other) for imported in _imports(path)), name


# --- Files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_can_be_read_in_one_sitting(module: Path) -> None:
    text = (ROOT / module).read_text("utf-8")
    assert text.count("\n") <= LONGEST
    functions = [node for node in ast.walk(_tree(ROOT / module)) if isinstance(node, ast.FunctionDef)]
    long = {node.name for node in functions if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION}
    assert long <= {"add_options"}, "a list of options is as long as it is"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_begins_with_its_licence_and_says_what_it_is(module: Path) -> None:
    text = (ROOT / module).read_text("utf-8")
    if not text and module.name == "__init__.py":
        return
    assert text.startswith("# SPDX-License-Identifier: Apache-2.0\n")
    assert ast.get_docstring(_tree(ROOT / module))


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


# --- Imports --------------------------------------------------------------------------------------


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _is_within(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")


def _imports(path: Path) -> Iterator[str]:
    """What a module imports, wherever it does; all imports of the tree are absolute."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
