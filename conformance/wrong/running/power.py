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

from conformance.wrong.running import matrix, parts
from conformance.wrong.running.killing import Fate
from refsched.mistakes.wrong import all_wrong
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.session.budget import TABLE

Json = dict[str, Any]
SECONDS = 0.05
"""For one example of a test whose cost was never measured."""


def worth(fates: Iterable[Fate], known: Json, of_parts: Json) -> Json:
    """``known`` is the table as it was, ``of_parts`` what became of those tried as parts of schedulers."""
    tried = [fate.suite for fate in fates if fate.suite.examples]
    at: dict[str, list[int]] = {name: [] for name in known["tests"]}
    for suite in tried:
        if suite.kill is not None:
            at.setdefault(suite.kill.test, []).append(suite.kill.examples)
    rows = {
        name: {"seconds": _seconds(name, known["tests"]), "kills": len(killed), "at": sorted(killed)}
        for name, killed in sorted(at.items())
    }
    return {"planted": len(tried), "tests": rows, "parts": of_parts}


def worth_of_parts() -> Json:
    """Of each profile those that were tried, with the rules that they break, and what killed them."""
    return {
        profile: [_tried(fate) for fate in matrix.read(parts.file_of(profile)).values()]
        for profile in PROFILES
        if parts.file_of(profile).exists()
    }


def _tried(fate: Fate) -> Json:
    kill = fate.suite.kill
    row: Json = {"breaks": list(all_wrong()[fate.name].breaks)}
    return row if kill is None else row | {"test": kill.test, "at": kill.examples}


def _seconds(name: str, known: Json) -> float:
    """A test with parameters costs the same with each, unless it was measured."""
    row: Json = known.get(name) or known.get(name.partition("[")[0]) or {"seconds": SECONDS}
    return float(row["seconds"])


def text_of(table: Json) -> str:
    """A row a line."""
    rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in table["tests"].items())
    tried = ",\n".join(
        f"    {json.dumps(profile)}: [\n{_lines(part)}\n    ]" for profile, part in table["parts"].items()
    )
    planted = table["planted"]
    return f'{{\n  "planted": {planted},\n  "tests": {{\n{rows}\n  }},\n  "parts": {{\n{tried}\n  }}\n}}\n'


def _lines(rows: Iterable[Json]) -> str:
    return ",\n".join(f"      {json.dumps(row)}" for row in rows)


def of_the_newest() -> list[Fate]:
    """The rows of the kill matrix whose wrong schedulers are of no earlier release."""
    return [fate for fate in matrix.read().values() if not all_wrong()[fate.name].kubernetes]


def main(path: Path = TABLE) -> int:
    table = worth(of_the_newest(), json.loads(path.read_text("utf-8")), worth_of_parts())
    path.write_text(text_of(table), "utf-8")
    killed = sum(row["kills"] for row in table["tests"].values())
    print(f"{path.name}: {killed} of {table['planted']} killed, by {len(table['tests'])} tests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
