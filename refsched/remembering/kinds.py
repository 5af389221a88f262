# SPDX-License-Identifier: Apache-2.0
"""PodKinds: pods that differ in nothing but who they are, as pods made from one template do.

A plugin says in READS whether it reads who a pod is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from attrs import Factory, define, evolve, fields

from refsched.framework.interface import WHO_A_POD_IS
from refsched.framework.node_info import PodInfo
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod

MOST_KINDS = 512
MOST_ALIKE = 64
"""This many kinds may have one hint."""


_OWN = ("name", "uid", "annotations", "creation_timestamp")
_KEPT = tuple(each.name for each in fields(ObjectMeta) if each.name not in _OWN)


def reads_who_it_is(plugin: object) -> bool:
    """Returns whether the plugin may answer otherwise for another pod of the kind. One that does not say what it
    reads may."""
    return not WHO_A_POD_IS.isdisjoint(getattr(plugin, "READS", WHO_A_POD_IS))


@define(eq=False)
class PodKind:
    """``pod`` is one of this kind; ``kept`` is what others remember of the kind."""

    pod: Pod
    kept: dict[Any, Any] = Factory(dict)


class PodKinds:
    """The PodKinds are those that were met last."""

    def __init__(self) -> None:
        self._kinds: OrderedDict[Any, list[PodKind]] = OrderedDict()
        self._of: WeakKeyDictionary[PodInfo, PodKind] = WeakKeyDictionary()
        self._last: tuple[PodInfo, PodKind] | None = None

    def of(self, info: PodInfo) -> PodKind:
        if self._last is not None and self._last[0] is info:
            return self._last[1]
        known = self._of.get(info)
        if known is None:
            known = self._of[info] = self._find(info.pod)
        self._last = info, known
        return known

    def _find(self, pod: Pod) -> PodKind:
        pod = _as_read(pod)
        hint = _hint(pod)
        alike = self._kinds.setdefault(hint, [])
        self._kinds.move_to_end(hint)
        for kind in alike:
            if _are_alike(kind.pod, pod):
                return kind
        if len(self._kinds) > MOST_KINDS:
            _, forgotten = self._kinds.popitem(last=False)
            for kind in forgotten:
                kind.kept.clear()
        kind = PodKind(pod)
        alike.insert(0, kind)
        del alike[MOST_ALIKE:]
        return kind


def one_of_each(pods: Iterable[Pod]) -> list[Pod]:
    """Returns the first pod of each kind."""
    kinds = PodKinds()
    found: dict[PodKind, Pod] = {}
    for pod in pods:
        found.setdefault(kinds.of(PodInfo(pod)), pod)
    return list(found.values())


def _hint(pod: Pod) -> Any:
    """Returns a value that is equal for pods of one kind, and fast to compute."""
    spec = pod.spec
    images = tuple(container.image for container in spec.containers)
    return pod.namespace, tuple(sorted(pod.labels.items())), images, spec.priority


def _as_read(pod: Pod) -> Pod:
    """Returns the pod without the names of its volumes, which are read with its own name only, and without the
    messages of its conditions. Both differ between pods of one template."""
    spec, status = pod.spec, pod.status
    if spec.volumes:
        spec = evolve(spec, volumes=tuple(evolve(volume, name="") for volume in spec.volumes))
    if status.conditions:
        status = evolve(status, conditions=tuple(evolve(each, message="") for each in status.conditions))
    return evolve(pod, spec=spec, status=status)


def _are_alike(one: Pod, other: Pod) -> bool:
    if one.spec != other.spec or one.status != other.status:
        return False
    return all(getattr(one.metadata, name) == getattr(other.metadata, name) for name in _KEPT)
