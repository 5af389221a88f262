# SPDX-License-Identifier: Apache-2.0
"""Setting up: a scheduler of the specification that runs in a real cluster, from the options of the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import Any

from attrs import field, frozen

from refsched.framework.choices import Choices, SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.objects.pod import DEFAULT_SCHEDULER_NAME
from refsched.processes.http.over_http import over_http
from refsched.processes.kubernetes_api.client import Client
from refsched.reading.configuration.read import KIND, read_config
from refsched.reading.configuration.unread import WholeConfiguration
from refsched.records import Output
from refsched.releases.release import Release
from refsched.remembering import remember
from refsched.tools.running.lease import Lease
from refsched.tools.running.mirror import Mirror
from refsched.tools.running.run_loop import RunLoop
from refsched.tools.running.writing import LostError, Writer

Say = Callable[[str], None]


@frozen
class Options:
    """Options are those of ``refsched run``. ``config`` is a KubeSchedulerConfiguration, and ``written`` the same
    as it was written; without one there is one profile, which is called ``scheduler_name``. ``gates`` are the
    feature gates that were set; the release has them already."""

    release: Release
    scheduler_name: str
    config: WholeConfiguration | None = None
    seed: int = 0
    written: Mapping[str, Any] | None = None
    gates: Mapping[str, bool] = field(factory=dict)

    @property
    def schedulers(self) -> list[str]:
        """Returns the names of the profiles."""
        if self.config is None:
            return [self.scheduler_name]
        return [profile.scheduler_name or DEFAULT_SCHEDULER_NAME for profile in self.config.profiles]

    @property
    def document(self) -> Mapping[str, Any]:
        """Returns the configuration as it was written, or that which is used where none is given."""
        if self.written is not None:
            return self.written
        profiles = [{"schedulerName": self.scheduler_name}]
        return {"apiVersion": self.release.api_versions[0], "kind": KIND, "profiles": profiles}

    @property
    def elects(self) -> bool:
        """Returns whether only the holder of a lease may schedule."""
        return self.config is None or self.config.leader_election.leader_elect


def scheduler_for(
    options: Options, start: datetime | None = None, choices: Choices | None = None
) -> Scheduler:
    """Returns a scheduler of an empty cluster, whose clock begins now, unless it begins at ``start``, and which
    chooses by its seed, unless there are ``choices``. Raises InputError if its configuration enables what does not
    exist."""
    release = options.release
    config = options.config or read_config(options.document, release)
    return remember(
        scheduler_of(
            config,
            choices or SeededChoices(options.seed),
            release=release,
            start=start or datetime.now(UTC),
            reach=over_http,
        )
    )


def run(
    client: Client,
    options: Options,
    say: Say,
    goes_on: Callable[[], bool],
    show: Callable[[Output], None] = lambda record: None,
) -> bool:
    """Schedules for as long as it goes on and this process leads, and shows each record before it is written.
    Returns whether it still leads."""
    scheduler = scheduler_for(options)
    if not options.elects:
        return _schedule(client, scheduler, say, show, goes_on, lambda: True)
    with closing(Lease(client, options.scheduler_name)) as lease:
        if not lease.acquire(say, goes_on):
            return True
        return _schedule(client, scheduler, say, show, goes_on, lambda: lease.is_held)


def _schedule(
    client: Client,
    scheduler: Scheduler,
    say: Say,
    show: Callable[[Output], None],
    goes_on: Callable[[], bool],
    leads: Callable[[], bool],
) -> bool:
    mirror = Mirror(scheduler, say)
    writer = Writer(client, mirror, leads, say)

    def take(record: Output) -> None:
        show(record)
        writer.take(record)

    with closing(RunLoop(client, scheduler, mirror)) as running:
        running.wait_for_lists(goes_on, say)
        say(f"schedules the pods of {', '.join(scheduler.state.profiles)}")
        with suppress(LostError):
            running.schedule(lambda: goes_on() and leads(), take)
    return leads()
