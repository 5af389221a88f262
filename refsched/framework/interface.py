# SPDX-License-Identifier: Apache-2.0
"""What a plugin is: any object with a ``name`` and the methods of the points that it extends.

There is no base class. A plugin is a frozen value that holds its arguments; its methods are pure
functions. ``READS`` lists the kinds and the fields (``Pod.spec.tolerations``) that it reads besides those that the
scheduler itself reads, so that a cluster without them is the same to a scheduler without the plugin. What
PreFilter and PreScore compute is handed to the later points as ``state``. Source:
pkg/scheduler/framework/interface.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeGuard, TypeVar, cast, runtime_checkable

from attrs import frozen

from refsched.framework.events import EventHint
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod
from refsched.objects.store import ApiObject, ObjectStore

MAX_NODE_SCORE = 100
State = TypeVar("State")


@frozen
class Continue(Generic[State]):
    """Go on, with this state for the later points; ``nodes`` narrows the search to these names."""

    state: State
    nodes: frozenset[str] | None = None


@frozen
class Skip:
    """Nothing to do for this pod: Filter (after PreFilter) or Score (after PreScore) is left out."""


@frozen
class Reject:
    """The pod is rejected, or an error met, before any node is looked at."""

    status: Status


class Plugin(Protocol):
    @property
    def name(self) -> str: ...


@frozen
class Handle:
    """What a plugin is made with besides its arguments: the extenders of the configuration."""

    extenders: Sequence[Any] = ()


_EXTENDS: dict[tuple[type, Any], bool] = {}
Point = TypeVar("Point")


def extends(plugin: Plugin, point: Callable[..., Point]) -> TypeGuard[Point]:
    """``isinstance``, asked once for a class: to look up the members of a protocol takes long."""
    key = type(plugin), point
    if key not in _EXTENDS:
        _EXTENDS[key] = isinstance(plugin, cast("type", point))
    return _EXTENDS[key]


@runtime_checkable
class EnqueueExtensions(Plugin, Protocol):
    """A plugin whose ``EVENTS`` lists which events requeue the pods that it rejects. Without it, any event
    does."""

    @property
    def EVENTS(self) -> Sequence[EventHint]: ...  # noqa: N802  (a table, as the plugins spell it)


class Queued(Protocol):
    """What QueueSort sees of a pod: the pod, and since when it waits (seconds)."""

    @property
    def pod(self) -> Pod: ...

    @property
    def timestamp(self) -> float: ...


@runtime_checkable
class QueueSortPlugin(Plugin, Protocol):
    """Whether ``a`` is to be popped before ``b``."""

    def less(self, a: Queued, b: Queued) -> bool: ...


@runtime_checkable
class PreEnqueuePlugin(Plugin, Protocol):
    """May the pod enter the active queue at all? A rejection gates it."""

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status: ...


@runtime_checkable
class PreFilterPlugin(Plugin, Protocol):
    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Any] | Skip | Reject: ...


@runtime_checkable
class PreFilterExtensions(Plugin, Protocol):
    """How the state changes when a pod comes to, or leaves, a node. ``node`` is the node afterwards."""

    def add_pod(
        self, state: Any, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Any: ...

    def remove_pod(
        self, state: Any, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Any: ...


@runtime_checkable
class FilterPlugin(Plugin, Protocol):
    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status: ...


@runtime_checkable
class LabelFilterPlugin(FilterPlugin, Protocol):
    """A plugin whose Filter reads nothing of a node but these labels."""

    def labels_read(self, state: Any) -> tuple[str, ...]: ...


@runtime_checkable
class PreScorePlugin(Plugin, Protocol):
    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Any] | Skip | Reject: ...


@runtime_checkable
class ScorePlugin(Plugin, Protocol):
    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int: ...


@runtime_checkable
class ScoreExtensions(Plugin, Protocol):
    """Bring raw scores into 0..100, before weights. ``scores`` has every scored node."""

    def normalize_score(self, state: Any, pod: PodInfo, scores: Mapping[str, int]) -> Mapping[str, int]: ...


# --- After a node is chosen -----------------------------------------------------------------------


@frozen
class Hold(Generic[State]):
    """The plugin does not return yet; what ``then`` answers counts once it is released. For tests: a plugin of
    kube-scheduler takes as long as it takes, and the machine stands still until it has finished."""

    then: Callable[[], State]


@frozen
class Wait:
    """Of Permit: the pod waits until this plugin allows or rejects it, which after ``timeout`` seconds it does."""

    timeout: float


@frozen
class Binding:
    """What the ``binding`` subresource of a pod is sent: which pod, and the node to run it on."""

    kind: ClassVar[str] = "Binding"
    metadata: ObjectMeta
    target_node: str


@runtime_checkable
class RecordedCalls(Plugin, Protocol):
    """A plugin whose calls from Reserve on are listed in the records (docs/protocol.md)."""

    @property
    def RECORDS_CALLS(self) -> bool: ...  # noqa: N802


class Api(Protocol):
    """How a plugin writes to the API server. What it writes is shown in ``objects`` at once, and recorded."""

    @property
    def objects(self) -> ObjectStore: ...

    def bind(self, binding: Binding) -> Status:
        """Send the ``binding`` subresource of a pod."""
        ...

    def write(self, verb: str, written: ApiObject) -> None:
        """``verb`` is create, update or delete."""
        ...


@runtime_checkable
class ReservePlugin(Plugin, Protocol):
    """Keep what the pod needs on this node, or say why not; ``unreserve`` gives it back, and may be called
    for a reservation that was not made. The state that ``reserve`` answers goes to unreserve and pre_bind."""

    def reserve(
        self, state: Any, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[Any] | Reject | Hold[Continue[Any] | Reject]: ...

    def unreserve(self, state: Any, pod: PodInfo, node: NodeInfo, objects: ObjectStore) -> None: ...


@runtime_checkable
class WritingUnreserve(ReservePlugin, Protocol):
    """A plugin that also takes back what it wrote: after ``unreserve``, and for a pod that was never reserved
    for too."""

    def take_back(self, state: Any, pod: PodInfo, node: NodeInfo, api: Api) -> None: ...


@frozen
class WaitFor:
    """PreBind is not over. ``check`` is asked after each input, until it answers a Status; after ``timeout``
    seconds the answer is ``timed_out``."""

    check: Callable[[ObjectStore], Status | None]
    timeout: float
    timed_out: Status


@runtime_checkable
class PreBindPlugin(Plugin, Protocol):
    def pre_bind(
        self, state: Any, pod: PodInfo, node: NodeInfo, api: Api
    ) -> Status | WaitFor | Hold[Status | WaitFor]: ...


@runtime_checkable
class PermitPlugin(Plugin, Protocol):
    def permit(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status | Wait | Hold[Status | Wait]: ...


@runtime_checkable
class BindPlugin(Plugin, Protocol):
    """Skip leaves the pod to the next Bind plugin."""

    def bind(self, state: Any, pod: PodInfo, node: NodeInfo, api: Api) -> Status | Hold[Status]: ...


@runtime_checkable
class PostBindPlugin(Plugin, Protocol):
    def post_bind(self, state: Any, pod: PodInfo, node: NodeInfo) -> None: ...
