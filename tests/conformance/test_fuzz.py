# SPDX-License-Identifier: Apache-2.0
"""What is drawn from the types of objects, configurations, traces and answers is answered, or refused.

``REFSCHED_FUZZ`` is how many are drawn of each; ``python -m conformance.campaigns.fuzz`` draws many more.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from conformance.campaigns import fuzz as fuzzing
from conformance.campaigns.fuzz import KINDS_OF_INPUT, fuzz, main
from refsched.errors import InputError

EXAMPLES = int(os.environ.get("REFSCHED_FUZZ", "60"))


@pytest.mark.parametrize("kind", KINDS_OF_INPUT)
def test_whatever_is_drawn_is_answered_or_refused(kind: str) -> None:
    figures = fuzz(kind, EXAMPLES)
    assert figures.tried >= EXAMPLES
    assert 0 < figures.answered <= figures.tried, "what is always refused tests nothing but the refusal"


def test_what_is_found_is_reported_and_is_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(drawn: Any, folder: Path) -> None:
        if drawn > 5:
            raise ZeroDivisionError(drawn)
        raise InputError("refused")

    monkeypatch.setattr(fuzzing, "KINDS_OF_INPUT", {"answers": (lambda: st.integers(0, 9), ask)})
    done = CliRunner().invoke(main, ["--examples", "30", "--only", "answers"])
    assert done.exit_code == 1
    assert "ZeroDivisionError: 6" in done.output


def test_figures_are_printed() -> None:
    done = CliRunner().invoke(main, ["--examples", "5", "--only", "configurations"])
    assert done.exit_code == 0
    assert done.output.startswith("configurations: ")
