# SPDX-License-Identifier: Apache-2.0
"""Stored objects: whether an API server stores what the suite draws.

``python -m conformance.campaigns.stored --seeds 1-3`` draws what the tests draw with these seeds, asks a real API
server, which needs Go, whether it would create each object, and prints what it refuses. A scheduler that is right
may rely on it that no object is as an API server never stores it, so nothing that is refused should be drawn. With
``--of chosen`` or ``--of cases`` the histories of these are asked about; some cases are about such objects. Fields
of features that this API server has turned off count as stored. Exit codes: 0 everything is stored, 1 something is
not, 2 there is no API server, or no object.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import click
from attrs import frozen

from conformance.campaigns.options import of_areas, read_seeds
from conformance.chosen import chosen_histories
from conformance.vocabulary.places import objects_in
from conformance.wrong.profile import SuiteTest, drawn_histories, suite_tests
from refsched.processes.kubernetes_api.client import ApiError, Client
from refsched.reading.objects import key_of
from refsched.suite.adapters.api_objects import DROPPED, ApiObjects
from refsched.suite.adapters.control_plane import ControlPlane, control_plane_program
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.histories.history import History

Json = dict[str, Any]

ADMIN_ACCESS = {"resource.kubernetes.io/admin-access": "true"}
"""The labels of a namespace in which claims may ask for access as an administrator."""

SHOWN = 200
"""This many characters of a refusal are printed."""

STORED = frozenset({"AlreadyExists", DROPPED})
"""An object is stored all the same if it is refused for one of these reasons."""

_STORED_ALL_THE_SAME = re.compile(
    r"(, )?spec\.(hostNetwork: Forbidden: when `hostUsers` is false"
    r"|topologySpreadConstraints\S+ Invalid value: \S+ exists in both matchLabelKeys and labelSelector)"
)
"""The first is of a feature that this API server has turned off. What the second is about it makes itself of a pod
that is created: it adds what matchLabelKeys name to the selector."""

Way = tuple[str, str]
"""The kind, and what is said without names and numbers."""

_VARYING = re.compile(r'"[^"]*"|\d+')
"""Names and numbers do not say in which way an object is refused."""


@frozen
class Refusal:
    """A Refusal is what the API server says of an object that a test has."""

    test: str
    kind: str
    why: str

    @property
    def way(self) -> Way:
        """Returns what refusals for one reason have in common."""
        return self.kind, _VARYING.sub("…", self.why)


class Store:
    """A Store is an API server that is asked whether it would store objects, each once, and stores none. ``asked``
    are the objects that it was asked about, as text."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._objects = ApiObjects(client)
        self._namespaces = {""}
        self.asked = set[str]()

    def refusals(self, test: SuiteTest, histories: Iterable[History]) -> Iterator[Refusal]:
        """Yields what is refused of the objects that the histories of a test create, or change into others."""
        for history in histories:
            for object in objects_in(history):
                text = json.dumps(object, sort_keys=True)
                if text in self.asked:
                    continue
                self.asked.add(text)
                self._ensure(key_of(object)[1])
                if why := self._refused(object):
                    yield Refusal(test.name, object["kind"], why)

    def _refused(self, object: Json) -> str:
        """Returns why the API server does not store the object, or "" if it does."""
        try:
            self._objects.check(object)
        except ApiError as refused:
            why = _STORED_ALL_THE_SAME.sub("", str(refused))
            return "" if refused.reason in STORED or why.endswith(("is invalid: ", "is invalid: []")) else why
        return ""

    def _ensure(self, namespace: str) -> None:
        """Creates a namespace in which any object may be."""
        if namespace not in self._namespaces:
            self._namespaces.add(namespace)
            metadata = {"name": namespace, "labels": ADMIN_ACCESS}
            self._client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})


def _drawn(test: SuiteTest, seeds: Sequence[int]) -> Iterator[History]:
    for seed in seeds if test.draws else ():
        yield from drawn_histories(test, str(seed), test.examples)


SOURCES: Mapping[str, Callable[[SuiteTest, Sequence[int]], Iterable[History]]] = {
    "drawn": _drawn,
    "chosen": lambda test, seeds: chosen_histories(test.name) if test.draws else (),
    "cases": lambda test, seeds: (test.case.history,) if test.case else (),
}
"""The histories of a test that come from each source."""


@click.command()
@of_areas
@click.option("--seeds", default="0", show_default=True, callback=read_seeds, help="Such as 7 or 100-199.")
@click.option("--of", "source", type=click.Choice(tuple(SOURCES)), default="drawn", show_default=True)
def main(areas: tuple[str, ...], seeds: list[int], source: str) -> None:
    """Says what an API server refuses of what the suite draws."""
    tests = [test for test in suite_tests() if test.area in areas or not areas]
    try:
        plane = ControlPlane(control_plane_program().program())
    except AdapterUnavailable as problem:
        raise click.UsageError(str(problem)) from None
    with closing(plane):
        store = Store(Client(plane.kubeconfig))
        found = [refusal for test in tests for refusal in store.refusals(test, SOURCES[source](test, seeds))]
    if not store.asked:
        raise click.UsageError("no test of these areas has an object")
    by_way: dict[Way, list[Refusal]] = defaultdict(list)
    for refusal in found:
        by_way[refusal.way].append(refusal)
    for alike in sorted(by_way.values(), key=len, reverse=True):
        first = alike[0]
        click.echo(f"{len(alike)} times, first in {first.test}: {first.why:.{SHOWN}}")
    click.echo(f"{len(found)} of {len(store.asked)} objects are refused, in {len(by_way)} ways")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
