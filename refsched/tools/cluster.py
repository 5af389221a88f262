# SPDX-License-Identifier: Apache-2.0
"""Cluster: a scheduler and the objects that it is shown, for programs (``from refsched import Cluster``).

The methods are the requests of docs/protocol.md. Objects are Kubernetes' own, as mappings or as YAML or JSON text;
a cluster returns the records of the same document.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from refsched.config.types import Extender as ExtenderConfig
from refsched.errors import InputError, one_line
from refsched.extenders.extender import Ask
from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import CycleHeldError, Scheduler
from refsched.machine.state import START
from refsched.objects.kinds import KINDS
from refsched.objects.meta import ApiObject
from refsched.records import (
    Advance,
    Attempt,
    Create,
    Delete,
    Input,
    Nodes,
    Output,
    Permit,
    Queues,
    Reference,
    Release,
    Update,
)
from refsched.releases import DEFAULT, release_of
from refsched.remembering import remember
from refsched.tools.configuration.feature_gates import with_feature_gates
from refsched.tools.configuration.read import default_config, read_config
from refsched.tools.configuration.unread import unread_args
from refsched.tools.http.over_http import over_http
from refsched.tools.journal import Journal, Scheduled, Shown
from refsched.tools.planner.cluster import check_is_to_place, pod_called
from refsched.tools.planner.dry_extenders import reach
from refsched.tools.planner.explain import explain as explanation_of
from refsched.tools.planner.explanation import Explanation
from refsched.tools.planner.plan import Plan
from refsched.tools.planner.planning import plan as plan_of
from refsched.tools.reading.api_fields import check_fields
from refsched.tools.reading.documents import read_documents
from refsched.tools.reading.dumps import items_of
from refsched.tools.reading.inputs import InputReader
from refsched.tools.reading.objects import kind_called

Manifest: TypeAlias = str | Mapping[str, Any]
"""A Manifest is one Kubernetes object as a mapping, or any number of them as YAML or JSON text."""

TEXT = "the text"


class Cluster:
    """A Cluster is a cluster as a scheduler sees it, at time 0 and with no objects except ``manifests``.

    ``config`` is a KubeSchedulerConfiguration (the default one if it is None), ``kubernetes`` a release
    (``"1.34"``), ``feature_gates`` are by name, and ``start`` is the time on the cluster's clock at 0. If
    kube-scheduler may do more than one thing, ``seed`` decides. Raises InputError if something given is refused.

    Nothing happens by itself: ``advance`` moves the clock, and ``schedule`` tries a pod. A cluster can be copied
    and pickled: the copy goes on from here as this one would, and neither changes the other.
    """

    def __init__(
        self,
        manifests: Manifest | Iterable[Manifest] = "",
        *,
        config: Manifest | None = None,
        kubernetes: str = DEFAULT.name,
        feature_gates: Mapping[str, bool] | None = None,
        start: datetime = START,
        seed: int = 0,
    ) -> None:
        self._kubernetes = kubernetes
        self._feature_gates = dict(feature_gates or {})
        self._release = with_feature_gates(feature_gates, release_of(kubernetes))
        self._config = (
            default_config(self._release) if config is None else read_config(_one(config), self._release)
        )
        for unread in unread_args(self._config, self._release):
            warnings.warn(f"the configuration: {one_line(unread)}", stacklevel=2)
        self._seed = seed
        self._start = start
        self._records: list[Output] = []
        self._start_with(Journal(), serial=0)
        self.create(manifests)

    # --- Copies -----------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Returns what a copy is made of: a copy does again what this cluster was shown and asked to do."""
        made_anew = ("_release", "_scheduler", "_inputs")
        kept = {name: value for name, value in vars(self).items() if name not in made_anew}
        return kept | {
            "_records": list(self._records),
            "_journal": self._journal.copy(),
            "serial": self._inputs.serial,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        serial = state.pop("serial")
        vars(self).update(state)
        self._release = with_feature_gates(self._feature_gates, release_of(self._kubernetes))
        self._start_with(self._journal, serial)

    def __deepcopy__(self, memo: dict[int, Any]) -> Cluster:
        """Returns a copy: all that two copies share is immutable."""
        return copy(self)

    def _start_with(self, journal: Journal, serial: int) -> None:
        self._journal = journal
        self._scheduler = self._empty(journal.reached(over_http))
        journal.repeat(self._scheduler)
        self._inputs = InputReader(self._scheduler, serial=serial)

    # --- Inputs -----------------------------------------------------------------------------------

    def create(self, manifests: Manifest | Iterable[Manifest]) -> tuple[Output, ...]:
        """Shows new objects to the scheduler, in this order, and returns what it did because of them."""
        return self._apply(*(Create(value) for value in _checked(manifests)))

    def update(self, manifests: Manifest | Iterable[Manifest]) -> tuple[Output, ...]:
        """Shows changed objects to the scheduler, each as it is now, and returns what it did because of them."""
        return self._apply(*(Update(value) for value in _checked(manifests)))

    def delete(
        self, kind: str, name: str, namespace: str = "default", *, api_version: str = ""
    ) -> tuple[Output, ...]:
        """Deletes an object, and returns what the scheduler did. ``api_version`` is that of the kind if it is
        not given."""
        return self._apply(Delete(_reference(kind, name, namespace, api_version)))

    def advance(self, seconds: float) -> tuple[Output, ...]:
        """Moves the clock by so many seconds, so that timers that fall due fire, and returns what the scheduler
        did."""
        return self._apply(Advance(seconds))

    def permit(self, pod: str, decision: str, plugin: str = "") -> tuple[Output, ...]:
        """Decides on a pod that waits on Permit: ``allow`` (by ``plugin``, or by all) or ``reject``."""
        return self._apply(Permit(_key(pod), decision, plugin))

    def release(self, pod: str) -> tuple[Output, ...]:
        """Releases the pod that a scripted plugin holds."""
        return self._apply(Release(_key(pod)))

    def schedule(self, pod: str | None = None) -> Attempt | None:
        """Pops the next pod of the queue, or this one, and tries to place it. Returns its attempt.

        Returns None if no pod waits, or if a scripted plugin holds the attempt, which has not ended. What followed
        from the attempt (its binding, what it wrote) is among the ``records``.
        """
        key = None if pod is None else _key(pod)
        self._journal.steps.append(Scheduled(key))
        try:
            self._scheduler.schedule(key)
        except KeyError:
            raise InputError("does not wait to be scheduled", where=_key(pod or "")) from None
        except CycleHeldError as held:
            raise InputError(str(held)) from None
        return next((record for record in self._take() if isinstance(record, Attempt)), None)

    # --- Observations -----------------------------------------------------------------------------

    @property
    def records(self) -> tuple[Output, ...]:
        """Returns all that the scheduler did, from the beginning."""
        return tuple(self._records)

    @property
    def now(self) -> float:
        """Returns the seconds since the beginning."""
        return self._scheduler.state.clock.now

    def observe(self) -> tuple[Queues, Nodes]:
        """Returns the pods that wait, by queue, and what is requested on each node, assumed pods included."""
        return self._scheduler.queues(), self._scheduler.nodes()

    # --- Questions --------------------------------------------------------------------------------

    def explain(self, pod: str) -> Explanation:
        """Explains why the pod is placed where it is, and not elsewhere; ``refsched explain`` prints the same.

        The pod is decided against the cluster as it is, and nothing changes. A pod that runs is decided as if it
        did not.
        """
        objects = self._objects()
        scheduler = self._empty(partial(reach, remember=True))
        found = pod_called(pod, objects)
        check_is_to_place(scheduler, found)
        return explanation_of(scheduler, objects, found)

    def plan(self) -> Plan:
        """Returns where every pending pod would be placed if time went on; the cluster itself does not change."""
        return plan_of(self._empty(partial(reach, remember=False)), self._objects())

    # --- Within -----------------------------------------------------------------------------------

    def _empty(self, reached: Callable[[ExtenderConfig], Ask]) -> Scheduler:
        choices = SeededChoices(self._seed)
        return remember(
            scheduler_of(self._config, choices, release=self._release, start=self._start, reach=reached)
        )

    def _apply(self, *inputs: Input) -> tuple[Output, ...]:
        for each in inputs:
            shown = self._inputs.apply(each)
            self._journal.steps.append(each if shown is None else Shown(shown, isinstance(each, Update)))
        return self._take()

    def _take(self) -> tuple[Output, ...]:
        new = tuple(self._scheduler.take_records())
        self._records += new
        return new

    def _objects(self) -> list[ApiObject]:
        return [shown for kind in KINDS for shown in self._scheduler.state.objects.list(kind.type)]


def _objects(manifests: Manifest | Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """Yields every object; a List, as kubectl prints it, stands for its items."""
    if isinstance(manifests, str):
        for document in read_documents(manifests, TEXT):
            for _, value in items_of(document.where, document.value):
                yield value
    elif isinstance(manifests, Mapping):
        for _, value in items_of("", manifests):
            yield dict(value)
    else:
        for each in manifests:
            yield from _objects(each)


def _checked(manifests: Manifest | Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """Yields every object. A member that is no field is refused, or warned of if a cluster printed the object."""
    for value in _objects(manifests):
        for unknown in check_fields(value):
            warnings.warn(f"{one_line(unknown)} is not a known field, and is ignored", stacklevel=4)
        yield value


def _one(manifest: Manifest) -> Mapping[str, Any]:
    found = list(_objects(manifest))
    if len(found) != 1:
        raise InputError(f"expected one KubeSchedulerConfiguration, found {len(found)} documents")
    return found[0]


def _key(pod: str) -> str:
    return pod if "/" in pod else f"default/{pod}"


def _reference(kind: str, name: str, namespace: str, api_version: str) -> Reference:
    known = next((each.api_version for each in KINDS if each.name == kind), "v1")
    found = kind_called(api_version or known, kind)
    return Reference(kind, name, api_version or known, namespace if found.namespaced else "")
