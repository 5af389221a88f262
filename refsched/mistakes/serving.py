# SPDX-License-Identifier: Apache-2.0
"""Serving: a wrong scheduler answers the wire protocol on stdin and stdout."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from refsched.mistakes.planting import Change, plant, replacing
from refsched.mistakes.wrong import Wrong


def serve_wrong(wrong: Wrong) -> None:
    """Makes the edit, and serves until stdin ends. The specification is imported only then, and must not have been
    imported before."""
    plant(wrong.module, replacing(wrong.before, wrong.after))
    _serve(wrong.kubernetes)


def serve_changed(sources: Mapping[str, str]) -> None:
    """Serves with these sources in the place of those of these modules, as ``serve_wrong`` does."""
    for module, source in sources.items():
        plant(module, _becomes(source))
    _serve()


def _becomes(source: str) -> Change:
    return lambda _: source


def _serve(kubernetes: str = "") -> None:
    from refsched import reference
    from refsched.releases import DEFAULT
    from refsched.tools.serving import serve

    serve(reference.create, sys.stdin.buffer, sys.stdout.buffer, kubernetes or DEFAULT.name)
