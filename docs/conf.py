# SPDX-License-Identifier: Apache-2.0
"""The site: Sphinx makes it of the Markdown in this folder and of pages that are generated from the code.

tox -e docs        # docs/_site/index.html, which opens from the file system
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[1]))  # conformance/, which is not installed

from code_pages import write_code
from drawings import drawn, has_drawings, write_mermaid
from in_a_browser import write_scripts
from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

from conformance.documentation import tests_of
from refsched.tools.site.all_pages import write_pages

lexers["jsonl"] = TextLexer()

EVIDENCE = ("go_mutants", "kill_matrix", "mutants", "rules", "traces")
"""Long lists, of which the search would find a page for any words."""

project = "refsched"
copyright = "the authors of refsched"
release = version = version_of("refsched")

extensions = ["myst_parser"]
exclude_patterns = ["_site", "examples/partial", "examples/rules", "examples/starters", "README.md"]
exclude_patterns += ["generated/way.md", "a_cluster.md"]  # parts of pages
nitpicky = True
language = "en"

myst_heading_anchors = 4
myst_links_external_new_tab = False


html_theme = "furo"
html_title = "refsched"
html_static_path = ["_static", "generated/static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_show_search_summary = False
"""A summary would be fetched from the page that was found, which browsers refuse to pages of the file system."""
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
html_last_updated_fmt = None

GENERATED = Path(__file__).parent / "generated"
write_pages(GENERATED, tests_of())
HAS_MERMAID = write_mermaid(GENERATED / "static")


def as_the_site_has_it(app: object, name: str, source: list[str]) -> None:
    """A link to a file outside this folder, which is not a page, becomes its path. Drawings are drawn."""
    if has_drawings(source[0]) and HAS_MERMAID:
        source[0] = drawn(source[0], "../" * name.count("/"))
    if not name.startswith("generated/"):
        up = "../" * (name.count("/") + 1)
        source[0] = re.sub(rf"\[([^]]*)\]\({up}([^)\s]+)\)", _named, source[0])


def _named(link: re.Match[str]) -> str:
    text, path = link.groups()
    return text if path.startswith(text.strip("`")) else f"{text} ({path})"


def without_evidence(app: Any, doctree: object) -> None:
    """The search leaves these pages out."""
    if app.env.current_document.docname in EVIDENCE:
        app.env.metadata[app.env.current_document.docname]["nosearch"] = True


def with_python(app: Any, problem: Exception | None) -> None:
    """The page that runs the specification has Python and refsched beside it, and rules link to the code."""
    if problem is None:
        write_code(Path(app.outdir) / "code")
        write_scripts(Path(app.outdir) / "_static" / "in_a_browser")


def setup(app: Any) -> None:
    app.connect("build-finished", with_python)
    app.connect("doctree-read", without_evidence)
    app.connect("source-read", as_the_site_has_it)
