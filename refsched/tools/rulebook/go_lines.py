# SPDX-License-Identifier: Apache-2.0
"""Go lines: where in Kubernetes' source a rule stands, as links to its lines at the tag.

    python -m refsched.tools.rulebook.go_lines

reads the sources of all rules in Go's module cache and writes ``go_lines.json`` beside this module: for each rule
the tag, the file, the function, and the line at which the function begins. Without the sources of a release it
writes nothing, and ends with exit code 2.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from attrs import frozen

from refsched.reading.shipped_files import module_file
from refsched.suite.catalogue.rules import StatedRule, all_rules, default_plugins

REPOSITORY = "https://github.com/kubernetes/kubernetes/blob"
MOST = 4
"""At most this many functions of one rule are linked."""

_FILE = re.compile(r"[\w./{},*-]+\.go\b")
_NAME = re.compile(r"\b[A-Za-z]\w{2,}\b")
_FUNCTION = re.compile(r"^func (?:\([^)]*\) )?(?P<name>\w+)[\[(]", re.MULTILINE)
_SCHEDULER = "pkg/scheduler/"
_PLUGINS = ("pkg/scheduler/framework/plugins/",)


@frozen
class GoLine:
    """A GoLine is a function in Kubernetes' repository at the tag; ``line`` is 1 for a file as a whole."""

    tag: str
    path: str
    function: str
    line: int

    @property
    def url(self) -> str:
        return f"{REPOSITORY}/{self.tag}/{self.path}" + (f"#L{self.line}" if self.function else "")

    def __str__(self) -> str:
        return (
            f"{self.function} in {self.path} ({self.tag})" if self.function else f"{self.path} ({self.tag})"
        )


def go_lines_of(rule: str) -> tuple[GoLine, ...]:
    """Returns the lines of the rule's functions, as far as they are known."""
    return tuple(GoLine(*values) for values in _known().get(rule, ()))


def all_go_lines() -> Mapping[str, Sequence[GoLine]]:
    """Returns the known lines of every rule."""
    return {rule: go_lines_of(rule) for rule in _known()}


@cache
def _known() -> Mapping[str, Sequence[tuple[str, str, str, int]]]:
    known: Mapping[str, Sequence[tuple[str, str, str, int]]] = json.loads(
        files(__package__).joinpath("go_lines.json").read_text("utf-8")
    )
    return known


# --- Computing them -------------------------------------------------------------------------------


def lines_of(rule: StatedRule, cached: Path) -> Iterator[GoLine]:
    """Returns the functions that the source of the rule names, and the files in which it names none."""
    context = _module_source(rule.module)
    tag = rule.tag
    named = [path for name in _files(rule.source) for path in _paths(name, context, tag, cached)]
    around = [path for name in _files(context) for path in _paths(name, context, tag, cached)]
    of_plugin = [path for path in around if rule.area == "CURE"]
    wanted = {*_NAME.findall(_FILE.sub(" ", rule.source)), *_as_in_go(rule.place)}
    found: dict[GoLine, None] = {}
    for path in dict.fromkeys((*named, *of_plugin, *(() if named else _neighbours(around, cached, tag)))):
        text = text_at(cached, tag, path)
        for function in _FUNCTION.finditer(text):
            if function["name"] in wanted:
                line = text.count("\n", 0, function.start()) + 1
                found.setdefault(GoLine(tag, path, function["name"], line))
    yield from list(found)[:MOST]
    if not found:
        yield from (GoLine(tag, path, "", 1) for path in dict.fromkeys((*named, *around)[:2]))


def cited_files(rule: StatedRule, tag: str, cached: Path) -> Iterator[str]:
    """Yields the text at this tag of each file that the rule or its module names, and of the others of their
    folders."""
    context = _module_source(rule.module)
    named = [
        path
        for name in (*_files(rule.source), *_files(context))
        for path in _paths(name, context, tag, cached)
    ]
    yield from (text_at(cached, tag, path) for path in _neighbours(dict.fromkeys(named), cached, tag))


def _as_in_go(place: str) -> Iterator[str]:
    """Returns the name in Go: ``PreFilter`` for ``NodePorts.pre_filter``."""
    words = place.rpartition(".")[2].strip("_").split("_")
    camel = "".join(word[:1].upper() + word[1:] for word in words)
    yield from (camel, camel[:1].lower() + camel[1:])


def _files(source: str) -> Iterator[str]:
    for name in _FILE.findall(source):
        braces = re.search(r"\{([^}]*)\}", name)
        if braces is None:
            yield name
        else:
            yield from (name.replace(braces[0], one) for one in braces[1].split(","))


def _paths(name: str, context: str, tag: str, cached: Path) -> Iterator[str]:
    """Yields the files in Kubernetes' repository. One without a folder is in that of a file named before it."""
    folders = [full.rpartition("/")[0] for full in _files(context) if "/" in full]
    for candidate in (name, *(f"{folder}/{name}" for folder in folders)):
        for path in _rooted(candidate):
            if text_at(cached, tag, path):
                yield path
                return


def _rooted(name: str) -> Iterator[str]:
    yield name
    yield f"pkg/scheduler/framework/{name}"
    yield f"{_SCHEDULER}{name}"
    yield f"staging/src/k8s.io/{name.removeprefix('k8s.io/')}"


def _neighbours(paths: Iterable[str], cached: Path, tag: str) -> Iterator[str]:
    """Returns those files, and the others of their folders."""
    known = list(paths)
    yield from known
    for folder in dict.fromkeys(path.rpartition("/")[0] for path in known):
        for path in sorted(local_path(cached, tag, folder).glob("*.go")):
            if not path.name.endswith("_test.go"):
                yield f"{folder}/{path.name}"


def text_at(cached: Path, tag: str, path: str) -> str:
    """Returns the text of a file in Kubernetes' repository at the tag; empty if there is none."""
    local = local_path(cached, tag, path)
    return local.read_text("utf-8") if local.is_file() else ""


def local_path(cached: Path, tag: str, path: str) -> Path:
    """Returns the path in the module cache. Staged modules are modules of their own, whose major version is 0."""
    parts = path.split("/")
    if path.startswith("staging/src/k8s.io/") and len(parts) > 3:
        return cached / f"k8s.io/{parts[3]}@v0{tag[2:]}" / "/".join(parts[4:])
    return cached / f"k8s.io/kubernetes@{tag}" / path


@cache
def _module_source(module: str) -> str:
    """Returns the docstring of the module, which names its source."""
    return " ".join(
        (ast.get_docstring(ast.parse(module_file(module).read_text("utf-8"))) or "")
        .split("Source:")[-1]
        .split()
    )


def module_cache() -> Path:
    """Returns the folder in which Go keeps modules. Raises FileNotFoundError if there is no Go."""
    said = subprocess.run(["go", "env", "GOMODCACHE"], check=True, capture_output=True, text=True).stdout
    return Path(said.strip())


def main() -> int:
    if not default_plugins():
        return 2
    cached = module_cache()
    tags = sorted({rule.tag for rule in all_rules().values()})
    if missing := [tag for tag in tags if not local_path(cached, tag, "pkg").is_dir()]:
        names = ", ".join(f"k8s.io/kubernetes@{tag}" for tag in missing)
        print(f"not in Go's module cache: {names}", file=sys.stderr)
        return 2
    lines = {
        rule.id: [[one.tag, one.path, one.function, one.line] for one in lines_of(rule, cached)]
        for rule in all_rules().values()
    }
    rows = (f"{json.dumps(rule)}: {json.dumps(found)}" for rule, found in sorted(lines.items()) if found)
    Path(__file__).with_suffix(".json").write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
