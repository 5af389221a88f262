# SPDX-License-Identifier: Apache-2.0
"""Machines: the tasks of a long campaign, done by any number of them (Dask's distributed scheduler).

Without an address the workers are processes on this machine, which end with the campaign. With one they are
those that are connected there. The scheduler and the workers are started in a checkout of the same commit:

    PYTHONPATH=. dask scheduler                                           # on one machine
    PYTHONPATH=. dask worker --nthreads 1 tcp://that-machine:8786         # as often as there are cores

A run of the suite needs no checkout (docs/adapters.md, More than one machine). A task whose worker dies is done
again by another worker; nothing else is done twice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Protocol, TypeVar

import click

from refsched.errors import InputError
from refsched.tools.cli.spread import CONNECTING, results

Task = TypeVar("Task")
Result = TypeVar("Result")
Command = Callable[..., Any]

NOT_INSTALLED = "to share the work takes distributed: python -m pip install 'refsched[campaigns]'"


class Each(Protocol):
    """Each gives what a function makes of each task."""

    def __call__(self, function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterator[Result]: ...


def sharing(command: Command) -> Command:
    """Gives a command the options ``--workers`` and ``--scheduler``, which ``machines`` takes. An InputError
    ends it with exit code 2."""

    @wraps(command)
    def run(**given: Any) -> Any:
        try:
            return command(**given)
        except InputError as problem:
            click.echo(str(problem), err=True)
            sys.exit(2)

    workers = click.option(
        "--workers",
        type=click.IntRange(1),
        default=2,
        show_default=True,
        help="Processes on this machine that share the work.",
    )
    scheduler = click.option(
        "--scheduler", metavar="tcp://…", help="Share the work among the workers of this Dask scheduler."
    )
    return workers(scheduler(run))


@contextmanager
def machines(workers: int, scheduler: str | None = None) -> Iterator[Each]:
    """Shares tasks. ``scheduler`` is the address of one that runs; else this many ``workers`` are started, and
    with one of them this process does the work alone. Raises InputError if the work cannot be shared, if a task
    ends one worker after the other, or if no worker is left."""
    if scheduler is None and workers < 2:
        yield map
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError(NOT_INSTALLED) from None

    def each(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        return results(client, client.map(function, list(tasks), pure=False))

    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=CONNECTING)
        except (OSError, ValueError) as problem:
            raise InputError(str(problem), where=scheduler) from None
        with client:
            yield each
        return
    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
    # By its address: a client that is given the cluster replaces what the cluster knows of its workers
    # (Client.wait_for_workers), and the cluster does not find one that ends then.
    with cluster, Client(cluster.scheduler_address) as client:
        yield each
