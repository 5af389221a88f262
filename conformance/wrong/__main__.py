# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong NAME``: a wrong scheduler behind the wire protocol; without a name, the list."""

from __future__ import annotations

import sys

from conformance.wrong.planted.table import Wrong, all_wrong
from conformance.wrong.running.planting import plant, replacing


def main(arguments: list[str]) -> int:
    known = all_wrong()
    if not arguments:
        for wrong in known.values():
            print(f"{wrong.name}: {wrong.says}")
        return 0
    if len(arguments) > 1 or arguments[0] not in known:
        print(f"there is no wrong scheduler {' '.join(arguments)!r}", file=sys.stderr)
        return 2
    serve_wrong(known[arguments[0]])
    return 0


def serve_wrong(wrong: Wrong) -> None:
    """Nothing of refsched is imported before the edit is in place."""
    plant(wrong.module, replacing(wrong.before, wrong.after))
    from refsched import reference
    from refsched.releases import DEFAULT
    from refsched.tools.serving import serve

    serve(reference.create, sys.stdin.buffer, sys.stdout.buffer, wrong.kubernetes or DEFAULT.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
