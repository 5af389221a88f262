# SPDX-License-Identifier: Apache-2.0
"""The specification says the same, byte for byte, whatever surrounds it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
SURROUNDINGS: tuple[Mapping[str, str], ...] = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "4711", "TZ": "America/St_Johns", "LC_ALL": "POSIX"},
)


def _run(folder: Path, around: Mapping[str, str], *command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **around},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_recordings_are_the_same_bytes_for_any_hash_seed_time_zone_locale_and_directory(
    tmp_path: Path,
) -> None:
    recorded = []
    for number, around in enumerate(SURROUNDINGS):
        folder = tmp_path / str(number)
        folder.mkdir()
        for area in ("hints", "volumes"):
            options = ("--impl", "refsched.reference", "--area", area, "--examples", "12", "--output", area)
            _run(folder, around, "conformance.campaigns.recording", *options)
        recorded.append([_files(folder / area) for area in ("hints", "volumes")])
    assert len(recorded[0][0]) > 5
    assert recorded[1] == recorded[0]


def test_reports_are_the_same_bytes_for_any_hash_seed_time_zone_and_locale(tmp_path: Path) -> None:
    """And for any number of processes: tests/tools/test_installed.py."""
    reports = []
    for number, around in enumerate(SURROUNDINGS):
        written = [tmp_path / f"{number}.json", tmp_path / f"{number}.html"]
        asked = (
            "--examples=4",
            "-k",
            "host_ports or queueing_hints",
            *(f"--report={path}" for path in written),
        )
        _run(ROOT, around, "pytest", str(ROOT / "conformance"), "-p", "no:cacheprovider", *asked)
        reports.append([path.read_bytes() for path in written])
    assert reports[1] == reports[0]
