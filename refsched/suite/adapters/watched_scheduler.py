# SPDX-License-Identifier: Apache-2.0
"""A scheduler that runs beside an API server, and whose decisions are seen by a watch of the pods."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from refsched.objects.pod import DEFAULT_SCHEDULER_NAME
from refsched.processes.kubernetes_api.client import Client
from refsched.processes.kubernetes_api.decisions import RESULTS, ObservedDecision
from refsched.reading.objects import key_of
from refsched.suite.adapters.adapter import TransportError
from refsched.suite.adapters.api_objects import AT_ONCE, completed
from refsched.suite.adapters.pods_seen import PodsSeen
from refsched.suite.adapters.scheduler_command import SchedulerCommand, config_for, reads_config

Json = dict[str, Any]

PROBE = "refsched-probe"


class WatchedScheduler:
    """A WatchedScheduler is started anew where its configuration changes. ``pods`` are those that the watch has
    shown, and ``timeout`` is the number of seconds that a decision may take."""

    def __init__(self, client: Client, kubeconfig: Path, command: Sequence[str], timeout: float) -> None:
        """Starts no scheduler yet."""
        self.pods = PodsSeen(client)
        self._client = client
        self._kubeconfig = kubeconfig
        self._command = command
        self._timeout = timeout
        self._folder = tempfile.TemporaryDirectory(dir=kubeconfig.parent)
        self._running: SchedulerCommand | None = None
        self._config: Json = {}
        self._log: tuple[str, ...] = ()

    def configure(self, given: Json) -> None:
        """Starts a scheduler with this configuration, unless one runs with it. Raises TransportError if this is
        impossible."""
        config = given if reads_config(self._command) else {}
        if self._running is None or config != self._config:
            self._end()
            whole, folder = config_for(config, self._kubeconfig), Path(self._folder.name)
            self._running = SchedulerCommand(self._command, self._kubeconfig, whole, folder)
            self._config = config

    def close(self) -> None:
        """Ends it, with all that it has started."""
        self._end()
        self.pods.close()
        self._folder.cleanup()

    def _end(self) -> None:
        if self._running is not None:
            self._running.close()
            self._log = self._running.log()
            self._running = None

    def log(self) -> tuple[str, ...]:
        return self._log if self._running is None else self._running.log()

    @property
    def names(self) -> list[str]:
        """Returns the names of its profiles, whose pods are to be scheduled."""
        profiles = self._config.get("profiles") or [{}]
        return [profile.get("schedulerName", DEFAULT_SCHEDULER_NAME) for profile in profiles]

    def decision(self, pod: Json) -> ObservedDecision:
        """Returns what it decides about a pod. Raises TransportError if it decides nothing in time."""
        metadata = pod["metadata"]
        decided = self.decision_within(metadata["uid"], self._timeout)
        if decided is None:
            name, of = f"{metadata['namespace']}/{metadata['name']}", pod["spec"]["schedulerName"]
            place = ", and fits on no node" if metadata["name"] == PROBE else ""
            raise TransportError(
                f"within {self._timeout:g} seconds it has not decided about the pod {name}, which has the "
                f"schedulerName {of}{place}: it has neither bound it nor given it the condition PodScheduled with "
                f"the status False and the reason {' or '.join(RESULTS)}"
            )
        return decided

    def decision_within(
        self, uid: str, seconds: float, counts: Callable[[ObservedDecision], bool] = bool
    ) -> ObservedDecision | None:
        """Returns what it decides about the pod with this uid, if it is a decision that counts. None: there is
        none in time."""
        return self.pods.wait_for_decision(uid, seconds, self._how_it_ended, counts)

    def _how_it_ended(self) -> str:
        return "" if self._running is None else self._running.ended

    def probe(self) -> None:
        """Lets it decide about a pod that fits on no node: then it has seen what came before."""
        spec = {
            "schedulerName": self.names[0],
            "containers": [{"name": PROBE}],
            "nodeSelector": {f"refsched.dev/{PROBE}": ""},
            "preemptionPolicy": "Never",
            "priority": 2_000_000_000,
        }
        probe = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": PROBE}, "spec": spec}
        created = self._client.create(completed(probe))
        self.decision(created)
        self._client.delete(*key_of(created), AT_ONCE)
