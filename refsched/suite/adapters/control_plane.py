# SPDX-License-Identifier: Apache-2.0
"""The control plane: a real API server and its store, in the program of traces/recorder/control_plane.

It listens on the loopback interface, and keeps what it has in a temporary folder. It ends, and removes the folder,
when its stdin closes: at the latest when this process ends, in whatever way.
"""

from __future__ import annotations

import atexit
import subprocess
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import IO

from refsched.reading.shipped_files import data_folder
from refsched.releases import DEFAULT
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.adapters.kube_scheduler import GoProgram, Log

KUBERNETES = DEFAULT.name
"""The release of the API server, and of the scheduler that the program has as well."""

START_TIMEOUT = 240.0
"""It may take this many seconds to become ready; on two idle cores it takes about ten."""

END_TIMEOUT = 10.0
WHAT = "the control plane"


def control_plane_program(log: Log | None = None) -> GoProgram:
    """Returns the program, which may have to be built."""
    folder = data_folder() / "recorder" / "control_plane"
    return GoProgram(WHAT, folder, f"control-plane-v{KUBERNETES}", ".", log)


_running: dict[Path, ControlPlane] = {}


def running_control_plane(program: Path) -> ControlPlane:
    """Returns the control plane of this process, which all its connections share. It is started if it does not
    run, and ended with the process."""
    found = _running.get(program)
    if found is None or not found.runs:
        found = _running[program] = ControlPlane(program)
        atexit.register(found.close)
    return found


class ControlPlane:
    """A ControlPlane is a running one. ``kubeconfig`` is the path of a file for its clients."""

    def __init__(self, program: Path, *options: str) -> None:
        """Starts it with options of the program, and waits until it is ready. Raises AdapterUnavailable if it does
        not become so."""
        self._child = subprocess.Popen(
            [str(program), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._child.stdout
        assert self._child.stderr
        self._said: deque[str] = deque(maxlen=10)
        self._reader = threading.Thread(
            target=self._read, args=(self._child.stderr,), name="stderr of the control plane", daemon=True
        )
        self._reader.start()
        late = threading.Timer(START_TIMEOUT, self._child.kill)
        late.start()
        try:
            said = self._child.stdout.readline().decode().strip()
        finally:
            late.cancel()
        if not said:
            self.close()
            self._reader.join(END_TIMEOUT)
            raise AdapterUnavailable(WHAT, "does not become ready:\n" + "\n".join(self._said))
        self.kubeconfig = Path(said)

    def _read(self, stderr: IO[bytes]) -> None:
        with stderr:
            for line in stderr:
                self._said.append(f"  {line.decode(errors='replace').rstrip()}")

    def kill(self) -> None:
        """Ends it as a crash does."""
        self._child.kill()
        self._child.wait()
        self.close()

    @property
    def runs(self) -> bool:
        return self._child.poll() is None

    def close(self) -> None:
        """Ends it, and waits until it has removed what it had."""
        assert self._child.stdin
        self._child.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(END_TIMEOUT)
        if self.runs:
            self._child.kill()
            self._child.wait()
        assert self._child.stdout
        self._child.stdout.close()
