# SPDX-License-Identifier: Apache-2.0
"""A cluster to play with: what happens to it is said in a few words, and what the scheduler did is answered.

    world.node("n1", cpu="4")
    attempt = world.schedule("p", cpu="2", script={"ScriptedA": {"permit": "Wait"}})
    assert attempt.waiting
    [bind] = world.permit("p", "allow")
    assert world.on("n1") == ["p"]

Pods are named without their namespace, which is ``default``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.reserve_and_bind import Held
from refsched.machine.profiles import scheduler_of
from refsched.objects.pod import Pod
from refsched.processes.http.over_http import over_http
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.records import (
    Advance,
    Attempt,
    Bind,
    Create,
    Delete,
    Input,
    NodeStatus,
    NodeUsage,
    Output,
    Permit,
    Queues,
    Reference,
    Release,
    Update,
    Write,
)
from refsched.releases import DEFAULT, release_of

Json = dict[str, Any]
Script = Mapping[str, Mapping[str, str]]

# --- Words ----------------------------------------------------------------------------------------

FEASIBLE = NodeStatus("Success")


def unschedulable(plugin: str, *reasons: str) -> NodeStatus:
    return NodeStatus("Unschedulable", plugin, reasons)


def unresolvable(plugin: str, *reasons: str) -> NodeStatus:
    return NodeStatus("UnschedulableAndUnresolvable", plugin, reasons)


# --- Objects --------------------------------------------------------------------------------------


def profile(name: str = "default-scheduler", **plugins: Any) -> Json:
    """The default plugins and the scripted ones; ``plugins`` are by point, as a configuration has them."""
    scripted = [{"name": "ScriptedA"}, {"name": "ScriptedB"}]
    binders = [{"name": "ScriptedBinder"}, {"name": "DefaultBinder"}]
    standard: Json = {
        "multiPoint": {"enabled": scripted},
        "bind": {"disabled": [{"name": "*"}], "enabled": binders},
    }
    return {"schedulerName": name, "plugins": standard | plugins}


def configuration(*profiles: Json, **options: Any) -> Json:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": list(profiles or [profile()]),
        **options,
    }


def pod_object(
    name: str,
    cpu: str = "",
    *,
    priority: int = 0,
    nominated_to: str = "",
    script: Script | None = None,
    on: str = "",
    labels: Mapping[str, str] | None = None,
    **spec: Any,
) -> Json:
    """``on`` is the node to which it is bound already; ``spec`` as the API server spells it."""
    container: Json = {"name": "c", "image": "i"}
    if cpu:
        container["resources"] = {"requests": {"cpu": cpu}}
    metadata: Json = {"name": name, "labels": dict(labels or {})}
    if script is not None:
        metadata["annotations"] = {"refsched.dev/script": json.dumps(script)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"priority": priority, "containers": [container], "nodeName": on} | spec,
        "status": {"nominatedNodeName": nominated_to},
    }


def node_object(
    name: str, cpu: str = "4", *, labels: Mapping[str, str] | None = None, pods: str = "110", **spec: Any
) -> Json:
    has = {"cpu": cpu, "memory": "32Gi", "pods": pods}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": dict(labels or {})},
        "spec": spec,
        "status": {"allocatable": has, "capacity": has},
    }


# --- The world ------------------------------------------------------------------------------------


class World:
    """One scheduler of one cluster. Every input answers the records that it caused."""

    def __init__(
        self,
        config: Json | None = None,
        *,
        frozen_timers: Sequence[str] = (),
        choices: Choices | None = None,
        kubernetes: str = DEFAULT.name,
    ) -> None:
        self.config = config or configuration()
        specified = release_of(kubernetes)
        self.machine = scheduler_of(
            read_config(self.config, specified),
            choices or FirstChoice(),
            release=specified,
            frozen_timers=frozenset(frozen_timers),
            reach=over_http,
        )
        self.reported: list[Output] = []
        self._inputs = InputReader(self.machine)

    # --- Nodes and pods ---------------------------------------------------------------------------

    def node(self, name: str, cpu: str = "4", **rest: Any) -> list[Output]:
        return self.create(node_object(name, cpu, **rest))

    def pod(self, name: str, cpu: str = "", **rest: Any) -> list[Output]:
        return self.create(pod_object(name, cpu, **rest))

    def update_pod(self, name: str, cpu: str = "", **rest: Any) -> list[Output]:
        return self.update(pod_object(name, cpu, **rest))

    def delete_node(self, name: str) -> list[Output]:
        return self.apply(Delete(Reference("Node", name)))

    def delete_pod(self, name: str) -> list[Output]:
        return self.apply(Delete(Reference("Pod", name, namespace="default")))

    # --- Any input --------------------------------------------------------------------------------

    def create(self, object: Json) -> list[Output]:
        return self.apply(Create(object))

    def update(self, object: Json) -> list[Output]:
        return self.apply(Update(object))

    def advance(self, seconds: float) -> list[Output]:
        return self.apply(Advance(seconds))

    def permit(self, pod: str, decision: str, plugin: str = "") -> list[Output]:
        return self.apply(Permit(f"default/{pod}", decision, plugin))

    def release(self, pod: str) -> list[Output]:
        return self.apply(Release(f"default/{pod}"))

    def apply(self, record: Input) -> list[Output]:
        self._inputs.apply(record)
        return self._caused()

    # --- Scheduling -------------------------------------------------------------------------------

    def schedule(self, name: str = "", cpu: str = "", **rest: Any) -> Attempt:
        """Pop a pod and tell how it went. One that is named is created first, unless it is there, and it must
        be its turn."""
        caused = self.pop(name, cpu, **rest)
        [attempt] = [record for record in caused if isinstance(record, Attempt)]
        assert attempt.pod == f"default/{name}" or not name
        return attempt

    def pop(self, name: str = "", cpu: str = "", **rest: Any) -> list[Output]:
        """The same, and all that it caused; there may be no attempt, where a plugin holds the pod."""
        if name and not self.knows(name):
            self.pod(name, cpu, **rest)
        assert self.machine.schedule(), "Pop would block"
        return self._caused()

    def is_idle(self) -> bool:
        """Pop would block."""
        return not self.machine.schedule()

    # --- What can be seen -------------------------------------------------------------------------

    @property
    def queues(self) -> Queues:
        return self.machine.queues()

    def where(self, pod: str) -> str:
        """The queue in which the pod waits, or ``nowhere``."""
        for queue in ("active", "backoff", "unschedulable"):
            if f"default/{pod}" in getattr(self.queues, queue):
                return queue
        return "nowhere"

    @property
    def nodes(self) -> Mapping[str, NodeUsage]:
        return self.machine.nodes().nodes

    def on(self, node: str) -> list[str]:
        """The pods that count on a node."""
        return [pod.removeprefix("default/") for pod in self.nodes[node].pods]

    @property
    def held(self) -> str:
        """``pod: Plugin.point`` where a cycle began to be held since this was last asked."""
        began: tuple[str, Held] | None = self.machine.take_held()
        if began is None:
            return ""
        pod, held = began
        return f"{pod.removeprefix('default/')}: {held.plugin}.{held.point}"

    @property
    def attempts(self) -> list[Attempt]:
        return [record for record in self.reported if isinstance(record, Attempt)]

    @property
    def binds(self) -> list[Bind]:
        return [record for record in self.reported if isinstance(record, Bind)]

    @property
    def writes(self) -> list[Write]:
        return [record for record in self.reported if isinstance(record, Write)]

    @property
    def calls(self) -> list[str]:
        """What the scripted plugins were asked, as far as it has been reported."""
        return [
            call for record in self.reported if not isinstance(record, Write) for call in record.calls or ()
        ]

    def knows(self, pod: str) -> bool:
        return self.machine.state.api.get(Pod, pod, "default") is not None

    def _caused(self) -> list[Output]:
        caused = self.machine.take_records()
        self.reported.extend(caused)
        return caused
