# SPDX-License-Identifier: Apache-2.0
"""What is shipped beside the Python code: found in a checkout. Of a wheel ``test_installed.py`` says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from refsched.errors import InputError
from refsched.reading import shipped_files


def test_a_checkout_has_recordings_and_the_recorder() -> None:
    assert (shipped_files.data_folder() / "recorder" / "v1.34" / "go.mod").is_file()
    assert list((shipped_files.data_folder() / "kube-scheduler-v1.34.2").glob("*.jsonl.gz"))


def test_an_installation_without_them_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shipped_files, "_PLACES", (tmp_path / "a", tmp_path / "b"))
    with pytest.raises(InputError) as refused:
        shipped_files.data_folder()
    assert str(refused.value) == (f"this installation has no traces (looked for {tmp_path / 'a' / 'traces'})")
