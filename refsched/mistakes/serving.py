# SPDX-License-Identifier: Apache-2.0
"""Serving: a wrong scheduler answers the wire protocol on stdin and stdout."""

from __future__ import annotations

import sys

from refsched.mistakes.planting import plant, replacing
from refsched.mistakes.wrong import Wrong


def serve_wrong(wrong: Wrong) -> None:
    """Makes the edit, and serves until stdin ends. The specification is imported only then, and must not have been
    imported before."""
    plant(wrong.module, replacing(wrong.before, wrong.after))
    from refsched import reference
    from refsched.releases import DEFAULT
    from refsched.tools.serving import serve

    serve(reference.create, sys.stdin.buffer, sys.stdout.buffer, wrong.kubernetes or DEFAULT.name)
