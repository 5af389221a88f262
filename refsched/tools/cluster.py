# SPDX-License-Identifier: Apache-2.0
"""Cluster: a scheduler and the objects that it is shown, for programs (``from refsched import Cluster``).

The methods are the requests of docs/protocol.md. Objects are Kubernetes' own, as mappings or as YAML or JSON text;
a cluster returns the records of the same document.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

from refsched.config.types import Extender as ExtenderConfig
from refsched.errors import InputError, one_line
from refsched.extenders.extender import Ask
from refsched.framework.choices import SeededChoices
from refsched.framework.status import Status
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import CycleHeldError, Scheduler
from refsched.machine.state import START
from refsched.objects.kinds import KINDS, described_as
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.processes.http.over_http import over_http
from refsched.queue.queued_pod import NotWaitingError
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import default_config, read_config
from refsched.reading.configuration.unread import unread_args
from refsched.reading.inputs import InputReader
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
    Release,
    Update,
)
from refsched.releases import DEFAULT, release_of
from refsched.remembering import remember
from refsched.tools.given_objects import (
    Manifest,
    check_asked,
    check_count,
    check_read,
    check_seconds,
    check_text,
    checked,
    only_one,
    paths_of,
    pod_key,
    read_files,
    reference_to,
)
from refsched.tools.journal import Journal, Scheduled, ShownObject
from refsched.tools.planner.cluster import (
    MOMENT,
    check_is_to_place,
    in_turn,
    latest_time,
    pod_called,
    show,
    why_passed_over,
)
from refsched.tools.planner.controllers import has_own_claims
from refsched.tools.planner.dry_extenders import reach
from refsched.tools.planner.explain import explain as explanation_of
from refsched.tools.planner.explain import without_node
from refsched.tools.planner.explanation import Explanation
from refsched.tools.planner.fitting import Capacity, capacity, fits, with_template
from refsched.tools.planner.own_claims import create_claims, followed
from refsched.tools.planner.plan import Plan
from refsched.tools.planner.planning import plan as plan_of
from refsched.tools.planner.trials import Prepared, changed, differ_in_nodes_and_pods, prepare
from refsched.tools.planner.what_if import WhatIf, what_if
from refsched.tools.scheduler_copy import fork


class Cluster:
    """A Cluster is a cluster as a scheduler sees it, at time 0 and with no objects except ``manifests``.

    ``config`` is a KubeSchedulerConfiguration (the default one if it is None), ``kubernetes`` a release
    (``"1.34"``), ``feature_gates`` are by name, and ``start`` is the time on the cluster's clock at 0. Of files
    (``Path``), which are read as ``refsched explain -f`` reads them, it is the latest time in the objects. If
    kube-scheduler may do more than one thing, ``seed`` decides. Raises InputError if something given is refused.

    Nothing happens by itself: ``advance`` moves the clock, and ``schedule`` tries a pod. A cluster can be copied
    and pickled: the copy goes on from here as this one would, and neither changes the other.
    """

    _check = staticmethod(check_read)

    def __init__(
        self,
        manifests: Manifest | Iterable[Manifest] | Path | Sequence[Path] = "",
        *,
        config: Manifest | None = None,
        kubernetes: str = DEFAULT.name,
        feature_gates: Mapping[str, bool] | None = None,
        start: datetime | None = None,
        seed: int = 0,
    ) -> None:
        check_text("kubernetes", kubernetes)
        self._kubernetes = kubernetes
        self._feature_gates = dict(feature_gates or {})
        self._release = with_feature_gates(feature_gates, release_of(kubernetes))
        self._config = (
            default_config(self._release) if config is None else read_config(only_one(config), self._release)
        )
        for unread in unread_args(self._config, self._release):
            warnings.warn(f"the configuration: {one_line(unread)}", stacklevel=2)
        self._seed = seed
        files = [manifests] if isinstance(manifests, Path) else paths_of(manifests)
        objects = read_files(files, self._release)
        earliest = latest_time(objects) if files else START
        self._start = earliest if start is None else start
        self._records: list[Output] = []
        self._start_with(Journal(), serial=0)
        for shown in in_turn(objects):
            self._show(shown)
        if not files:
            self.create(cast("Manifest | Iterable[Manifest]", manifests))

    @classmethod
    def from_files(cls, *paths: str | Path, **options: Any) -> Cluster:
        """Returns the cluster that ``kubectl get -o yaml`` or ``-o json`` has printed to these files and folders,
        as ``refsched explain -f`` reads it. The options are those of a Cluster. Raises InputError, which names the
        file and the object."""
        return cls([Path(path) for path in paths], **options)

    # --- Copies -----------------------------------------------------------------------------------

    def fork(self) -> Cluster:
        """Returns a copy that goes on from here as this cluster would; neither changes the other. It takes
        milliseconds, except while a cycle is under way or where there are extenders: then everything is done
        again, as ``copy.copy`` does."""
        if self._scheduler.is_busy or self._config.extenders:
            return copy(self)
        forked = object.__new__(type(self))
        vars(forked).update(vars(self))
        forked._records = list(self._records)
        forked._journal = self._journal.copy()
        forked._scheduler = fork(self._scheduler)
        forked._inputs = InputReader(forked._scheduler, self._check, self._inputs.serial)
        forked._asked = None
        return forked

    @contextmanager
    def trying(self) -> Iterator[Cluster]:
        """Allows changes within the block; at its end the cluster is as it was before.

        ``with cluster.trying(): cluster.delete("Node", "n1"); print(cluster.explain("web"))``
        """
        kept = dict(vars(self))
        vars(self).update(vars(self.fork()))
        try:
            yield self
        finally:
            vars(self).clear()
            vars(self).update(kept)

    def __getstate__(self) -> dict[str, Any]:
        """Returns what a copy is made of: a copy does again what this cluster was shown and asked to do."""
        made_anew = ("_release", "_scheduler", "_inputs", "_asked")
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
        self._inputs = InputReader(self._scheduler, self._check, serial)
        self._asked: tuple[str, Scheduler] | None = None

    # --- Inputs -----------------------------------------------------------------------------------

    def create(self, manifests: Manifest | Iterable[Manifest]) -> tuple[Output, ...]:
        """Shows new objects to the scheduler, in this order, and returns what it did because of them."""
        return self._apply(*(Create(value) for value in checked(manifests)))

    def update(self, manifests: Manifest | Iterable[Manifest]) -> tuple[Output, ...]:
        """Shows changed objects to the scheduler, each as it is now, and returns what it did because of them."""
        return self._apply(*(Update(value) for value in checked(manifests)))

    def delete(
        self, kind: str, name: str, namespace: str = "default", *, api_version: str = ""
    ) -> tuple[Output, ...]:
        """Deletes an object, and returns what the scheduler did. ``api_version`` is that of the kind if it is
        not given."""
        return self._apply(Delete(reference_to(kind, name, namespace, api_version)))

    def advance(self, seconds: float) -> tuple[Output, ...]:
        """Moves the clock by this many seconds, so that timers that fall due fire, and returns what the scheduler
        did."""
        check_seconds(seconds)
        return self._apply(Advance(seconds))

    def permit(self, pod: str, decision: str, plugin: str = "") -> tuple[Output, ...]:
        """Decides on a pod that waits on Permit: ``allow`` (by ``plugin``, or by all) or ``reject``."""
        return self._apply(Permit(pod_key(pod), decision, plugin))

    def release(self, pod: str) -> tuple[Output, ...]:
        """Releases the pod that a scripted plugin holds."""
        return self._apply(Release(pod_key(pod)))

    def schedule(self, pod: str | None = None) -> Attempt | None:
        """Pops the next pod of the queue, or this one, and tries to place it. Returns its attempt.

        Returns None if no pod waits, or if a scripted plugin holds the attempt, which has not ended. What followed
        from the attempt (its binding, what it wrote) is among the ``records``.
        """
        key = None if pod is None else pod_key(pod)
        self._asked = None
        self._journal.steps.append(Scheduled(key))
        try:
            self._scheduler.schedule(key)
        except NotWaitingError:
            raise InputError("does not wait to be scheduled", where=pod_key(pod or "")) from None
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
        pod_key(pod)  # which checks it
        objects = self._objects()
        scheduler = self._empty(partial(reach, remember=True))
        found = pod_called(pod, objects)
        check_is_to_place(scheduler, found)
        return explanation_of(scheduler, objects, found)

    def fits(self, pod: str | Mapping[str, Any], node: str | Mapping[str, Any]) -> Status:
        """Returns whether the pod fits on the node (``code`` is Success), or why it does not.

        Each is a name, or a manifest: a pod that is not in the cluster yet, or that of a node that might be added,
        without pods. A pod that runs is decided as if it did not. Victims of preemption are not considered.
        Nothing changes. Raises InputError if the pod or the node is unknown, or the manifest is invalid.
        """
        check_asked("node", node)
        scheduler, asked = self._to_ask(self._pod_to_ask(pod))
        snapshot = scheduler.state.snapshot()
        if isinstance(node, str):
            if node not in snapshot.by_name:
                raise InputError("there is no such node", where=f"Node {node}")
            return fits(scheduler, snapshot, asked, node)
        template = self._read(node)
        if not isinstance(template, Node):
            raise InputError("expected a Node", where=described_as(template))
        with_it, name = with_template(snapshot, template)
        return fits(scheduler, with_it, asked, name)

    def capacity(self, pod: str | Mapping[str, Any], at_most: int = 100_000) -> Capacity:
        """Returns how many more pods like this one fit, on which nodes, and what stops the next one. The pod is
        one of the cluster or a manifest. Each is scheduled as the real one would be, and nothing is evicted for
        it. A pod that runs is still there. Nothing changes. Raises InputError as ``fits`` does."""
        check_count("at_most", at_most)
        asked = self._pod_to_ask(pod)
        if not self._config.extenders:
            return capacity(self.fork()._scheduler, asked, at_most)
        scheduler = self._empty(partial(reach, remember=False))  # extenders are never asked to bind
        show(scheduler, self._objects())
        return capacity(scheduler, asked, at_most)

    def plan(self) -> Plan:
        """Returns where every pending pod would be placed if time went on; the cluster itself does not change."""
        return plan_of(self._empty(partial(reach, remember=False)), self._objects())

    def what_if(self, change: Callable[[Cluster], object], seeds: int = 10) -> WhatIf:
        """Returns what ``change`` does to the cluster, as ``refsched what-if`` compares it: over many seeds, where
        every pending pod would be placed before it and after it. It is called with a fork, which it changes: the
        cluster itself does not change, and controllers make the claims of pods that are new."""
        check_count("seeds", seeds)
        before, fork = self._objects(), self.fork()
        change(fork)
        after = followed(before, fork._objects())
        can_follow = differ_in_nodes_and_pods(before, after)

        def prepared(objects: Sequence[ApiObject]) -> Prepared:
            return prepare(self._empty(partial(reach, remember=True)), objects)

        return what_if(
            lambda: prepared(before),
            lambda one: changed(one, after) if can_follow else prepared(after),
            seeds,
        )

    # --- Within -----------------------------------------------------------------------------------

    def _show(self, shown: ApiObject | None) -> None:
        """Shows an object that was read already, or lets a moment pass."""
        if shown is None:
            self._scheduler.advance(MOMENT)
        else:
            self._scheduler.create(shown)
        self._journal.steps.append(Advance(MOMENT) if shown is None else ShownObject(shown, is_update=False))
        self._take()

    def _to_ask(self, pod: Pod) -> tuple[Scheduler, Pod]:
        """Returns a copy of the scheduler in which this pod is nowhere, since a snapshot that is taken now could
        change what later ones have, and the pod with its claims. The copy is kept until something changes."""
        known = self._scheduler.state.objects.get(Pod, pod.name, pod.namespace)
        if known is None and has_own_claims(pod):
            scheduler = self.fork()._scheduler
            return scheduler, create_claims(scheduler, pod)
        runs = known is not None and (known.spec.node_name or self._scheduler.state.cache.is_assumed(known))
        without = pod.key if runs else ""
        if self._asked is None or self._asked[0] != without:
            self._asked = without, self.fork()._scheduler
            if without:
                self._asked[1].delete(Pod, pod.name, pod.namespace)
        return self._asked[1], pod

    def _pod_to_ask(self, pod: str | Mapping[str, Any]) -> Pod:
        check_asked("pod", pod)
        found = self._pod_called(pod) if isinstance(pod, str) else self._read(pod)
        if not isinstance(found, Pod):
            raise InputError("expected a Pod", where=described_as(found))
        why = why_passed_over(self._scheduler, found)
        if why:
            raise InputError(f"{why}: no node is looked for", where=described_as(found))
        return without_node(found)

    def _pod_called(self, name: str) -> Pod:
        namespace, _, bare = name.rpartition("/")
        found = self._scheduler.state.objects.get(Pod, bare, namespace or "default")
        return found or pod_called(name, self._objects())

    def _read(self, manifest: Mapping[str, Any]) -> ApiObject:
        """Reads an object that is not shown to the scheduler."""
        [value] = checked(manifest)
        return InputReader(self._scheduler, self._check, self._inputs.serial).read(value)

    def _empty(self, reached: Callable[[ExtenderConfig], Ask]) -> Scheduler:
        choices = SeededChoices(self._seed)
        return remember(
            scheduler_of(self._config, choices, release=self._release, start=self._start, reach=reached)
        )

    def _apply(self, *inputs: Input) -> tuple[Output, ...]:
        self._asked = None
        for each in inputs:
            shown = self._inputs.apply(each)
            step = each if shown is None else ShownObject(shown, isinstance(each, Update))
            self._journal.steps.append(step)
        return self._take()

    def _take(self) -> tuple[Output, ...]:
        new = tuple(self._scheduler.take_records())
        self._records += new
        return new

    def _objects(self) -> list[ApiObject]:
        return [shown for kind in KINDS for shown in self._scheduler.state.objects.list(kind.type)]
