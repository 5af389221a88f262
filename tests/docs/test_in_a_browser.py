# SPDX-License-Identifier: Apache-2.0
"""What the site carries to run the specification in a browser: Pyodide as it was, or nothing."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from example_pages import DOCS


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The module, with an empty cache and without npm."""
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    import in_a_browser

    return in_a_browser


def test_without_npm_nothing_is_written(
    scripts: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts.write_scripts(tmp_path / "site")
    assert "there is no npm" in capsys.readouterr().out
    assert not (tmp_path / "site").exists()


def test_another_archive_than_the_one_that_is_meant_is_not_used(
    scripts: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "cache" / "refsched" / f"pyodide-{scripts.PYODIDE.version}.tgz"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"another")
    scripts.write_scripts(tmp_path / "site")
    assert "is not what it was" in capsys.readouterr().out
    assert not (tmp_path / "site").exists()


def test_what_is_imported_there_is_python_alone(scripts: ModuleType) -> None:
    names = [name for name, _ in scripts._files()]
    assert "refsched/tools/cli/main.py" in names
    assert "refsched/reading/api_fields.json" in names
    assert "yaml/__init__.py" in names
    assert [name for name in names if name.endswith((".so", ".pyd"))] == []
