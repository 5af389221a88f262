# SPDX-License-Identifier: Apache-2.0
"""Where nothing can be written the suite runs as ever, also where warnings are errors, as in a checkout."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

STRICT = '[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'
REMOUNTED = "mount --bind {0} {0} && mount -o remount,ro,bind {0} && cd {0} && exec {1}"


def run_read_only(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """In a folder in which nothing can be written. Root may write whatever its mode is, but not on a mount."""
    args, quoted = list(command), shlex.quote(str(folder))
    if os.geteuid() == 0:
        shell = ["unshare", "-rm", "sh", "-c"]
        probe = [*shell, REMOUNTED.format(quoted, "true")]
        if which("unshare") is None or subprocess.run(probe, check=False, capture_output=True).returncode:
            pytest.skip("root can write everywhere here")
        args = [*shell, REMOUNTED.format(quoted, shlex.join(command))]
    folder.chmod(0o555)
    try:
        return subprocess.run(args, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("processes", ["0", "2"])
def test_nothing_need_be_written_for_a_verdict(tmp_path: Path, processes: str) -> None:
    (tmp_path / "pyproject.toml").write_text(STRICT)
    options = ["-k", "host_ports", "--examples=3", "-n", processes, "--rootdir", str(tmp_path)]
    done = run_read_only(tmp_path, sys.executable, "-m", "refsched", "conformance", *options)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "conforms, as far as was checked" in done.stdout
    assert "Warning" not in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["pyproject.toml"]
