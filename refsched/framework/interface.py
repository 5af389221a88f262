# SPDX-License-Identifier: Apache-2.0
"""Interface: a plugin is any object with a ``name`` and the methods of the extension points that it extends.

There is no base class. A plugin is a frozen value that holds its arguments, and its methods are pure
functions. What PreFilter and PreScore compute is passed to the later points as ``state``.

``READS`` lists the kinds (``PersistentVolume``) and the fields (``Pod.spec.tolerations``) that the plugin reads:

* Kinds of objects and fields of pods that the scheduler itself reads are left out. Where nothing of what is
  listed exists, a scheduler with the plugin decides as one without it. Of extended resources that devices serve,
  which concern plugins that count resources too, DynamicResources alone lists the kinds.
* A field of ``WHO_A_POD_IS`` is listed if Filter or Score reads it. If none is, both answer the same for all pods
  of one template.
* If a field of Node is listed, Filter and Score read no other field of the node; with its allocatable resources
  they also read what its pods request. If nothing at all is listed, they read nothing of the node; otherwise they
  may read all of it.

Source: pkg/scheduler/framework/interface.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeGuard, TypeVar, cast, runtime_checkable

from attrs import frozen

from refsched.framework.events import EventHint
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status
from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore

MAX_NODE_SCORE = 100
WHO_A_POD_IS = frozenset(
    f"Pod.metadata.{name}" for name in ("name", "uid", "annotations", "creationTimestamp")
)
"""In these fields the pods of one template differ."""

WHAT_A_NODE_IS = frozenset({"Node.metadata.name", "Node.metadata.labels", "Node.status.allocatable"})
"""Every node has these fields, and the scheduler itself reads them."""

State = TypeVar("State")
Written = TypeVar("Written", bound=ApiObject)


@frozen
class Continue(Generic[State]):
    """Continue lets the attempt go on, with this state for the later points. ``nodes`` restricts the search
    to the nodes with these names."""

    state: State
    nodes: frozenset[str] | None = None


@frozen
class Skip:
    """Skip says that the plugin has nothing to do for this pod: after PreFilter its Filter is not called, and
    after PreScore its Score."""


@frozen
class Reject:
    """Reject ends PreFilter or PreScore: the plugin rejects the pod, or met an error, before any node is
    looked at."""

    status: Status


class Plugin(Protocol):
    @property
    def name(self) -> str: ...


_EXTENDS: dict[tuple[type, Any], bool] = {}
Point = TypeVar("Point")


def extends(plugin: Plugin, point: Callable[..., Point]) -> TypeGuard[Point]:
    """Returns whether the plugin has the methods of this point. The answer is kept by class, since
    ``isinstance`` with a protocol is slow."""
    key = type(plugin), point
    if key not in _EXTENDS:
        _EXTENDS[key] = isinstance(plugin, cast("type", point))
    return _EXTENDS[key]


@runtime_checkable
class EnqueueExtensions(Plugin, Protocol):
    """An EnqueueExtensions plugin lists in ``EVENTS`` which events requeue the pods that it rejects. Any
    event requeues those of a plugin without such a list."""

    @property
    def EVENTS(self) -> Sequence[EventHint]: ...  # noqa: N802  (a table, as the plugins spell it)


class Queued(Protocol):
    """A Queued is what QueueSort sees of a pod: the pod, and since when it waits (seconds)."""

    @property
    def pod(self) -> Pod: ...

    @property
    def timestamp(self) -> float: ...


@runtime_checkable
class QueueSortPlugin(Plugin, Protocol):
    """A QueueSortPlugin says whether ``a`` is to be popped before ``b``."""

    def less(self, a: Queued, b: Queued) -> bool: ...


@runtime_checkable
class PreEnqueuePlugin(Plugin, Protocol):
    """A PreEnqueuePlugin says whether the pod may enter the active queue at all. A rejection gates the pod."""

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status: ...


Fragments = Mapping[str, object]
"""Fragments are what a plugin's decisions depend on in a pod, by a name that other plugins may give, too."""


@runtime_checkable
class SignPlugin(Plugin, Protocol):
    """A SignPlugin says on what of a pod its decisions depend, besides the node. It returns None if they depend on
    more than that, on other pods for example."""

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments | None: ...


@runtime_checkable
class PreFilterPlugin(Plugin, Protocol):
    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Any] | Skip | Reject: ...


@runtime_checkable
class PreFilterExtensions(Plugin, Protocol):
    """PreFilterExtensions change the state for a pod that is added to a node or removed from it. ``node`` is
    the node afterwards."""

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
class PreScorePlugin(Plugin, Protocol):
    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Any] | Skip | Reject: ...


@runtime_checkable
class ScorePlugin(Plugin, Protocol):
    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int: ...


@runtime_checkable
class ScoresByPreFilter(ScorePlugin, Protocol):
    """A ScoresByPreFilter plugin scores with the state that its PreFilter computed: Filter has found on each node
    what Score counts. The state is None if the pod skipped Filter, and what ``without_filter`` returns if Filter
    was left out."""

    @property
    def SCORES_BY_PRE_FILTER(self) -> bool: ...  # noqa: N802  (a constant, as the plugins spell it)


@runtime_checkable
class ScoresBySnapshot(ScorePlugin, Protocol):
    """A ScoresBySnapshot plugin has no PreScore, and reads the snapshot in Score."""

    def state_of_snapshot(self, snapshot: Snapshot) -> Any:
        """Returns what Score reads of the snapshot. It is the state with which Score is called."""
        ...


@runtime_checkable
class FailsToScore(ScorePlugin, Protocol):
    """A FailsToScore plugin may fail at Score, whatever the node."""

    def score_error(self, state: Any) -> Status | None:
        """Returns the error with which Score fails, or None if it does not."""
        ...


@runtime_checkable
class ScoreExtensions(Plugin, Protocol):
    """ScoreExtensions bring raw scores into 0..100 before they are weighted. ``scores`` has every scored
    node."""

    def normalize_score(self, state: Any, pod: PodInfo, scores: Mapping[str, int]) -> Mapping[str, int]: ...


# --- After a node is chosen -----------------------------------------------------------------------


@frozen
class Hold(Generic[State]):
    """A Hold is the answer of a plugin that does not return yet: once it is released, its answer is what
    ``then`` returns. It exists for tests: a plugin of kube-scheduler takes as long as it takes, and the
    machine waits until it has finished."""

    then: Callable[[], State]


@frozen
class Wait:
    """Wait is an answer of Permit: the pod waits until this plugin allows or rejects it. The plugin rejects
    it after ``timeout`` seconds."""

    timeout: float


@frozen
class Binding:
    """A Binding is what is sent to the ``binding`` subresource of a pod: which pod it is, and the node to run
    it on."""

    kind: ClassVar[str] = "Binding"
    metadata: ObjectMeta
    target_node: str


@runtime_checkable
class RecordedCalls(Plugin, Protocol):
    """A RecordedCalls plugin is one whose calls from Reserve on are listed in the records (docs/protocol.md)."""

    @property
    def RECORDS_CALLS(self) -> bool: ...  # noqa: N802


class Clock(Protocol):
    """``now`` is in seconds; ``time`` is the same, as API objects have it."""

    @property
    def now(self) -> float: ...

    @property
    def time(self) -> datetime: ...


class Api(Protocol):
    """An Api is how a plugin writes to the API server. What it writes appears in ``objects`` at once, and is
    recorded."""

    @property
    def clock(self) -> Clock: ...

    @property
    def objects(self) -> ObjectStore: ...

    def bind(self, binding: Binding) -> Status:
        """Sends the ``binding`` subresource of a pod."""
        ...

    def stored(self, named: Written) -> Written | None:
        """Returns the object of this kind and name as the API server stores it, or None if it does not exist."""
        ...

    def write(self, verb: str, written: Written) -> Written:
        """Writes an object; ``verb`` is create, update or delete. Returns it as it is stored: with a name, if the
        API server has to generate one."""
        ...

    def go_back(self, written: Written, before: Written) -> None:
        """Shows the scheduler, and nobody else, an object that it wrote as it was before."""
        ...


@runtime_checkable
class ReservePlugin(Plugin, Protocol):
    """A ReservePlugin reserves what the pod needs on this node, or says why it cannot. ``unreserve`` gives it
    back, with what was written since, and may be called for a reservation that was not made. The state that
    ``reserve`` returns is passed to unreserve and pre_bind."""

    def reserve(
        self, state: Any, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[Any] | Reject | Hold[Continue[Any] | Reject]: ...

    def unreserve(self, state: Any, pod: PodInfo, node: NodeInfo, api: Api) -> None: ...


@frozen
class WaitFor:
    """WaitFor says that PreBind is not over. ``check`` is called after each input until it returns a Status;
    after ``timeout`` seconds the answer is ``timed_out``."""

    check: Callable[[ObjectStore], Status | None]
    timeout: float
    timed_out: Status


@runtime_checkable
class PreBindPlugin(Plugin, Protocol):
    def pre_bind(
        self, state: Any, pod: PodInfo, node: NodeInfo, api: Api
    ) -> Status | WaitFor | Hold[Status | WaitFor]: ...


@runtime_checkable
class PreFlight(PreBindPlugin, Protocol):
    """A PreFlight plugin says before PreBind whether it has anything to do then; one that is no PreFlight always
    has."""

    def pre_flight(self, state: Any) -> bool: ...


@runtime_checkable
class PermitPlugin(Plugin, Protocol):
    def permit(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status | Wait | Hold[Status | Wait]: ...


@runtime_checkable
class BindPlugin(Plugin, Protocol):
    """A BindPlugin binds the pod. One that answers Skip leaves the pod to the next Bind plugin."""

    def bind(self, state: Any, pod: PodInfo, node: NodeInfo, api: Api) -> Status | Hold[Status]: ...


@runtime_checkable
class PostBindPlugin(Plugin, Protocol):
    def post_bind(self, state: Any, pod: PodInfo, node: NodeInfo) -> None: ...
