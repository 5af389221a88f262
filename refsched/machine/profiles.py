# SPDX-License-Identifier: Apache-2.0
"""Profiles: a configuration becomes the plugins that a scheduler runs, and the scheduler itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from refsched.config.resolve import ResolvedProfile, extenders_in_order, resolve
from refsched.config.types import Extender as ExtenderConfig
from refsched.config.types import KubeSchedulerConfiguration
from refsched.devices.in_use import DeviceLedger
from refsched.extenders.extender import Ask, Extender, nobody
from refsched.framework.choices import Choices
from refsched.framework.interface import Plugin
from refsched.framework.runtime import Framework
from refsched.framework.signature import signer_of
from refsched.machine.scheduler import Scheduler
from refsched.machine.state import START, Clock, SchedulerState
from refsched.objects.store import ObjectStore
from refsched.oddities.known_defects import Oddities, with_oddities
from refsched.plugins.dynamic_resources_extended import ServedResources
from refsched.queue.hint_table import hint_table
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.releases import DEFAULT
from refsched.releases.release import Release


def framework_of(
    profile: ResolvedProfile,
    extenders: Sequence[Extender] = (),
    release: Release = DEFAULT,
    oddities: Oddities | None = None,
) -> Framework:
    """Returns the plugins of a profile, each made once, at the points at which it is enabled."""
    if oddities is None:
        oddities = release.oddities
    made: dict[str, Plugin] = {}

    def at(point: str) -> Any:
        names = [enabled.name for enabled in profile.points[point]]
        for name in names:
            if name not in made:
                plugin = release.plugins[name].make(profile.args.get(name))
                made[name] = with_oddities(plugin, oddities)
        return tuple(made[name] for name in names)

    return release.framework(
        profile.scheduler_name,
        queue_sort_plugin=at("queueSort")[0],
        pre_enqueue_plugins=at("preEnqueue"),
        pre_filter_plugins=at("preFilter"),
        filter_plugins=at("filter"),
        post_filter_plugins=at("postFilter"),
        pre_score_plugins=at("preScore"),
        score_plugins=at("score"),
        score_weights={enabled.name: enabled.weight for enabled in profile.points["score"]},
        reserve_plugins=at("reserve"),
        permit_plugins=at("permit"),
        pre_bind_plugins=at("preBind"),
        bind_plugins=at("bind"),
        post_bind_plugins=at("postBind"),
        percentage_of_nodes_to_score=profile.percentage_of_nodes_to_score,
        extenders=extenders,
    )


# --- The scheduler --------------------------------------------------------------------------------


def scheduler_of(
    config: KubeSchedulerConfiguration,
    choices: Choices,
    *,
    release: Release = DEFAULT,
    start: datetime = START,
    frozen_timers: frozenset[str] = frozenset(),
    reach: Callable[[ExtenderConfig], Ask] = nobody,
    oddities: Oddities | None = None,
) -> Scheduler:
    """Returns a scheduler of an empty cluster at time 0. The QueueSort of the first profile sorts all pods.

    ``reach`` says how each extender is asked; ``oddities`` are its known defects, by default those of its release.
    Raises InputError if the configuration enables what does not exist or cannot work, or ``start`` is too late."""
    extenders = tuple(release.extender(extender, reach(extender)) for extender in extenders_in_order(config))
    frameworks = {
        profile.scheduler_name: framework_of(profile, extenders, release, oddities)
        for profile in resolve(config, release)
    }
    clock, objects = Clock(start), ObjectStore()
    objects.ledger(DeviceLedger)
    objects.ledger(ServedResources)
    state = SchedulerState(
        frameworks,
        _queue_of(config, release, frameworks, objects, clock),
        choices,
        clock,
        objects,
        release.decider,
        release.evict,
        {name: release.batch() for name in frameworks},
        cache=release.cache(),
    )
    return Scheduler(state, release, frozen_timers)


def _queue_of(
    config: KubeSchedulerConfiguration,
    release: Release,
    frameworks: Mapping[str, Framework],
    objects: ObjectStore,
    clock: Clock,
) -> SchedulingQueue:
    """Returns the queue of these profiles, which is empty."""
    queue_sort = next(iter(frameworks.values())).queue_sort_plugin
    assert queue_sort is not None
    hint_tables = {
        name: hint_table(
            framework.plugins,
            has_extenders=bool(framework.extenders),
            further_events=release.queue.further_events,
        )
        for name, framework in frameworks.items()
    }
    return SchedulingQueue(
        release.queue,
        queue_sort.less,
        hint_tables,
        {name: framework.pre_enqueue_plugins for name, framework in frameworks.items()},
        signer_of(frameworks if release.batch.gives_hints else {}, objects),
        objects,
        float(config.pod_initial_backoff_seconds),
        float(config.pod_max_backoff_seconds),
        clock.since_a_whole_second,
    )
