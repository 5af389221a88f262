# SPDX-License-Identifier: Apache-2.0
"""Drawings that pages describe in the language of Mermaid. GitHub draws them, and so does the site.

Mermaid lays them out in the browser. If npm is not there to fetch it, the site shows the text.
"""

from __future__ import annotations

import re
import subprocess
from html import escape
from pathlib import Path

from from_npm import Package

MERMAID = Package(
    "mermaid",
    "12.3.0",
    "4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==",
)
SCRIPT = "mermaid.min.js"
_DRAWING = re.compile("```mermaid\n(.*?)```", re.DOTALL)


def has_drawings(text: str) -> bool:
    return _DRAWING.search(text) is not None


def drawn(text: str, up: str) -> str:
    """Returns a page with its drawings where Mermaid finds them; ``up`` leads from it to the site's folder."""
    shown = _DRAWING.sub(lambda found: _raw(f'<pre class="mermaid">{escape(found[1])}</pre>'), text)
    scripts = (f'<script src="{up}_static/{name}"></script>' for name in (SCRIPT, "drawings.js"))
    return f"{shown}\n\n{_raw(''.join(scripts))}\n"


def _raw(html: str) -> str:
    return f"```{{raw}} html\n{html}\n```"


def write_mermaid(folder: Path) -> bool:
    """Writes the script, or prints why there is none. Returns whether it is there."""
    try:
        found = MERMAID.files([SCRIPT])
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as problem:
        print(f"drawings are shown as text, without Mermaid: {problem}")
        return False
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SCRIPT).write_bytes(found[SCRIPT])
    return True
