# SPDX-License-Identifier: Apache-2.0
"""Code pages: each module of refsched as a page of the site, so that a rule can be followed to its line."""

from __future__ import annotations

import html
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.python import PythonLexer

import refsched

_HEAD = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name}</title>
<style>
body {{ margin: 1em; font-family: sans-serif; background: #fff; color: #000; }}
a {{ color: #0a4bff; }}
h1 {{ font-size: 1.4em; overflow-wrap: anywhere; }}
pre {{ overflow-x: auto; padding: 0.6em; font: 13px/1.4 monospace; }}
pre .linenos {{ color: inherit; text-decoration: none; padding-right: 1em; user-select: none; }}
pre a {{ color: inherit; text-decoration: none; }}
pre a:target + a {{ outline: 2px solid; }}
{light}
@media (prefers-color-scheme: dark) {{
body {{ background: #131416; color: #cfd0d0; }}
a {{ color: #6ea8ff; }}
{dark}
}}
</style>
</head>
<body>
<main>
<h1>{name}</h1>
<p>This is a module of refsched. <a href="{up}generated/rules/index.html">All rules</a>,
<a href="{up}index.html">front page</a>.</p>
"""


def write_code(folder: Path) -> None:
    """Writes ``refsched/framework/runtime.html`` and the like; line 7 has the anchor ``line-7``."""
    source = Path(refsched.__path__[0])
    light = HtmlFormatter(style="a11y-light").get_style_defs(".highlight")
    dark = HtmlFormatter(style="a11y-dark").get_style_defs(".highlight")
    made = HtmlFormatter(linenos="inline", lineanchors="line", anchorlinenos=True, wrapcode=False)
    for path in sorted(source.rglob("*.py")):
        if "shipped" in path.parts:  # of an installation: the suite, the recordings and the recorder
            continue
        name = f"refsched/{path.relative_to(source).as_posix()}"
        page = (folder / name).with_suffix(".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        head = _HEAD.format(name=html.escape(name), light=light, dark=dark, up="../" * (name.count("/") + 1))
        code = highlight(path.read_text("utf-8"), PythonLexer(), made).replace(
            "<pre>", '<pre tabindex="0">', 1
        )
        page.write_text(f"{head}{code}</main>\n</body>\n</html>\n", "utf-8")
