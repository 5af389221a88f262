# SPDX-License-Identifier: Apache-2.0
"""Case: one fixed history, with a name by which it can be selected and a sentence that says what it decides."""

from __future__ import annotations

import re

from attrs import field, frozen

from refsched.suite.histories.history import History

_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")


def _is_a_name(case: Case, attribute: object, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"expected a case's name in lower case with underscores, found {name!r}")


def _is_a_sentence(case: Case, attribute: object, text: str) -> None:
    if not (text[:1].isupper() and text.endswith(".")):
        raise ValueError(f"{case.name}: expected a sentence, found {text!r}")


@frozen
class Case:
    """A Case is a history whose ``name`` is permanent: ``pytest conformance/ -k NAME`` selects it.

    ``decides`` is one sentence: which situation this is, and what is decided in it. ``rules`` are the ids of the
    rules that decide it; a case without any is about the rules of its test. ``needs`` are capabilities without
    which the case cannot be run, beside those of its test.
    """

    name: str = field(validator=_is_a_name)
    decides: str = field(validator=_is_a_sentence)
    history: History = field(repr=False)
    rules: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
