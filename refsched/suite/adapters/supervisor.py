# SPDX-License-Identifier: Apache-2.0
"""Supervisor: a small program that starts another one, and ends whatever that one has started and left behind.

The suite starts it as ``supervisor.py FD COMMAND...``, where FD is the supervisor's end of a socket. The command
has the supervisor's own streams. Over the socket the supervisor says once whether the command could be started;
when the suite's end is closed, for whichever reason, the supervisor ends the command. It ends as the command did:
with the same exit code, or by the same signal.

A process that leaves its group, as a daemon does with ``setsid``, and then loses its parent becomes a child of the
supervisor: on Linux the supervisor is a "child subreaper" (prctl(2), PR_SET_CHILD_SUBREAPER). Elsewhere the
supervisor ends the process group of the command.

It imports nothing of this package: it runs as ``python -I -S``, in some 20 milliseconds.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

PR_SET_CHILD_SUBREAPER = 36
STARTED = b"started"
PATIENCE = 5.0
"""Everything must have ended this many seconds after SIGKILL. A process that waits for a disk may take longer."""

DEFAULT_SIGNALS = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT)
"""Python ignores or handles these; a program expects them as they are by default."""


def supervise(end: socket.socket, command: list[str]) -> int:
    """Starts the command, and waits for it. Returns its wait status when nothing of it is left."""
    become_subreaper()
    signalled, signals = os.pipe()
    for each in (signalled, signals):
        os.set_blocking(each, False)
    signal.set_wakeup_fd(signals, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _do_nothing)
    try:
        child = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigdef=DEFAULT_SIGNALS)
    except (OSError, ValueError) as error:
        end.sendall(str(error).encode())
        return 0
    signal.signal(signal.SIGTERM, lambda number, frame: _signal_group(child, signal.SIGTERM))
    with suppress(OSError):  # the suite may have ended meanwhile, and the command is ended below
        end.sendall(STARTED)
    _let_go_of_the_streams()
    status = _wait_for(child, end, signalled)
    _signal_group(child, signal.SIGKILL)
    return end_all(child, status)


def become_subreaper() -> None:
    """Makes this process, on Linux, the parent of orphans below it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _do_nothing(number: int, frame: object) -> None:
    """Does nothing: a signal that has a handler interrupts ``select``."""


def _let_go_of_the_streams() -> None:
    """Closes the streams here, so that they are closed when the command closes them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _wait_for(child: int, end: socket.socket, signalled: int) -> int | None:
    """Returns the command's wait status, or None if the suite wants it ended."""
    while True:
        for pid, status in _reaped():
            if pid == child:
                return status
        ready, _, _ = select.select([end.fileno(), signalled], [], [])
        if end.fileno() in ready:
            return None
        with suppress(BlockingIOError):
            os.read(signalled, 1024)


def end_all(child: int, status: int | None) -> int:
    """Kills all that is left, again and again, since a process may have started another one before it was
    killed."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for pid in descendants_of(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            for pid, other in _reaped(all_of_them=True):
                status = other if pid == child else status
        except ChildProcessError:
            break
        time.sleep(0.002)
    return signal.SIGKILL if status is None else status


def _reaped(*, all_of_them: bool = False) -> Iterator[tuple[int, int]]:
    """Yields children that have ended, and their wait statuses. With ``all_of_them`` it raises ChildProcessError
    once there is no child any more."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            if all_of_them:
                raise
            return
        if not pid:
            return
        yield pid, status


def descendants_of(ancestor: int) -> list[int]:
    """Returns the processes below this one; none if the system has no /proc."""
    children: dict[int, list[int]] = {}
    for pid in _processes():
        with suppress(OSError, IndexError, ValueError):
            with open(f"/proc/{pid}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(pid)
    found: list[int] = []
    reached = [ancestor]
    while reached:
        below = children.get(reached.pop(), [])
        found += below
        reached += below
    return found


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _signal_group(leader: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def end_like(status: int) -> None:
    """Ends this process as another has ended, without a core dump."""
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    end_like(supervise(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:]))
