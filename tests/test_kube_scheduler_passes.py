# SPDX-License-Identifier: Apache-2.0
"""Soundness: the real kube-scheduler passes the suite, with every capability claimed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MINUTES = 60
BUILD = 15 * MINUTES
"""Seconds: a cold build of Kubernetes' packages takes most of it."""


@pytest.mark.skipif(
    shutil.which("go") is None, reason="no Go toolchain: the real kube-scheduler cannot be built"
)
def test_the_real_kube_scheduler_passes_the_suite(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    arguments = ["--impl=kube-scheduler", "--hypothesis-seed=1", "--examples=2", f"--report={report}"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "conformance/", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=BUILD + 10 * MINUTES,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    assert "not claimed (" not in ran.stdout
