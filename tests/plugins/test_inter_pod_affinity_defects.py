# SPDX-License-Identifier: Apache-2.0
"""InterPodAffinity with and without each of its known defects."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from affinity_world import (
    PLUGIN,
    excluding,
    filtering,
    hint,
    node,
    pod,
    required,
    running,
    selecting,
    term,
)

from refsched.framework.cycle_state import CycleState
from refsched.framework.events import POD
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Namespace
from refsched.oddities.inter_pod_affinity import (
    EXCLUDED_NAMESPACES,
    FIRST_OF_ITS_KIND,
    NAMESPACES_OF_HINTS,
    ONE_TERM_OF_MANY,
    REQUIRED_APART_BY_A_DELETED_POD,
)
from refsched.oddities.known_defect import KnownDefect
from refsched.oddities.known_defects import AS_RELEASED, with_oddities
from refsched.plugins.inter_pod_affinity import Filtering, InterPodAffinity
from refsched.tools.planner.defects_met import DefectsMet
from tests.snapshots import snapshot_of

ANTI_AFFINITY = unschedulable("node(s) didn't match pod anti-affinity rules")


def without(*mended: KnownDefect) -> InterPodAffinity:
    """As released, but for these known defects."""
    plugin: InterPodAffinity = with_oddities(InterPodAffinity(), AS_RELEASED - set(mended))
    return plugin


MENDED = without(EXCLUDED_NAMESPACES)
IN_OTHER = {"namespaceSelector": selecting(team="t")}


def met(web: PodInfo, snapshot: Snapshot, state: Filtering, there: NodeInfo) -> tuple[KnownDefect, ...]:
    return DefectsMet(web, snapshot, CycleState({PLUGIN.name: state})).on(there)


# --- Namespaces -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "labels", "verdict"),
    [
        ("other", {"team": "t"}, SUCCESS),
        ("other", {}, ANTI_AFFINITY),
        ("missing", {}, SUCCESS),
        ("listed", {"team": "t"}, ANTI_AFFINITY),
    ],
)
def test_without_the_known_defect_it_reaches_those_that_exist_and_are_not_excluded_and_those_that_are_listed(
    where: str, labels: dict[str, str], verdict: Status
) -> None:
    scope = {"namespaceSelector": excluding("team"), "namespaces": ["listed"]}
    web = pod("web", apart=required(term("db", **scope)))
    there = node("n1", pod("db", namespace=where), zone="a")
    existing = {} if where == "missing" else {where: labels}
    snapshot = snapshot_of(there, namespace_labels=existing)
    state = filtering(web, snapshot, MENDED)
    assert MENDED.filter(state, web, there) == verdict
    state = filtering(web, snapshot, without())
    assert PLUGIN.filter(state, web, there) == ANTI_AFFINITY
    assert met(web, snapshot, state, there) == (() if verdict == ANTI_AFFINITY else (EXCLUDED_NAMESPACES,))


# --- Hints ----------------------------------------------------------------------------------------

AVOIDS_WEB = required(term("web"))
AVOIDS_WEB_AND_DB = required(term("web"), term("db"))


@pytest.mark.parametrize(
    ("near", "apart", "before", "after", "defects"),
    [
        (None, None, running("db", apart=AVOIDS_WEB), None, {REQUIRED_APART_BY_A_DELETED_POD}),
        (None, None, running("db", apart=required(term("x"))), None, None),
        (None, None, running("db", "", apart=AVOIDS_WEB), None, None),
        (None, None, running("db", apart=AVOIDS_WEB), running("x", apart=AVOIDS_WEB), None),
        (None, None, None, running("db", apart=AVOIDS_WEB), None),
        (
            None,
            None,
            running("db", apart=AVOIDS_WEB_AND_DB),
            None,
            {REQUIRED_APART_BY_A_DELETED_POD, ONE_TERM_OF_MANY},
        ),
        (None, required(term("db"), term("x")), running("db"), None, {ONE_TERM_OF_MANY}),
        (None, required(term("db"), term("x")), running("db"), running("y"), {ONE_TERM_OF_MANY}),
        (None, required(term("db"), term("x")), running("y"), running("db"), None),
        (None, required(term("db"), term("x")), running("db"), running("x"), None),
        (None, required(term("db"), term("x")), running("y"), None, None),
        (required(term("web")), None, running("web"), None, {FIRST_OF_ITS_KIND}),
        (required(term("web")), None, running("db"), None, None),
        (required(term("db")), None, running("db"), None, None),
        (required(term("web")), None, running("web"), running("x"), None),
        (
            required(term("db", **IN_OTHER)),
            None,
            None,
            running("db", namespace="other"),
            {NAMESPACES_OF_HINTS},
        ),
        (required(term("db", **IN_OTHER)), None, None, running("db"), None),
        (
            None,
            required(term("db", **IN_OTHER)),
            running("db", namespace="other"),
            None,
            {NAMESPACES_OF_HINTS},
        ),
        (
            None,
            required(term("db", **IN_OTHER), term("x")),
            running("db", namespace="other"),
            None,
            {NAMESPACES_OF_HINTS, ONE_TERM_OF_MANY},
        ),
    ],
)
def test_what_v1_34_overlooks_is_seen_without_these_defects_and_only_without_all_of_them(
    near: Any, apart: Any, before: Pod | None, after: Pod | None, defects: set[KnownDefect] | None
) -> None:
    """None: it is not seen without any."""
    web = pod("web", near=near, apart=apart).pod
    objects = ObjectStore()
    objects.put(read_as(Namespace, {"metadata": {"name": "other", "labels": {"team": "t"}}}))
    every = (
        EXCLUDED_NAMESPACES,
        REQUIRED_APART_BY_A_DELETED_POD,
        ONE_TERM_OF_MANY,
        FIRST_OF_ITS_KIND,
        NAMESPACES_OF_HINTS,
    )
    for many in (chosen for number in range(6) for chosen in combinations(every, number)):
        plugin = without(*many)
        seen = hint(POD)(plugin, web, before, after, objects)
        assert seen is (defects is not None and defects <= set(many))


def test_a_hint_that_looks_namespaces_up_still_tries_the_selector_against_no_labels_as_filter_does() -> None:
    web = pod("web", near=required(term("db", namespaceSelector=excluding("team")))).pod
    objects = ObjectStore()
    objects.put(read_as(Namespace, {"metadata": {"name": "other", "labels": {"team": "t"}}}))
    came = running("db", namespace="other")
    looks_up = without(NAMESPACES_OF_HINTS)
    drops = without(NAMESPACES_OF_HINTS, EXCLUDED_NAMESPACES)
    assert hint(POD)(PLUGIN, web, None, came, objects)
    assert hint(POD)(looks_up, web, None, came, objects)
    assert not hint(POD)(drops, web, None, came, objects)
