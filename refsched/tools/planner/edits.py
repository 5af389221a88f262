# SPDX-License-Identifier: Apache-2.0
"""Edits: what a person does to a cluster, as objects before and after.

A pod that has to leave its node asks for a place again, as its controller would create it anew: it is the
youngest. Pods of DaemonSets and static pods leave with their node. An edit that names what is not there raises
InputError.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from attrs import evolve

from refsched.errors import InputError, did_you_mean
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod, PodStatus
from refsched.tools.planner.cluster import FINISHED

Objects = tuple[ApiObject, ...]
MIRROR = "kubernetes.io/config.mirror"
"""A pod with this annotation is a static pod of its node."""

HOSTNAME = "kubernetes.io/hostname"


def cordon(objects: Objects, name: str) -> Objects:
    """Returns the objects with a node on which no pod can be scheduled any more."""
    node = node_called(name, objects)
    cordoned: ApiObject = evolve(node, spec=evolve(node.spec, unschedulable=True))
    return tuple(cordoned if shown is node else shown for shown in objects)


def drain(objects: Objects, name: str) -> Objects:
    """Returns the objects with the node cordoned, and its pods without a node."""
    return tuple(
        waiting_again(shown) if _runs_on(shown, name) and not _belongs_to_node(shown) else shown
        for shown in cordon(objects, name)
    )


def delete_node(objects: Objects, name: str) -> Objects:
    """Returns the objects without the node, and with its pods without a node."""
    node = node_called(name, objects)

    def left() -> Iterator[ApiObject]:
        for shown in objects:
            if shown is node or (_runs_on(shown, name) and _belongs_to_node(shown)):
                continue
            yield waiting_again(shown) if _runs_on(shown, name) else shown

    return tuple(left())


def nodes_like(objects: Objects, name: str, count: int) -> Objects:
    """Returns the objects with this many more nodes like this one, all of them schedulable."""
    node = node_called(name, objects)
    return (*objects, *copies_of(evolve(node, spec=evolve(node.spec, unschedulable=False)), objects, count))


def copies_of(model: Node | Pod, objects: Iterable[ApiObject], count: int) -> Iterator[ApiObject]:
    """Yields this many copies, the first under the name of the model, if that is free, and the others numbered. No
    two pods get one uid, whatever the model states."""
    others = [shown for shown in objects if isinstance(shown, type(model))]
    taken = {shown.key for shown in others}
    if any(shown.uid == model.uid for shown in others):
        model = _named(model, model.name)
    number = 0
    for _ in range(count):
        named = model
        while named.key in taken:
            number += 1
            named = _named(model, f"{model.name}-{number}")
        taken.add(named.key)
        yield named


def scale(objects: Objects, kind: str, name: str, count: int) -> Objects:
    """Returns the objects with this many pods that the controller of this kind and name manages. Pods that wait
    are removed first, and then those that come last by name; further ones are made like the first."""
    pods = _managed(objects, kind, name)
    if not pods:
        raise InputError(
            f"no pod is managed by this, so there is none to make others like{_meant(objects, kind, name)}",
            where=f"{kind}/{name}",
        )
    spaces = sorted({pod.namespace for pod in pods})
    if len(spaces) > 1:
        raise InputError(
            f"is in the namespaces {', '.join(spaces)}: write NAMESPACE/NAME", where=f"{kind}/{name}"
        )
    pods.sort(key=lambda pod: (not pod.spec.node_name, pod.name))
    removed = {id(pod) for pod in pods[count:]}
    kept = tuple(shown for shown in objects if id(shown) not in removed)
    return (*kept, *copies_of(waiting_again(pods[0]), objects, max(0, count - len(pods))))


def _managed(objects: Objects, kind: str, name: str) -> list[Pod]:
    """Returns the pods of the controller, or those of what it manages itself: of a Deployment those of its newest
    ReplicaSet that has pods."""
    pods = [
        shown
        for shown in objects
        if isinstance(shown, Pod) and shown.status.phase not in FINISHED and _is_managed_by(shown, kind, name)
    ]
    if pods:
        return pods
    between = [shown for shown in objects if not isinstance(shown, Pod) and _is_managed_by(shown, kind, name)]
    oldest = datetime.min.replace(tzinfo=UTC)
    between.sort(key=lambda shown: shown.metadata.creation_timestamp or oldest, reverse=True)
    found = (_managed(objects, each.kind, each.key) for each in between)
    return next(filter(None, found), [])


def _is_managed_by(shown: ApiObject, kind: str, name: str) -> bool:
    namespace, _, plain = name.rpartition("/")
    owner = shown.metadata.controller
    return (
        owner is not None
        and (owner.kind.lower(), owner.name) == (kind.lower(), plain)
        and namespace in ("", shown.namespace)
    )


def _meant(objects: Objects, kind: str, name: str) -> str:
    """Returns which controller may be meant: one of a name that begins like this, as that of a Deployment's
    ReplicaSet does, or one that is similar."""
    plain = name.rpartition("/")[2]
    owners = {owner for shown in objects if isinstance(shown, Pod) and (owner := shown.metadata.controller)}
    names = sorted({f"{each.kind}/{each.name}" for each in owners})
    begun = sorted({f"{each.kind}/{each.name}" for each in owners if each.name.startswith(f"{plain}-")})
    return f"; did you mean {' or '.join(begun[:3])}?" if begun else did_you_mean(f"{kind}/{plain}", names)


def node_called(name: str, objects: Iterable[ApiObject]) -> Node:
    nodes = {shown.name: shown for shown in objects if isinstance(shown, Node)}
    if name not in nodes:
        raise InputError(f"there is no such node{did_you_mean(name, nodes, most=3)}", where=name)
    return nodes[name]


def waiting_again(pod: ApiObject) -> Pod:
    """Returns the pod as its controller creates it anew."""
    assert isinstance(pod, Pod)
    return evolve(
        pod,
        metadata=evolve(pod.metadata, creation_timestamp=None, deletion_timestamp=None),
        spec=evolve(pod.spec, node_name=""),
        status=PodStatus(),
    )


def _named(model: Node | Pod, name: str) -> Node | Pod:
    metadata = evolve(model.metadata, name=name, uid=f"{model.metadata.uid or model.key}-{name}")
    if isinstance(model, Node) and HOSTNAME in metadata.labels:
        metadata = evolve(metadata, labels={**metadata.labels, HOSTNAME: name})
    return evolve(model, metadata=metadata)


def _runs_on(shown: ApiObject, node: str) -> bool:
    return isinstance(shown, Pod) and shown.spec.node_name == node and shown.status.phase not in FINISHED


def _belongs_to_node(shown: ApiObject) -> bool:
    owner = shown.metadata.controller
    return MIRROR in shown.metadata.annotations or (owner is not None and owner.kind == "DaemonSet")


def without_controller(before: Iterable[ApiObject], after: Iterable[ApiObject]) -> list[str]:
    """Returns the pods that lose their nodes though nothing manages them, so that nothing creates them anew."""
    ran = {shown.key for shown in before if isinstance(shown, Pod) and shown.spec.node_name}
    moved = (shown for shown in after if isinstance(shown, Pod) and not shown.spec.node_name)
    return sorted(pod.key for pod in moved if pod.key in ran and pod.metadata.controller is None)


def pods_of(objects: Sequence[ApiObject]) -> dict[str, Pod]:
    return {shown.key: shown for shown in objects if isinstance(shown, Pod)}
