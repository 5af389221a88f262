# SPDX-License-Identifier: Apache-2.0
"""Who is without known defects of InterPodAffinity passes, and who does something third fails."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from world import node_object, pod_object

from conformance.vocabulary.objects import with_metadata
from conformance.wrong.kinds import TIMEOUT
from refsched.mistakes.wrong import WrongScheduler
from refsched.oddities.inter_pod_affinity import (
    EXCLUDED_NAMESPACES,
    FIRST_OF_ITS_KIND,
    NAMESPACES_OF_HINTS,
    ONE_TERM_OF_MANY,
    REQUIRED_APART_BY_A_DELETED_POD,
)
from refsched.oddities.known_defect import KnownDefect
from refsched.oddities.known_defects import KNOWN_DEFECTS
from refsched.records import Reference
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import Advance, Create, Delete, History, Schedule, Step, Update
from refsched.suite.histories.trial import try_history

Json = dict[str, Any]
ODDITIES = "refsched.oddities.known_defects"
TERMS = "refsched.plugins.inter_pod_affinity_terms"
OF_AFFINITY = [defect for defect in KNOWN_DEFECTS if defect.plugin == "InterPodAffinity"]
PLUGIN = "refsched.plugins.inter_pod_affinity"
NO_HINT = "when=came or went or frees)"
ANY_DELETION = "when=after is None or came or went)"
ANY_ADDITION = "when=before is None or came or went)"
IN_OTHER = {"namespaceSelector": {"matchLabels": {"team": "x"}}}
NOT_IN_OTHER = {"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}}


# --- Schedulers -----------------------------------------------------------------------------------


@contextmanager
def bent(module: str, before: str, after: str) -> Iterator[Adapter]:
    wrong = WrongScheduler("bent", "", module, before, after, kubernetes="1.34")
    serves = (
        "from refsched.mistakes.wrong import WrongScheduler;from refsched.mistakes.serving import serve_wrong;"
        f"serve_wrong({wrong!r})"
    )
    with connect(f"exec:{shlex.quote(sys.executable)} -c {shlex.quote(serves)}", timeout=TIMEOUT) as adapter:
        yield adapter


@contextmanager
def without(defects: Collection[KnownDefect]) -> Iterator[Adapter]:
    ids = {defect.id for defect in defects}
    before = "for each in oddities if each.plugin == plugin.name"
    with bent(ODDITIES, before, f"{before} and each.id not in {ids}") as adapter:
        yield adapter


# --- What is done to them -------------------------------------------------------------------------


def term(app: str, **more: Any) -> Json:
    return {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": app}}, **more}


def near(*terms: Json) -> Json:
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def apart(*terms: Json) -> Json:
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def pod(app: str, affinity: Json | None = None, *, on: str = "", within: str = "default") -> Json:
    value = pod_object(
        app, **({"nodeName": on} if on else {}), **({"affinity": affinity} if affinity else {})
    )
    return with_metadata(value, labels={"app": app}, namespace=within)


def namespace(name: str, **labels: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def deleted(app: str) -> Delete:
    return Delete(Reference("Pod", app, namespace="default"))


def history(*steps: Step | Json) -> History:
    """A node in zone a, where a stranger runs, and one in zone b that takes no further pod."""
    nodes = (
        node_object("n1", labels={"zone": "a"}),
        node_object("n2", labels={"zone": "b"}, unschedulable=True),
    )
    begin = (*nodes, namespace("default"), namespace("other", team="x"), pod("stranger", on="n1"))
    given = (step if isinstance(step, Step) else Create(step) for step in (*begin, *steps))
    return History((*given, Advance(20), Schedule(2)))


KEPT_AWAY = history(
    pod("db", apart(term("p")), on="n1"), pod("p"), Schedule(), deleted("stranger"), deleted("db")
)
HIT = history(
    pod("db", on="n1"), pod("p", apart(term("db"), term("x"))), Schedule(), deleted("stranger"), deleted("db")
)
RENAMED = history(
    pod("db", on="n1"),
    pod("p", apart(term("db"), term("x"))),
    Schedule(),
    Update(with_metadata(pod("db", on="n1"), labels={"app": "y"})),
)
ALONE = history(
    with_metadata(pod("kin", on="n2"), labels={"app": "p"}),
    pod("p", near(term("p"))),
    Schedule(),
    deleted("stranger"),
    deleted("kin"),
)
ELSEWHERE = history(
    pod("p", near(term("db", **IN_OTHER))),
    Schedule(),
    pod("x", on="n1", within="other"),
    pod("db", on="n1", within="other"),
)
EXCLUDED = history(
    pod("db", on="n1", within="other"), pod("p", apart(term("db", **NOT_IN_OTHER))), Schedule()
)
NOT_EXCLUDED = history(pod("db", on="n1"), pod("p", apart(term("db", **NOT_IN_OTHER))), Schedule())

SHOWS: dict[str, tuple[History, KnownDefect]] = {
    "kept-away": (KEPT_AWAY, REQUIRED_APART_BY_A_DELETED_POD),
    "hit": (HIT, ONE_TERM_OF_MANY),
    "renamed": (RENAMED, ONE_TERM_OF_MANY),
    "alone": (ALONE, FIRST_OF_ITS_KIND),
    "elsewhere": (ELSEWHERE, NAMESPACES_OF_HINTS),
    "excluded": (EXCLUDED, EXCLUDED_NAMESPACES),
}


def test_each_known_defect_is_shown_by_a_history() -> None:
    assert {defect for _, defect in SHOWS.values()} == set(OF_AFFINITY)


@pytest.mark.parametrize("defect", OF_AFFINITY, ids=lambda defect: defect.id)
def test_who_is_without_one_does_something_else_and_passes(defect: KnownDefect) -> None:
    with without(()) as has_it, without((defect,)) as has_it_not:
        for shown, _ in (each for each in SHOWS.values() if each[1] == defect):
            done = [try_history(adapter, shown) for adapter in (has_it, has_it_not)]
            assert [came.findings for came in done] == [[], []]
            assert [came.ended for came in done] == ["", ""]
            assert done[0].seen != done[1].seen


def test_who_is_without_any_passes() -> None:
    with without(OF_AFFINITY) as adapter:
        assert [try_history(adapter, shown).findings for shown, _ in SHOWS.values()] == [[]] * len(SHOWS)


@pytest.mark.parametrize(
    ("before", "after", "shown", "rule"),
    [
        (NO_HINT, ANY_DELETION, KEPT_AWAY, "R-PODAFF-14"),
        (NO_HINT, ANY_DELETION, HIT, "R-PODAFF-14"),
        (NO_HINT, ANY_DELETION, ALONE, "R-PODAFF-14"),
        (
            NO_HINT,
            ANY_ADDITION,
            ELSEWHERE,
            "R-PODAFF-14",
        ),
        (
            "made.append(select(term, frozenset(selected)))",
            "made.append(evolve(term, namespace_selector=NOTHING))",
            NOT_EXCLUDED,
            "R-PODAFF",
        ),
    ],
    ids=["kept-away", "hit", "alone", "elsewhere", "excluded"],
)
def test_who_does_something_third_fails(before: str, after: str, shown: History, rule: str) -> None:
    with bent(PLUGIN if before == NO_HINT else TERMS, before, after) as adapter:
        found = try_history(adapter, shown).findings
    assert found
    assert any(one.rule.startswith(rule) for one in found)
