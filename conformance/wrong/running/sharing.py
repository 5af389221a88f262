# SPDX-License-Identifier: Apache-2.0
"""Sharing: wrong schedulers are tried by many processes, of this machine or of others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context

from conformance.campaigns.machines import Each, machines
from conformance.wrong.running.profile import histories_of, suite_tests


@contextmanager
def shared(jobs: int, scheduler: str | None) -> Iterator[Each]:
    """So many ``jobs`` on this machine, where what the tests draw is drawn once, before the processes part; or the
    workers of the Dask ``scheduler``, by its address."""
    if scheduler is not None:
        with machines(jobs, scheduler) as each:
            yield each
        return
    for test in suite_tests():
        histories_of(test)
    with get_context("fork").Pool(jobs) as pool:
        yield pool.imap_unordered
