# SPDX-License-Identifier: Apache-2.0
"""Go changes: which functions that rules name are written otherwise in another release of Kubernetes.

    python -m refsched.tools.rulebook.go_changes v1.36.3 v1.37.2

prints them by file, each with its rules: what to read first when a release is specified. Both releases must be in
Go's module cache (``go mod download k8s.io/kubernetes@v1.37.2`` and that of the staged modules).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from refsched.tools.rulebook.go_lines import all_go_lines, local_path, module_cache, text_at


def changed_functions(older: str, newer: str, cached: Path) -> Mapping[tuple[str, str], Sequence[str]]:
    """Returns the rules by file and function in Kubernetes' repository, for each function whose text in the two
    releases differs, or that one of them does not have. The releases are tags, such as ``v1.37.2``."""
    rules: dict[tuple[str, str], list[str]] = {}
    for rule, lines in all_go_lines().items():
        for path, function in dict.fromkeys((line.path, line.function) for line in lines if line.function):
            rules.setdefault((path, function), []).append(rule)
    return {
        (path, function): sorted(named)
        for (path, function), named in sorted(rules.items())
        if text_of(older, path, function, cached) != text_of(newer, path, function, cached)
    }


def text_of(tag: str, path: str, function: str, cached: Path) -> str:
    """Returns the functions of this name in a file, methods included; an empty text if there is none."""
    named = rf"^func (?:\([^)]*\) )?{re.escape(function)}[\[(].*?^}}$"
    return "\n".join(re.findall(named, text_at(cached, tag, path), re.DOTALL | re.MULTILINE))


def described(changed: Mapping[tuple[str, str], Sequence[str]]) -> Iterator[str]:
    """Yields the lines to print."""
    for path, functions in groupby(changed, key=lambda place: place[0]):
        yield path
        for place in functions:
            yield f"  {place[1]}: {', '.join(changed[place])}"


def main(arguments: Sequence[str]) -> int:
    cached = module_cache()
    releases = [tag for tag in arguments if local_path(cached, tag, "pkg/scheduler").is_dir()]
    if len(arguments) != 2 or releases != arguments:
        given = " ".join(arguments)
        print(f"expected two releases of Kubernetes in Go's module cache, got {given}", file=sys.stderr)
        return 2
    older, newer = releases
    print("\n".join(described(changed_functions(older, newer, cached))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
