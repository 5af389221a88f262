# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.rarity``: how many histories apply each rule, in ``applied.json``.

The specification of the default release runs every case and each fifth of what a property draws by default;
recordings do not count. A rule that is applied in none of them, or that other releases have, counts 0.
``unheard`` are by release the rules that it has and that none of such histories applies there, and none of its
recordings below ``traces``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from conformance.wrong.profile import histories_of
from conformance.wrong.trying import applicable_tests
from refsched.checking.replay import judge_file
from refsched.releases import DEFAULT, RELEASES
from refsched.rules import listening
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.catalogue.rarity import TABLE
from refsched.suite.catalogue.rules import all_rules, default_plugins, is_applied
from refsched.suite.histories.trial import try_history

SHARE = 5
"""Of the histories that a property draws one in this many counts."""


def main(path: Path = TABLE) -> int:
    """Counts, and writes the table. It is run in the root of a checkout, for the recordings."""
    counts = Counter({rule.id: 0 for rule in all_rules().values() if is_applied(rule)})
    histories = 0
    unheard: dict[str, list[str]] = {}
    for release in RELEASES:
        heard: set[str] = set()
        for rules in heard_in_histories(release, SHARE):
            heard |= rules
            if release == DEFAULT.name:
                histories += 1
                counts.update(rules)
        heard.update(*heard_in_recordings(release))
        unheard[release] = sorted(_that_hold(release) - heard)
    table = {"histories": histories, "rules": dict(sorted(counts.items())), "unheard": unheard}
    path.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
    print(f"{path.name}: {sum(map(bool, counts.values()))} rules applied in {histories} histories")
    return 0


def heard_in_histories(release: str, share: int, share_of_cases: int = 1) -> Iterator[set[str]]:
    """Yields the rules that histories apply in this release: one in this many of each property, and one in this
    many cases."""
    _resolve_the_defaults()
    with connect(f"{REFERENCE}:{release}") as adapter:
        tests = [test for test in applicable_tests(adapter) if not test.recorded]
        cases = [test for test in tests if test.case is not None][::share_of_cases]
        for test in (*cases, *(test for test in tests if test.draws)):
            for history in histories_of(test, share=share):
                heard: set[str] = set()
                with listening(heard.add):
                    try_history(adapter, history)
                yield heard


def heard_in_recordings(release: str) -> Iterator[set[str]]:
    """Yields the rules that each recording of this release applies."""
    _resolve_the_defaults()
    for folder in sorted(Path("traces").glob(f"*-{RELEASES[release].tag}")):
        for path in sorted(folder.rglob("*.jsonl.gz")):
            heard: set[str] = set()
            with listening(heard.add):
                judge_file(path)
            yield heard


def _that_hold(release: str) -> set[str]:
    return {rule.id for rule in all_rules().values() if release in rule.releases and is_applied(rule)}


def _resolve_the_defaults() -> None:
    """Resolves the default plugins of every release, as the suite does once: the rules by which that is done are
    no history's."""
    for release in RELEASES:
        default_plugins(release)


if __name__ == "__main__":
    sys.exit(main())
