# SPDX-License-Identifier: Apache-2.0
"""``refsched rule``."""

from __future__ import annotations

from refsched.errors import InputError
from refsched.tools.cli.exit_codes import AGREED, NOT_JUDGED
from refsched.tools.printing import TABLE, Page, show_value
from refsched.tools.rulebook.lookup import rule_called, search
from refsched.tools.rulebook.page import as_value, write_found, write_rule


def rule(name: str | None, text: str | None, output: str = TABLE) -> int:
    """Shows a rule by its name, or those with this text; one of the two is given. Raises InputError if nothing
    is found."""
    if (name is None) == (text is None):
        raise InputError("expected either the id of a rule, or --search with words")
    page = Page()
    if name is not None:
        if output != TABLE:
            show_value(as_value(rule_called(name)), output)
            return AGREED
        shown = write_rule(page, rule_called(name))
        page.show()
        return AGREED if shown else NOT_JUDGED
    found = search(text or "")
    if not found:
        raise InputError("no rule has these words", where=text or "--search")
    if output != TABLE:
        show_value([as_value(each) for each in found], output)
        return AGREED
    write_found(page, found)
    page.show()
    return AGREED
