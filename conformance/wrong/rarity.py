# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.rarity``: how many histories apply each rule, in ``applied.json``.

The reference runs every case and each fifth of what a property draws by default; recordings are left out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from conformance.wrong.profile import histories_of, suite_tests
from refsched.rules import listening
from refsched.suite.adapters.connecting import connect
from refsched.suite.catalogue.suspicion import TABLE
from refsched.suite.histories.trial import try_history

SHARE = 5
"""Of the histories that a property draws one in so many counts."""


def main(path: Path = TABLE) -> int:
    counts: Counter[str] = Counter()
    histories = 0
    with connect("refsched.reference") as adapter:
        for test in suite_tests():
            for history in () if test.recorded else histories_of(test)[::SHARE]:
                heard: set[str] = set()
                with listening(heard.add):
                    try_history(adapter, history)
                histories += 1
                counts.update(heard)
    table = {"histories": histories, "rules": dict(sorted(counts.items()))}
    path.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
    print(f"{path.name}: {len(counts)} rules applied in {histories} histories")
    return 0


if __name__ == "__main__":
    sys.exit(main())
