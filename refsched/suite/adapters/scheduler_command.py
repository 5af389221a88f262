# SPDX-License-Identifier: Apache-2.0
"""A scheduler that is a program and speaks to an API server: its command line, its configuration, its process."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from refsched.suite.adapters.adapter import TransportError
from refsched.suite.adapters.process import GRACE, MAX_LINE, STARTING, RunningCommand, started

Json = dict[str, Any]

KUBECONFIG = "{kubeconfig}"
CONFIG = "{config}"

_STDOUT_TO_STDERR = ("sh", "-c", 'exec "$@" >&2', "sh")
"""What a scheduler prints is its log, wherever it prints it."""

_OF_A_TEST: Json = {
    "leaderElection": {"leaderElect": False},
    "podInitialBackoffSeconds": 1,
    "podMaxBackoffSeconds": 1,
}
"""A test does not wait for a lease or a backoff."""


def reads_config(command: Sequence[str]) -> bool:
    """Returns whether the command takes a KubeSchedulerConfiguration."""
    return any(CONFIG in word for word in command)


def config_for(given: Mapping[str, Any], kubeconfig: Path) -> Json:
    """Returns the configuration of a history with what a running scheduler needs besides."""
    client = {"kubeconfig": str(kubeconfig), "qps": 1000, "burst": 2000}
    return {**given, **_OF_A_TEST, "clientConnection": client}


class SchedulerCommand:
    """A SchedulerCommand is a running scheduler. ``config`` is written to a file, which the command may name."""

    def __init__(self, command: Sequence[str], kubeconfig: Path, config: Json, folder: Path) -> None:
        """Starts it. Raises TransportError if this is impossible."""
        file = folder / "config.json"
        file.write_text(json.dumps(config), "utf-8")
        words = [word.replace(KUBECONFIG, str(kubeconfig)).replace(CONFIG, str(file)) for word in command]
        ours, theirs = socket.socketpair()
        try:
            child = started([*_STDOUT_TO_STDERR, *words], theirs.fileno())
        except (OSError, ValueError) as error:
            ours.close()
            raise TransportError(f"cannot be started: {error}") from None
        finally:
            theirs.close()
        self._running = RunningCommand(child, ours, MAX_LINE)
        if problem := self._running.problem_of_its_start(STARTING):
            self.close()
            raise TransportError(f"cannot be started: {problem}")

    @property
    def ended(self) -> str:
        """Returns how it has ended, or "" if it runs."""
        return self._running.ended

    def close(self) -> None:
        """Ends it, with all that it has started."""
        self._running.end(0, GRACE)

    def log(self) -> tuple[str, ...]:
        return self._running.tail.lines()
