# SPDX-License-Identifier: Apache-2.0
"""What if: a cluster as it is, and one in which something was changed, compared over many seeds.

For one seed both clusters are given the same choices, so that what differs is not luck. A change is certain if it
comes about under every seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from refsched.processes.forked_process import can_fork
from refsched.tools.planner.forked_trials import in_forked_processes
from refsched.tools.planner.trials import Prepared, SeedTrial

ALWAYS, SOMETIMES, NEVER = "always", "sometimes", "never"


@frozen
class PodCompared:
    """A PodCompared has, for each seed, the pod's node before and after; ``""`` stands for none, and None for a
    cluster in which the pod asks for no place and has none. ``why`` is what was said after the change, under the
    first seed that differs and of which something was said."""

    pod: str
    before: tuple[str | None, ...]
    after: tuple[str | None, ...]
    why: str = ""

    @property
    def is_certain(self) -> bool:
        """Returns whether the pod goes elsewhere under every seed."""
        return all(one != other for one, other in zip(self.before, self.after, strict=True))

    @property
    def is_changed(self) -> bool:
        return self.before != self.after

    @property
    def places_gained(self) -> int:
        """Returns under how many more seeds the pod has a node; 0 if it is in one of the two clusters only."""
        if None in (*self.before, *self.after):
            return 0
        return sum(map(bool, self.after)) - sum(map(bool, self.before))


@frozen
class WhatIf:
    """A WhatIf compares two clusters over ``seeds``. ``victims`` are the pods that are preempted after the change
    and not before it, with the share of the seeds, in percent, under which each finds no place again. ``used``
    is by node the share, in percent, that is requested before and after, under the first seed."""

    seeds: int
    pods: tuple[PodCompared, ...]
    victims: Mapping[str, int]
    used: tuple[Mapping[str, int], Mapping[str, int]]

    @property
    def certain(self) -> tuple[PodCompared, ...]:
        return tuple(pod for pod in self.pods if pod.is_certain)

    @property
    def by_luck(self) -> tuple[PodCompared, ...]:
        """Returns the pods that go elsewhere under some seeds only."""
        return tuple(pod for pod in self.pods if pod.is_changed and not pod.is_certain)

    @property
    def new(self) -> tuple[PodCompared, ...]:
        """Returns the pods that are there after the change only, and ask for a place."""
        return tuple(pod for pod in self.pods if set(pod.before) == {None} and None not in pod.after)

    def new_placed(self) -> tuple[int, ...]:
        """Returns for each seed how many of the new pods have a node."""
        return tuple(sum(bool(pod.after[seed]) for pod in self.new) for seed in range(self.seeds))

    def placed_less_often(self) -> tuple[str, ...]:
        """Returns the pods that have a node under fewer seeds than before."""
        return tuple(pod.pod for pod in self.pods if pod.places_gained < 0)

    def placed_more_often(self) -> tuple[str, ...]:
        return tuple(pod.pod for pod in self.pods if pod.places_gained > 0)

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """Returns how many pods are placed always, sometimes and never, before and after."""
        before = [how_often(pod.before) for pod in self.pods if None not in pod.before]
        after = [how_often(pod.after) for pod in self.pods if None not in pod.after]
        return _counted(before), _counted(after)


def _counted(often: Sequence[str]) -> dict[str, int]:
    return {each: often.count(each) for each in (ALWAYS, SOMETIMES, NEVER)}


def how_often(nodes: Sequence[str | None]) -> str:
    """Returns whether a pod is placed always, sometimes or never."""
    if all(nodes):
        return ALWAYS
    return SOMETIMES if any(nodes) else NEVER


def what_if(
    prepare: Callable[[], Prepared],
    change: Callable[[Prepared], Prepared],
    seeds: int,
    progress: Callable[[int], None] = lambda done: None,
) -> WhatIf:
    """Compares the cluster that ``prepare`` returns with the one that ``change`` makes of it. ``progress`` is
    called with how many trials were made so far. Raises InputError as ``plan`` does."""
    one, before = _tried(prepare, [{}] * seeds, progress)
    runs = {key: pod.spec.node_name for key, pod in one.pods.items() if pod.spec.node_name}
    expected = [{**runs, **trial.nodes, **trial.victims} for trial in before]
    other, after = _tried(
        lambda: change(one if can_fork() else prepare()), expected, lambda done: progress(seeds + done)
    )
    pairs = list(zip(before, after, strict=True))
    keys = sorted({*one.census.pending, *other.census.pending, *_victims(pairs)})
    return WhatIf(
        seeds,
        tuple(_compared(key, pairs, one, other) for key in keys),
        _lost(pairs),
        (before[0].used, after[0].used),
    )


def _tried(
    prepare: Callable[[], Prepared],
    expected: Sequence[Mapping[str, str]],
    progress: Callable[[int], None],
) -> tuple[Prepared, list[SeedTrial]]:
    """Returns a trial for each seed, and what was tried. ``expected`` has the nodes that are expected under each
    seed."""
    kept: list[Prepared] = []
    trials: list[SeedTrial] = []

    def prepare_and_keep() -> Prepared:
        kept[:] = [prepare()]
        return kept[0]

    def try_out(prepared: Prepared, seed: int) -> SeedTrial:
        return prepared.try_out(seed, expected[seed])

    for trial in in_forked_processes(prepare_and_keep, range(len(expected)), try_out):
        trials.append(trial)
        progress(len(trials))
    return kept[0], trials


def _compared(
    key: str, pairs: Sequence[tuple[SeedTrial, SeedTrial]], one: Prepared, other: Prepared
) -> PodCompared:
    before = tuple(_node(key, trial, one) for trial, _ in pairs)
    after = tuple(_node(key, trial, other) for _, trial in pairs)
    said = (pairs[at][1].why.get(key, "") for at in range(len(pairs)) if before[at] != after[at])
    return PodCompared(key, before, after, next(filter(None, said), ""))


def _node(key: str, trial: SeedTrial, cluster: Prepared) -> str | None:
    if key in trial.victims:
        return trial.victims[key]
    if key in trial.nodes:
        return trial.nodes[key]
    pod = cluster.pods.get(key)
    return (pod.spec.node_name or None) if pod is not None else None


def _victims(pairs: Sequence[tuple[SeedTrial, SeedTrial]]) -> set[str]:
    return {key for pair in pairs for trial in pair for key in trial.victims}


def _lost(pairs: Sequence[tuple[SeedTrial, SeedTrial]]) -> dict[str, int]:
    """Returns the victims that are none before the change, and how often each finds no place again."""
    found: dict[str, int] = {}
    for before, after in pairs:
        for key, node in after.victims.items():
            if key not in before.victims:
                found[key] = found.get(key, 0) + (not node)
    return {key: 100 * count // len(pairs) for key, count in sorted(found.items())}
