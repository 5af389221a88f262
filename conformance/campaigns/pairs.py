# SPDX-License-Identifier: Apache-2.0
"""Pairs: which two fields have met in a decision, of all that could.

``python -m conformance.campaigns.pairs`` runs the histories of the default profile against the specification.
For each attempt it notes what stood in the pod that was tried, and beside it in the pod itself, in a node, in a
pod that has a node, and in objects of every other kind. What can stand there is read from the types of
``refsched.objects``: each field that some rule reads, with the values between which a rule distinguishes.
``--missing`` lists the pairs with one kind of object that never met.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import click
from attrs import Factory, define

from conformance.campaigns.options import of_areas
from conformance.wrong.fields import EACH, all_unread
from conformance.wrong.profile import histories_of, suite_tests
from refsched.records import Attempt, Create, Delete, Update
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.trial import try_history

Json = dict[str, Any]
Class = str
"""A field of a kind, and which value it has: ``Node.spec.taints[].effect=NoExecute``."""
Pair = tuple[Class, Class]
"""Of the pod that was tried, and of something beside it."""

POD = "Pod"
ITSELF = "itself"
RUNNING = "a pod on a node"

VALUES: Mapping[str, Sequence[str]] = {
    "allocationMode": ("ExactCount", "All"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute"),
    "nodeAffinityPolicy": ("Honor", "Ignore"),
    "nodeTaintsPolicy": ("Honor", "Ignore"),
    "operator": ("Exists", "Equal"),
    "phase": ("Available", "Released", "Bound", "Lost"),
    "preemptionPolicy": ("Never",),
    "protocol": ("UDP",),
    "restartPolicy": ("Always",),
    "volumeBindingMode": ("WaitForFirstConsumer", "Immediate"),
    "volumeMode": ("Block",),
}
"""Of fields of these names, the values between which a rule distinguishes. Any other field is there or is not; a
list has one item, or more."""
MANY = "many"


@cache
def fields_of(kind: str) -> tuple[tuple[str, ...], ...]:
    """Returns the fields of a kind that rules read, without those that only hold others."""
    paths = [one.path for one in all_unread() if one.kind == kind and one.path and not one.of_no_consequence]
    return tuple(
        path
        for path in paths
        if not any(
            other[: len(path)] == path and other[len(path)] != EACH for other in paths if other != path
        )
    )


@cache
def lists_of(kind: str) -> tuple[tuple[str, ...], ...]:
    """Returns the fields of a kind that hold lists or maps of what rules read."""
    return tuple(dict.fromkeys(path[: path.index(EACH)] for path in fields_of(kind) if EACH in path))


@cache
def classes_of(kind: str) -> frozenset[Class]:
    """Returns what can stand in an object of this kind."""
    classes = set[Class]()
    for path in fields_of(kind):
        name = ".".join((kind, *path))
        classes |= {f"{name}={value}" for value in VALUES.get(path[-1], ())} or {name}
    for path in lists_of(kind):
        classes.add(f"{'.'.join((kind, *path))}={MANY}")
    return frozenset(classes)


def classes_in(value: Json) -> frozenset[Class]:
    """Returns what stands in this object."""
    return frozenset(_classes_in(value)) & classes_of(value["kind"])


def _classes_in(value: Json) -> Iterator[Class]:
    for path in fields_of(value["kind"]):
        name = ".".join((value["kind"], *path))
        for found in _at(value, path):
            yield name
            yield f"{name}={found}" if isinstance(found, str) else name
    for path in lists_of(value["kind"]):
        if any(isinstance(found, list) and len(found) > 1 for found in _at(value, path)):
            yield f"{'.'.join((value['kind'], *path))}={MANY}"


def _at(value: Any, path: Sequence[str]) -> Iterator[Any]:
    if not path:
        yield value
    elif path[0] == EACH:
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from _at(item, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from _at(value[path[0]], path[1:])


# --- Counting -------------------------------------------------------------------------------------


@define
class PairCounts:
    """``pairs`` counts how often two have met, by what the second one is a part of."""

    pairs: dict[str, Counter[Pair]] = Factory(dict)

    def count(self, records: Iterable[object]) -> None:
        """Counts what meets in the records of one history, inputs among them."""
        objects: dict[tuple[str, str, str], Json] = {}
        for record in records:
            match record:
                case Create(value) | Update(value):
                    metadata = value["metadata"]
                    objects[_key(value["kind"], metadata.get("namespace", ""), metadata["name"])] = value
                case Delete(reference):
                    objects.pop(_key(reference.kind, reference.namespace, reference.name), None)
                case Attempt(pod=name):
                    namespace, _, name = name.partition("/")
                    tried = objects.get(_key(POD, namespace, name))
                    if tried is not None:
                        self._decided(tried, objects.values())

    def _decided(self, tried: Json, objects: Iterable[Json]) -> None:
        own = classes_in(tried)
        beside: dict[str, set[Class]] = {ITSELF: set(own)}
        for value in objects:
            if value["kind"] != POD:
                beside.setdefault(value["kind"], set()).update(classes_in(value))
            elif value["spec"].get("nodeName"):
                beside.setdefault(RUNNING, set()).update(classes_in(value))
        for kind, classes in beside.items():
            self.pairs.setdefault(kind, Counter()).update((a, b) for a in own for b in classes)


def _key(kind: str, namespace: str, name: str) -> tuple[str, str, str]:
    return kind, "" if namespace == "default" else namespace, name


def possible(kind: str) -> frozenset[Pair]:
    """Returns the pairs that could meet; of the pod itself each only once."""
    beside = classes_of(POD if kind in (ITSELF, RUNNING) else kind)
    return frozenset((a, b) for a in classes_of(POD) for b in beside if kind != ITSELF or a < b)


def kinds() -> tuple[str, ...]:
    """Returns what may stand beside the pod that is tried: itself, a pod on a node, and each other kind."""
    others = dict.fromkeys(one.kind for one in all_unread() if one.kind != POD and one.path)
    return (ITSELF, RUNNING, *others)


@click.command()
@of_areas
@click.option("--seed", default="0", show_default=True, help="As pytest's --hypothesis-seed.")
@click.option("--missing", "of", type=click.Choice(kinds()), help="List what never met, beside this kind.")
def main(areas: tuple[str, ...], seed: str, of: str | None) -> None:
    """Count the pairs of fields that meet in decisions of the default profile."""
    met = PairCounts()
    tests = [test for test in suite_tests() if not test.recorded and (test.area in areas or not areas)]
    with connect("refsched.reference") as adapter:
        for test in tests:
            for history in histories_of(test, seed):
                met.count(entry.record for entry in try_history(adapter, history).seen)
    _print(met, of)


def _print(met: PairCounts, of: str | None) -> None:
    of_all = met_all = 0
    for kind in kinds():
        could = possible(kind)
        have = could & set(met.pairs.get(kind, ()))
        of_all, met_all = of_all + len(could), met_all + len(have)
        if kind == of:
            for pair in sorted(could - have):
                click.echo(" × ".join(pair))
        if of is None and could:
            click.echo(f"{kind:24} {len(have):6} of {len(could):6}  {100 * len(have) / len(could):5.1f} %")
    if of is None:
        click.echo(f"{'all':24} {met_all:6} of {of_all:6}  {100 * met_all / of_all:5.1f} %")


if __name__ == "__main__":
    sys.exit(main())
