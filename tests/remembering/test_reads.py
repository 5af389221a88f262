# SPDX-License-Identifier: Apache-2.0
"""A plugin reads of who a pod is, and of a node, what it lists in READS: it is given pods and nodes that say
nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import product
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import pytest
from attrs import evolve, fields
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pair import maker_of

from conformance.strategies import AREAS
from refsched import InputError
from refsched.checking.trace import read_trace
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.machine.scheduler import CycleHeldError, Scheduler
from refsched.objects.meta import ObjectMeta
from refsched.plugins.node_resources_balanced_allocation import Asked
from refsched.plugins.node_resources_fit import Scored
from refsched.reading.inputs import InputReader
from refsched.records import Attempt, Input
from refsched.releases import RELEASES
from refsched.remembering.kinds import reads_who_it_is
from refsched.remembering.node_kinds import PARTS, everything, parts_read
from tests.tools.test_copies import WITHOUT_EXTENDERS, begun, do

TRACES = Path(__file__).parents[2] / "traces"
POINTS = {"filter": 1, "score": 1}
"""The methods that are given a pod, and at which place."""
NODE = 2
"""The place of the node."""


def refuse(metadata: ObjectMeta) -> NoReturn:
    raise AssertionError("a plugin reads who the pod is, and does not list it in READS")


class Nameless(ObjectMeta):
    __slots__ = ()
    name = property(refuse)
    uid = property(refuse)
    annotations = property(refuse)
    creation_timestamp = property(refuse)


def nameless(info: PodInfo) -> PodInfo:
    made = object.__new__(Nameless)
    for each in fields(ObjectMeta):
        if not isinstance(getattr(Nameless, each.name), property):
            object.__setattr__(made, each.name, getattr(info.pod.metadata, each.name))
    return PodInfo(evolve(info.pod, metadata=made))


ATTRIBUTES = {
    "Node.metadata.name": ("name", "node.name"),
    "Node.metadata.labels": ("node.metadata.labels",),
    "Node.spec.taints": ("node.spec.taints",),
    "Node.spec.unschedulable": ("node.spec.unschedulable",),
    "Node.status.allocatable": ("pods", "allocatable", "requested", "non_zero_requested"),
    "Node.status.declaredFeatures": ("node.status.declared_features",),
    "Node.status.images": ("image_states",),
    "Pod.spec.containers[].ports": ("host_ports",),
}


IF_NOTHING_IS_LISTED = ("name",)
"""NodeName compares it with the node that a pod names; a pod that is scheduled names none."""


def with_nothing_but(info: NodeInfo, paths: Iterable[str]) -> Any:
    """Returns what has these attributes of the node, and no other one."""
    made = SimpleNamespace()
    for path in paths:
        at, (*parents, last) = made, path.split(".")
        for name in parents:
            at.__dict__.setdefault(name, SimpleNamespace())
            at = getattr(at, name)
        setattr(at, last, attrgetter(path)(info))
    made.existing_node = getattr(made, "node", SimpleNamespace())
    return made


_nameless: WeakKeyDictionary[PodInfo, PodInfo] = WeakKeyDictionary()


def asked_without_a_name(method: Callable[..., Any], place: int) -> Callable[..., Any]:
    """A plugin whose state is another one for each pod is asked anew about each node, and may read all of it."""

    def ask(plugin: Any, *arguments: Any) -> Any:
        given = list(arguments)
        info = given[place]
        given[place] = _nameless.setdefault(info, nameless(info))
        is_never_the_same = isinstance(given[0], Scored | Asked) and given[0].devices is not None
        if parts_read(plugin, given[0]) != (everything,) and not is_never_the_same:
            read = [path for listed in plugin.READS for path in ATTRIBUTES.get(listed, ())]
            given[NODE] = with_nothing_but(given[NODE], read or IF_NOTHING_IS_LISTED)
        return method(plugin, *given)

    return ask


@pytest.fixture(scope="module")
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


_patched: set[tuple[type, str]] = set()


def hide_names(scheduler: Scheduler, patch: pytest.MonkeyPatch) -> None:
    """Gives the plugins of the scheduler pods without a name, if they do not say that they read it."""
    plugins = (plugin for framework in scheduler.state.profiles.values() for plugin in framework.plugins)
    for plugin in plugins:
        if reads_who_it_is(plugin):
            continue
        for kind, point in product(type(plugin).__mro__, POINTS):
            if callable(vars(kind).get(point)) and (kind, point) not in _patched:
                _patched.add((kind, point))
                patch.setattr(kind, point, asked_without_a_name(vars(kind)[point], POINTS[point]))


@pytest.mark.parametrize(
    "path",
    sorted([*TRACES.glob("kube-scheduler-*/*-001.jsonl.gz"), *TRACES.glob("recorded-*/*/*-001.jsonl.gz")]),
    ids=lambda path: f"{path.parent.name} {path.name}",
)
def test_in_recordings_no_other_plugin_reads_who_a_pod_is(path: Path, patch: pytest.MonkeyPatch) -> None:
    trace = read_trace(path)
    make = maker_of(trace.header)
    if make is None:
        return
    scheduler = make()
    hide_names(scheduler, patch)
    inputs = InputReader(scheduler)
    for entry in trace.entries:
        with suppress(InputError, CycleHeldError):
            if isinstance(entry.record, Input):
                inputs.apply(entry.record)
            elif isinstance(entry.record, Attempt):
                scheduler.schedule()


@pytest.mark.parametrize("release", RELEASES)
@settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_in_drawn_histories_no_other_plugin_reads_who_a_pod_is(
    release: str, patch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    history = data.draw(AREAS[data.draw(st.sampled_from(WITHOUT_EXTENDERS))]())
    with suppress(
        InputError, UserWarning
    ):  # this release refuses the configuration, or has no such feature gate
        cluster = begun(history, release)
        hide_names(cluster._scheduler, patch)
        for step in history.steps:
            do(cluster, step)


def test_it_is_said_of_every_field_what_a_plugin_that_lists_it_may_read() -> None:
    assert ATTRIBUTES.keys() == PARTS.keys()


def test_a_plugin_that_does_not_say_what_it_reads_may_read_who_a_pod_is() -> None:
    assert reads_who_it_is(object())
