# SPDX-License-Identifier: Apache-2.0
"""A run that is spread over the workers of a Dask scheduler. tests/tools/test_installed.py compares its report."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from distributed import Client, KilledWorker, LocalCluster

from refsched.errors import InputError
from refsched.tools.cli import spread

pytestmark = pytest.mark.filterwarnings("default")  # what Dask and Tornado do while a cluster ends is theirs


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """What a cluster has left open is collected, and warned of, before the next test."""
    yield
    gc.collect()


def end_worker(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_ends_where_no_worker_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "CONNECTING", 0.2)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        Client(cluster.scheduler_address) as client,
        pytest.raises(InputError, match="no worker is left"),
    ):
        list(spread.results(client, client.map(str, [1])))


def test_a_part_that_ends_the_last_worker_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at the part between the end of the last worker and the end of the time for another one."""
    monkeypatch.setattr("distributed.wait", Mock(side_effect=TimeoutError))
    client = Mock(wait_for_workers=Mock(side_effect=TimeoutError))
    part = Mock(
        done=Mock(side_effect=[False, True, True]),
        result=Mock(side_effect=KilledWorker("part", Mock(address="tcp://w"), 3)),
    )
    with pytest.raises(InputError, match="each worker ended"):
        list(spread.results(client, [part]))


def test_a_part_that_ends_each_worker_is_named() -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster.scheduler_address) as client,
        pytest.raises(InputError, match="each worker ended"),
    ):
        list(spread.results(client, client.map(end_worker, [1])))
