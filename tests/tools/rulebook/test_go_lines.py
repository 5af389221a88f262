# SPDX-License-Identifier: Apache-2.0
"""The lines of rules in Kubernetes' source are written only if the sources of every release are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from refsched.reading.shipped_files import module_file
from refsched.tools.rulebook import go_lines


def test_without_the_sources_of_a_release_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(go_lines, "module_cache", lambda: tmp_path)
    written = module_file(go_lines.__name__).with_suffix(".json")
    before = written.read_bytes()

    assert go_lines.main() == 2
    assert "not in Go's module cache: k8s.io/kubernetes@v1." in capsys.readouterr().err
    assert written.read_bytes() == before
