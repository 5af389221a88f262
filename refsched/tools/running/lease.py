# SPDX-License-Identifier: Apache-2.0
"""Lease: of the schedulers of one name only the one that holds the lease schedules.

Source: client-go/tools/leaderelection/leaderelection.go, tryAcquireOrRenew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from refsched.processes.kubernetes_api.client import ApiError, Client, UnreachableError

Json = dict[str, Any]

DURATION = 15.0
"""Another one may take a lease that its holder has not renewed for this many seconds."""

DEADLINE = 10.0
"""A holder that could not renew the lease for this many seconds holds it no more."""

RETRY = 2.0
"""The lease is asked for, and renewed, every so many seconds."""

LOOK = 0.1
"""Every so many seconds it is checked whether to go on."""

_GROUP = "/apis/coordination.k8s.io/v1"


class Lease:
    """A Lease is held from ``acquire`` on, until it cannot be renewed, or ``close``."""

    def __init__(self, client: Client, name: str, namespace: str = "kube-system") -> None:
        self.holder = f"refsched-{uuid4()}"
        self._client = client
        self._path = f"{_GROUP}/namespaces/{namespace}/leases"
        self._name = name
        self._held_until = 0.0
        self._seen: tuple[str, float] = ("", 0.0)
        self._ended = threading.Event()

    @property
    def is_held(self) -> bool:
        return time.monotonic() < self._held_until

    def acquire(self, say: Callable[[str], None], goes_on: Callable[[], bool]) -> bool:
        """Waits until the lease can be taken, and says why it cannot. Then takes it, and renews it in a thread.
        Returns False if it does not go on before."""
        said = ""
        while problem := self._try():
            if problem != said:
                say(f"{problem}; waiting for it")
                said = problem
            for _ in range(int(RETRY / LOOK)):
                if not goes_on():
                    return False
                time.sleep(LOOK)
        threading.Thread(target=self._renew, name="lease", daemon=True).start()
        return True

    def close(self) -> None:
        """Gives the lease back, so that another one need not wait until it ends."""
        self._ended.set()
        if not self.is_held:
            return
        self._held_until = 0.0
        with suppress(ApiError, UnreachableError):
            found = self._found()
            if found is not None and found["spec"].get("holderIdentity") == self.holder:
                self._write({"leaseDurationSeconds": 1}, found["metadata"]["resourceVersion"])

    def _renew(self) -> None:
        while not self._ended.wait(RETRY):
            if self._try() and not self.is_held:
                return

    def _try(self) -> str:
        """Takes or renews the lease. Returns why not, or ""."""
        began = time.monotonic()
        try:
            found = self._found()
            if found is None:
                self._create()
            elif self._is_of_another(found, began):
                return "another one holds the lease"
            else:
                self._write(_spec(self.holder), found["metadata"]["resourceVersion"])
        except (ApiError, UnreachableError) as problem:
            return f"the lease cannot be taken: {problem}"
        self._held_until = began + DEADLINE
        return ""

    def _is_of_another(self, found: Json, now: float) -> bool:
        """Returns whether another one holds the lease. How long that one has not renewed it is counted from the
        moment at which a change of it was seen, since the clocks of machines differ."""
        version, holder = found["metadata"]["resourceVersion"], found["spec"].get("holderIdentity")
        if holder in (None, "", self.holder):
            return False
        if self._seen[0] != version:
            self._seen = version, now
        return bool(now < self._seen[1] + (found["spec"].get("leaseDurationSeconds") or DURATION))

    # --- Requests ---------------------------------------------------------------------------------

    def _found(self) -> Json | None:
        try:
            return self._client.request("GET", f"{self._path}/{self._name}")
        except ApiError as refused:
            if refused.is_missing:
                return None
            raise

    def _create(self) -> None:
        lease = {"metadata": {"name": self._name}, "spec": _spec(self.holder)}
        self._client.request("POST", self._path, {**_TYPE, **lease})

    def _write(self, spec: Json, version: str) -> None:
        metadata = {"name": self._name, "resourceVersion": version}
        self._client.request(
            "PUT", f"{self._path}/{self._name}", {**_TYPE, "metadata": metadata, "spec": spec}
        )


_TYPE = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}


def _spec(holder: str) -> Json:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "holderIdentity": holder,
        "leaseDurationSeconds": int(DURATION),
        "acquireTime": now,
        "renewTime": now,
    }
