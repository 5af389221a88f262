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

from refsched.tools.kubernetes_api.client import ApiError, Client, UnreachableError

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
        """Waits until the lease is free, takes it, and renews it in a thread from then on. Returns False if it
        does not go on before."""
        has_said = False
        while not self._try():
            if not has_said:
                say("another one holds the lease; waiting for it")
                has_said = True
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
            found = self._client.request("GET", f"{self._path}/{self._name}")
            if found["spec"].get("holderIdentity") == self.holder:
                self._write({"leaseDurationSeconds": 1}, found["metadata"]["resourceVersion"])

    def _renew(self) -> None:
        while not self._ended.wait(RETRY):
            if not self._try() and not self.is_held:
                return

    def _try(self) -> bool:
        """Returns whether the lease was taken or renewed. How long another one has not renewed it is counted from
        the moment at which a change of it was seen, since the clocks of machines differ."""
        began = time.monotonic()
        try:
            found = self._client.request("GET", f"{self._path}/{self._name}")
        except ApiError as refused:
            return refused.is_missing and self._create(began)
        except UnreachableError:
            return False
        version, holder = found["metadata"]["resourceVersion"], found["spec"].get("holderIdentity")
        if holder and holder != self.holder:
            if self._seen[0] != version:
                self._seen = version, began
            duration = found["spec"].get("leaseDurationSeconds") or DURATION
            if began < self._seen[1] + duration:
                return False
        return self._write(_spec(self.holder), version) and self._hold(began)

    def _create(self, began: float) -> bool:
        lease = {"metadata": {"name": self._name}, "spec": _spec(self.holder)}
        try:
            self._client.request("POST", self._path, {**_TYPE, **lease})
        except (ApiError, UnreachableError):
            return False
        return self._hold(began)

    def _write(self, spec: Json, version: str) -> bool:
        metadata = {"name": self._name, "resourceVersion": version}
        try:
            self._client.request(
                "PUT", f"{self._path}/{self._name}", {**_TYPE, "metadata": metadata, "spec": spec}
            )
        except (ApiError, UnreachableError):
            return False
        return True

    def _hold(self, began: float) -> bool:
        self._held_until = began + DEADLINE
        return True


_TYPE = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}


def _spec(holder: str) -> Json:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "holderIdentity": holder,
        "leaseDurationSeconds": int(DURATION),
        "acquireTime": now,
        "renewTime": now,
    }
