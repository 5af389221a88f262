# SPDX-License-Identifier: Apache-2.0
"""Records: what happened to a scheduler, what it did, and what could be observed (docs/protocol.md, version 1).

Every output member except ``pod`` and ``result`` may be missing (None): a recorder writes what it can observe,
and nothing is inferred from a member that is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import field, frozen

Json = dict[str, Any]

SCHEDULED = "scheduled"
UNSCHEDULABLE = "unschedulable"
BOUND = "bound"
ERROR = "error"

# --- Inputs ---------------------------------------------------------------------------------------


@frozen
class Create:
    """The API server showed a new object (a Kubernetes object, as ``kubectl get -o json`` prints it)."""

    member: ClassVar[str] = "create"
    object: Json


@frozen
class Update:
    """The API server showed a changed object."""

    member: ClassVar[str] = "update"
    object: Json


@frozen
class Reference:
    """A Reference names an object: ``namespace`` is empty for cluster-scoped kinds."""

    kind: str
    name: str
    api_version: str = "v1"
    namespace: str = ""


@frozen
class Delete:
    """The object was deleted."""

    member: ClassVar[str] = "delete"
    object: Reference


@frozen
class Advance:
    """The clock moved by this many seconds, and timers that fell due have fired."""

    member: ClassVar[str] = "advance"
    seconds: float


@frozen
class Permit:
    """A pod that waits on Permit was allowed (by ``plugin``, or by all it waits for) or rejected."""

    member: ClassVar[str] = "permit"
    pod: str
    decision: str
    plugin: str = ""


@frozen
class Release:
    """A scripted plugin that held the pod was released."""

    member: ClassVar[str] = "release"
    pod: str


Input = Create | Update | Delete | Advance | Permit | Release

# --- Outputs --------------------------------------------------------------------------------------


@frozen
class NodeStatus:
    """A NodeStatus is what a node's filters answered, both nominated passes together. ``reasons`` are compared
    as a multiset."""

    code: str
    plugin: str = ""
    reasons: tuple[str, ...] = ()


@frozen
class PreFilter:
    """A PreFilter is the rejection of PreFilter or, with code Success, the nodes to which it restricted the
    search."""

    code: str
    plugin: str = ""
    reasons: tuple[str, ...] = ()
    nodes: tuple[str, ...] | None = None


@frozen
class Attempt:
    """An Attempt is one scheduling cycle of one pod, from Pop to the end of Permit."""

    member: ClassVar[str] = "attempt"
    pod: str
    result: str
    node: str | None = None
    evaluated: int | None = None
    feasible: int | None = None
    pre_filter: PreFilter | None = None
    filter: Mapping[str, NodeStatus] | None = None
    scores: Mapping[str, Mapping[str, int]] | None = None
    totals: Mapping[str, int] | None = None
    waiting: bool | None = None
    unschedulable_plugins: tuple[str, ...] | None = None
    nominated_node: str | None = None
    victims: tuple[str, ...] | None = None
    calls: tuple[str, ...] | None = None
    message: str | None = None


@frozen
class Bind:
    """A Bind is the end of a binding cycle."""

    member: ClassVar[str] = "bind"
    pod: str
    node: str
    result: str
    calls: tuple[str, ...] | None = None
    message: str | None = None
    unschedulable_plugins: tuple[str, ...] | None = None


@frozen
class Write:
    """A Write is what the scheduler wrote to the API, other than a binding or a pod's status."""

    member: ClassVar[str] = "write"
    verb: str
    object: Json


# --- Observations ---------------------------------------------------------------------------------


@frozen
class Queues:
    """Queues are the pods that wait to be scheduled, each list sorted; gated pods are among the unschedulable
    ones."""

    member: ClassVar[str] = "queues"
    active: tuple[str, ...]
    backoff: tuple[str, ...]
    unschedulable: tuple[str, ...]


@frozen
class NodeUsage:
    """A NodeUsage is what the cache counts as requested on a node: milli-CPU and bytes, assumed pods included."""

    pods: tuple[str, ...]
    milli_cpu: int = 0
    memory: int = 0
    ephemeral_storage: int | None = None
    scalar: Mapping[str, int] | None = None


@frozen
class Nodes:
    """Nodes are what the cache counts as requested, by node."""

    member: ClassVar[str] = "nodes"
    nodes: Mapping[str, NodeUsage] = field(factory=dict)


Output = Attempt | Bind | Write
Observation = Queues | Nodes
Record = Input | Output | Observation
