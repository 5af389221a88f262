# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.running.power``: what each test is worth, in ``weights.json``.

A wrong scheduler counts for the test that killed it first, at the example that did. What an example costs stays as
it was measured; ``--budget`` chooses by both.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.wrong.running import matrix
from conformance.wrong.running.killing import Fate
from refsched.suite.session.budget import TABLE

Json = dict[str, Any]
SECONDS = 0.05
"""For one example of a test whose cost was never measured."""


def worth(fates: Iterable[Fate], known: Json) -> Json:
    """``known`` is the table as it was."""
    tried = [fate.suite for fate in fates if fate.suite.examples]
    at: dict[str, list[int]] = {name: [] for name in known["tests"]}
    for suite in tried:
        if suite.kill is not None:
            at.setdefault(suite.kill.test, []).append(suite.kill.examples)
    rows = {
        name: {"seconds": _seconds(name, known["tests"]), "kills": len(killed), "at": sorted(killed)}
        for name, killed in sorted(at.items())
    }
    return {"planted": len(tried), "tests": rows}


def _seconds(name: str, known: Json) -> float:
    """A test with parameters costs the same with each, unless it was measured."""
    row: Json = known.get(name) or known.get(name.partition("[")[0]) or {"seconds": SECONDS}
    return float(row["seconds"])


def text_of(table: Json) -> str:
    """A row a line."""
    rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in table["tests"].items())
    return f'{{\n  "planted": {table["planted"]},\n  "tests": {{\n{rows}\n  }}\n}}\n'


def main(path: Path = TABLE) -> int:
    table = worth(matrix.read().values(), json.loads(path.read_text("utf-8")))
    path.write_text(text_of(table), "utf-8")
    killed = sum(row["kills"] for row in table["tests"].values())
    print(f"{path.name}: {killed} of {table['planted']} killed, by {len(table['tests'])} tests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
