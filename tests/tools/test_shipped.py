# SPDX-License-Identifier: Apache-2.0
"""What is shipped_files beside the Python code: found in a checkout, and in an installed wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from refsched.errors import InputError
from refsched.tools import shipped_files

ROOT = Path(shipped_files.__file__).parents[2]
WHERE_IS_IT = """
from refsched.tools.shipped_files import data_folder
print(data_folder())
from refsched.suite.adapters.kube_scheduler import _folder
print(_folder("v1.34"))
"""


def test_a_checkout_has_recordings_and_the_recorder() -> None:
    assert (shipped_files.data_folder() / "recorder" / "v1.34" / "go.mod").is_file()
    assert list((shipped_files.data_folder() / "kube-scheduler-v1.34.2").glob("*.jsonl.gz"))


def test_an_installation_without_them_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shipped_files, "_PLACES", (tmp_path / "a", tmp_path / "b"))
    with pytest.raises(InputError) as refused:
        shipped_files.data_folder()
    assert str(refused.value) == (f"this installation has no traces (looked for {tmp_path / 'a' / 'traces'})")


def test_a_wheel_has_them_too(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    [wheel] = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    said = subprocess.run(
        [sys.executable, "-c", WHERE_IS_IT],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    folder = installed / "refsched" / "shipped" / "traces"
    assert said.stdout.splitlines() == [str(folder), str(folder / "recorder" / "v1.34")]
    assert len(list(folder.glob("kube-scheduler-v1.34.2/*.jsonl.gz"))) == len(
        list(shipped_files.data_folder().glob("kube-scheduler-v1.34.2/*.jsonl.gz"))
    )
