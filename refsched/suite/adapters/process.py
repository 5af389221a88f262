# SPDX-License-Identifier: Apache-2.0
"""Process: an implementation behind the wire protocol, one line for one line over stdin and stdout.

Nothing here waits without end: an answer has a time limit, and a process that does not end when its stdin does is
ended, with all that it has started. Its stderr is read all the time, so that it never waits for us.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from json import JSONDecodeError
from pathlib import Path
from typing import IO, Any

from refsched.errors import InputError
from refsched.reading.documents import read_json
from refsched.reading.record_json import line_of
from refsched.suite.adapters import supervisor
from refsched.suite.adapters.adapter import Json, TransportError
from refsched.suite.adapters.faults import SHOWN

TIMEOUT = 60.0
"""One answer may take this many seconds."""

MAX_LINE = 64 * 1024 * 1024
"""One answer may have this many bytes: about ten times as many as an attempt on 5,000 nodes."""

GRACE = 2.0
"""A process may take this many seconds to end by itself, and again after SIGTERM."""

STARTING = 10.0
"""Starting a command may take at least this many seconds: this is no answer yet."""

LOOK = 0.2
"""Every so many seconds it is checked whether a silent process still runs."""

CHUNK = 1 << 16
TAIL_BYTES = 16 * 1024
TAIL_LINES = 20


class LateError(TransportError):
    """A LateError says that there was no answer in time."""


class Process:
    """A Process is a Transport to a command, which is started anew by each ``open``. ``timeout`` is for each
    answer."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout: float = TIMEOUT,
        max_line: int = MAX_LINE,
        grace: float = GRACE,
    ) -> None:
        self._command = list(command)
        self.timeout = timeout
        self._max_line = max_line
        self._grace = grace
        self._running: RunningCommand | None = None
        self._log: _Tail | None = None

    def open(self) -> None:
        self.close()
        ours, theirs = socket.socketpair()
        try:
            child = started(self._command, theirs.fileno())
        except (OSError, ValueError) as error:
            ours.close()
            raise TransportError(f"cannot be started: {error}") from None
        finally:
            theirs.close()
        running = RunningCommand(child, ours, self._max_line)
        if problem := running.problem_of_its_start(max(self.timeout, STARTING)):
            running.end(0, self._grace)
            raise TransportError(f"cannot be started: {problem}")
        self._running, self._log = running, running.tail

    def ask(self, request: Json) -> Any:
        if self._running is None:
            raise TransportError("the process has been ended")
        return _read(self._running.answer(line_of(request).encode(), self.timeout, self._grace))

    def close(self, *, at_once: bool = False) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.end(0 if at_once else self._grace, self._grace)

    def log(self) -> tuple[str, ...]:
        return () if self._log is None else self._log.lines()


def started(command: Sequence[str], supervisors_end: int) -> subprocess.Popen[bytes]:
    """Starts the supervisor, which starts the command."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(supervisor.__file__)), str(supervisors_end), *command],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(supervisors_end,),
        start_new_session=True,
    )


class RunningCommand:
    """A RunningCommand is a command below its supervisor, from its start to its end. The supervisor ends as the
    command does."""

    def __init__(self, child: subprocess.Popen[bytes], end: socket.socket, max_line: int) -> None:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        self._child = child
        self._end = end
        self._pipes = _Pipes(child.stdin, child.stdout, max_line)
        self.tail = _Tail(child.stderr)

    def problem_of_its_start(self, timeout: float) -> str:
        """Returns why the command could not be started, or "" if it was."""
        self._end.settimeout(timeout)
        try:
            message = self._end.recv(CHUNK)
        except OSError as error:
            return str(error)
        if not message:
            _has_ended(self._child, timeout)
            self.tail.wait(GRACE)
            return " ".join(self.tail.lines()) or f"exit code {self._child.returncode}"
        return "" if message == supervisor.STARTED else message.decode(errors="replace")

    @property
    def ended(self) -> str:
        """Returns how the command has ended, or "" if it runs."""
        return "" if self._child.poll() is None else self._death(0)

    def answer(self, request: bytes, timeout: float, grace: float) -> bytes:
        """Returns the line that answers the request. Raises TransportError if none comes in time."""
        pipes = self._pipes
        pipes.look(0)
        if (early := pipes.line()) is not None:
            raise TransportError(f"it said what nobody had asked for: {_shown(early)}")
        pipes.send(request)
        deadline = time.monotonic() + timeout
        while True:
            has_ended = self._child.poll() is not None
            moved = pipes.look(0 if has_ended else min(LOOK, max(0.0, deadline - time.monotonic())))
            if pipes.sent and (line := pipes.line()) is not None:
                return line
            if pipes.over or (has_ended and not moved):
                raise TransportError(self._death(grace))
            if time.monotonic() >= deadline:
                raise LateError(_lateness(timeout, pipes))

    def _death(self, grace: float) -> str:
        """Returns how the process ended, or what it closed."""
        if not _has_ended(self._child, grace):
            how = "it has closed its stdin or its stdout"
        elif self._child.returncode < 0:
            number = -self._child.returncode
            how = f"it was ended by signal {number} ({signal.strsignal(number)})"
        else:
            how = f"it has ended, with exit code {self._child.returncode}"
        return f"{how}{self._pipes.in_the_middle()}"

    def end(self, patience: float, grace: float) -> None:
        """Ends the command by closing its stdin, then by SIGTERM; then the supervisor kills it, with all that it
        has started."""
        self._pipes.close_stdin()
        if not _has_ended(self._child, patience):
            with suppress(ProcessLookupError):
                self._child.terminate()
            _has_ended(self._child, grace)
        self._end.close()
        if not _has_ended(self._child, grace + supervisor.PATIENCE):
            self._child.kill()
            _has_ended(self._child, grace)
        self._pipes.close()
        self.tail.wait(grace)


def _has_ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    return child.returncode is not None


# --- Answers --------------------------------------------------------------------------------------


def _read(line: bytes) -> Any:
    try:
        return read_json(line.decode())
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (byte {error.start})"
    except JSONDecodeError as error:
        problem = f"is not JSON: {error.msg} (column {error.colno})"
    except InputError as error:
        problem = str(error)
    raise TransportError(f"the answer {problem}: {_shown(line)}")


def _shown(data: bytes | bytearray) -> str:
    text = data[:SHOWN].decode(errors="replace").strip()
    return repr(text) + (f"… ({len(data):,} bytes)" if len(data) > SHOWN else "")


def _lateness(timeout: float, pipes: _Pipes) -> str:
    late = f"no answer within {timeout:g} seconds"
    if not pipes.sent:
        return f"{late}: it does not read its stdin"
    return late + (pipes.in_the_middle() or " (does it flush its stdout after each line?)")


# --- Streams --------------------------------------------------------------------------------------


class _Pipes:
    """The _Pipes read and write at once: a child that writes before it has read everything does not stop us,
    nor we it."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes], max_line: int) -> None:
        self._stdin, self._stdout = stdin, stdout
        self._max_line = max_line
        self._unsent = memoryview(b"")
        self._said = bytearray()
        self._searched = 0
        self.over = False
        os.set_blocking(stdin.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(stdout, selectors.EVENT_READ)

    @property
    def sent(self) -> bool:
        return not self._unsent

    def in_the_middle(self) -> str:
        """Returns what was received of a line that has not ended."""
        return f", in the middle of an answer: {_shown(self._said)}" if self._said.strip() else ""

    def send(self, data: bytes) -> None:
        """Begins to send; ``look`` continues it."""
        self._unsent = memoryview(data)
        self._write()
        if self._unsent:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)

    def look(self, seconds: float) -> bool:
        """Waits until something can be read or written, and does it."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if key.fileobj is self._stdout:
                self._read()
            else:
                self._write()
                if not self._unsent:
                    self._selector.unregister(self._stdin)
        return bool(ready)

    def line(self) -> bytes | None:
        """Returns the next line that is not blank, if it is complete."""
        while (end := self._said.find(b"\n", self._searched)) >= 0:
            line = bytes(self._said[: end + 1])
            del self._said[: end + 1]
            self._searched = 0
            if line.strip():
                return line
        self._searched = len(self._said)
        if len(self._said) > self._max_line:
            raise TransportError(f"an answer of more than {self._max_line:,} bytes: {_shown(self._said)}")
        return None

    def _read(self) -> None:
        data = os.read(self._stdout.fileno(), CHUNK)
        self._said += data
        self.over = not data

    def _write(self) -> None:
        try:
            with suppress(BlockingIOError):
                self._unsent = self._unsent[os.write(self._stdin.fileno(), self._unsent) :]
        except BrokenPipeError:
            self._unsent = memoryview(b"")
            self.over = True

    def close_stdin(self) -> None:
        self._selector.close()
        self._stdin.close()

    def close(self) -> None:
        self._stdout.close()


class _Tail:
    """A _Tail is the end of a stream, which a thread reads to its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._end = b""
        self._thread = threading.Thread(target=self._drain, name="stderr of an implementation", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with self._stream:
            while data := os.read(self._stream.fileno(), CHUNK):
                self._end = (self._end + data)[-TAIL_BYTES:]

    def wait(self, seconds: float) -> None:
        self._thread.join(seconds)

    def lines(self) -> tuple[str, ...]:
        text = self._end.decode(errors="replace")
        lines = [line.rstrip() for line in text.splitlines() if line.strip()]
        return tuple("".join(c if c.isprintable() else "�" for c in line) for line in lines[-TAIL_LINES:])
