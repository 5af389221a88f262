# SPDX-License-Identifier: Apache-2.0
"""A part alone: the specification with nothing but the part of a scheduler that is drawn with a seed.

``--impl=conformance.campaigns.part_alone`` runs it, where the environment has a ``PART_SEED``. It is as somebody
writes it who has read docs/partial.md: it evaluates every node, reads no configuration, has no other plugins, and
may leave out members of records and not take fields and inputs.
"""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import frozen

from refsched import reference
from refsched.machine.state import START
from refsched.reading.without_fields import without_fields
from refsched.releases import RELEASES
from refsched.suite.adapters.answers import OBJECT_INPUTS, with_implied
from refsched.suite.histories.part import ALWAYS, PREEMPTION
from refsched.suite.histories.reads import needed_by

Json = dict[str, Any]

SEED = "PART_SEED"
"""This variable of the environment has the seed."""

_CAPABILITIES = ("score", "preemption", "nominations", "queue", "cache")
"""A part may have these besides ``filter``, and those that its plugins need."""

_SHOWN_WITH = {
    "scores": "score",
    "totals": "score",
    "victims": "preemption",
    "nominatedNode": "nominations",
    "queues": "queue",
    "nodes": "cache",
}
"""Members of records, and observations, that a part without the capability does not report."""

_NONE = {"disabled": [{"name": "*"}]}

_MAY_BE_LEFT_OUT = ("evaluated", "feasible", "totals", "message", "unschedulablePlugins", "preFilter")

_MAY_NOT_BE_TAKEN = (
    *("Pod.spec.overhead", "Pod.spec.initContainers", "Pod.spec.priority", "Pod.spec.nodeSelector"),
    *("Pod.spec.affinity.nodeAffinity", "Pod.spec.affinity.podAffinity", "Pod.spec.affinity.podAntiAffinity"),
    *("Pod.spec.tolerations", "Pod.spec.topologySpreadConstraints", "Pod.spec.containers[].ports"),
    *("Pod.spec.resources", "Pod.status.containerStatuses", "Node.spec.taints", "Node.spec.unschedulable"),
    *("Node.status.images", "Node.status.declaredFeatures"),
)


@frozen
class PartAlone:
    """``left_out`` are the members that it does not report. An object that has one of the fields ``not_taken`` is
    unsupported, unless ``hello`` names them (``says_fields``). ``is_batching`` is whether it reuses what it found
    for an equal pod."""

    release: str
    capabilities: frozenset[str]
    plugins: Sequence[str]
    left_out: frozenset[str]
    not_taken: Sequence[str]
    says_fields: bool
    inputs: Sequence[str]
    is_batching: bool

    def hello(self) -> Json:
        """Returns the answer to ``hello``."""
        said: Json = {
            "name": "part",
            "version": "1",
            "kubernetes": self.release,
            "capabilities": sorted(self.capabilities),
            "plugins": self.plugins,
            "inputs": self.inputs,
        }
        return said | ({"fieldsNotTaken": self.not_taken} if self.says_fields else {})

    def config(self, profiles: Sequence[Mapping[str, Any]]) -> Json:
        """Returns the configuration by which it decides, of profiles with these names."""
        kept = {*ALWAYS, *self.plugins, *([PREEMPTION] if "preemption" in self.capabilities else [])}
        disabled = [{"name": name} for name in _default_plugins(self.release) if name not in kept]
        plugins: Json = {"multiPoint": {"disabled": disabled}}
        if "score" not in self.capabilities:
            plugins |= dict.fromkeys(("preScore", "score"), _NONE)
        if "queue" not in self.capabilities and "DynamicResources" in self.plugins:
            plugins |= {"preEnqueue": {"disabled": [{"name": "DynamicResources"}]}}
        return {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "percentageOfNodesToScore": 100,
            "profiles": [{"schedulerName": each["schedulerName"], "plugins": plugins} for each in profiles],
        }

    def unsupported_field(self, value: Json) -> str:
        """Returns a field of the object that the part does not take; empty if there is none."""
        named = () if self.says_fields else self.not_taken
        return next((path for path in named if without_fields(value, [path]) != value), "")

    def reported(self, record: Json) -> Json:
        """Returns the record without the members that the part does not report."""
        shown = with_implied(self.capabilities)
        hidden = {member for member, needed in _SHOWN_WITH.items() if needed not in shown}
        hidden |= self.left_out | (set() if "filter" in self.capabilities else {"filter"})
        return {
            kind: {member: value for member, value in body.items() if member not in hidden}
            for kind, body in record.items()
            if kind not in hidden
        }


def part_of(seed: int) -> PartAlone:
    """Returns the part that is drawn with this seed, of a release since 1.34. The newest one is drawn as often as
    all others."""
    drawn = random.Random(seed)
    _, *older, newest = RELEASES
    release = drawn.choice((*older, *(newest for _ in older)))
    names = [name for name in _default_plugins(release) if name not in ALWAYS and name != PREEMPTION]
    chosen = drawn.sample(names, drawn.randint(1, 5))
    plugins = [name for name in names if name in chosen]
    needed = {capability for plugin in plugins for capability in needed_by(plugin, release)}
    capabilities = {"filter", *_some(drawn, _CAPABILITIES, 0.35), *needed}
    takes_all = drawn.random() < 0.5 or not capabilities.isdisjoint({"preemption", "volumes", "devices"})
    return PartAlone(
        release,
        frozenset(capabilities),
        plugins,
        left_out=frozenset(_some(drawn, _MAY_BE_LEFT_OUT, 0.4)),
        not_taken=drawn.sample(_MAY_NOT_BE_TAKEN, drawn.choice([0, 0, 1, 2, 3])),
        says_fields=drawn.random() < 0.4,
        inputs=list(OBJECT_INPUTS) if takes_all else drawn.choice([["create"], ["create", "delete"]]),
        is_batching=drawn.random() < 0.3,
    )


def _some(drawn: random.Random, of: Sequence[str], share: float) -> Collection[str]:
    return [each for each in of if drawn.random() < share]


def _default_plugins(release: str) -> Sequence[str]:
    """Returns them in the order in which they are enabled."""
    return [plugin.name for plugin in RELEASES[release].default_plugins.multi_point.enabled]


# --- The implementation ---------------------------------------------------------------------------


def create(config: Mapping[str, Any], *, start: datetime = START) -> Scheduler:
    """Returns the part of the seed in the environment, for the suite as for any implementation in Python."""
    return Scheduler(part_of(int(os.environ[SEED])), config, start)


class Scheduler:
    """A Scheduler answers what the specification would, as the part that it is."""

    def __init__(self, part: PartAlone, given: Mapping[str, Any], start: datetime) -> None:
        self._part = part
        batching = "OpportunisticBatching"
        gates = {batching: False} if batching in RELEASES[part.release].gates and not part.is_batching else {}
        profiles = given.get("profiles") or [{"schedulerName": "default-scheduler"}]
        self._decides = reference.create(
            part.config(profiles), kubernetes=part.release, feature_gates=gates, start=start
        )

    def hello(self) -> Json:
        return self._part.hello()

    def create(self, object: Json) -> Json:
        return self._unsupported(object) or self._reported(self._decides.create(object))

    def update(self, object: Json) -> Json:
        return self._unsupported(object) or self._reported(self._decides.update(object))

    def delete(self, object: Json) -> Json:
        return self._reported(self._decides.delete(object))

    def advance(self, seconds: float) -> Json:
        return self._reported(self._decides.advance(seconds))

    def schedule(self, pod: str | None = None) -> Json:
        return self._reported(self._decides.schedule(pod))

    def observe(self) -> Json:
        return self._reported(self._decides.observe())

    def _unsupported(self, value: Json) -> Json | None:
        field = self._part.unsupported_field(value)
        return {"unsupported": f"{field} is not taken"} if field else None

    def _reported(self, answer: Json) -> Json:
        records = [self._part.reported(record) for record in answer.get("records", ())]
        return answer | ({"records": [each for each in records if each]} if "records" in answer else {})
