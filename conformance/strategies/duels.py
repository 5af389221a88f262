# SPDX-License-Identifier: Apache-2.0
"""Duels: two full nodes whose prices differ in one thing, or in two that speak for different ones; and full nodes
where some of the pods may stay.

There are so few of these histories that all of them are drawn; others, in which more may decide, are drawn with
those of contests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.contest import LOWEST, PRIORITY, a_budget, a_victim
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import START_TIMES, cpu, node, pod, with_metadata, with_spec
from refsched.suite.histories.history import History

Json = dict[str, Any]

# --- Crowds ---------------------------------------------------------------------------------------

_Victim = tuple[str, int, int]
"""Its label (``a`` is protected where anybody is, ``b`` is not, and nothing cannot be), its priority, and when it
started, the last being never."""
_Crowd = tuple[_Victim, ...]

_DUELS: tuple[tuple[_Crowd, ...], ...] = (
    ((("a", 0, 1), ("a", 0, 1)), (("a", 1, 0),)),
    ((("a", 0, 1), ("a", 0, 1), ("a", 0, 1)), (("a", 1, 0), ("a", 2, 0))),
    ((("a", 0, 1), ("b", 5, 1)), (("a", 3, 0),)),
    ((("b", 5, 1), ("a", 0, 1)), (("b", 3, 0), ("a", 1, 0))),
    ((("b", 9, 0), ("a", 0, 1), ("b", 1, 0)), (("a", 5, 0), ("b", 4, 0))),
    ((("a", -1, 1),), (("b", 9, 0),)),
    ((("a", 0, 1),), (("b", 1, 0), ("b", 1, 0), ("b", 1, 0))),
    ((("", 0, 0),), (("b", 1, 1),)),
    ((("", 0, 1), ("b", 0, 0)), (("b", 1, 1),)),
    ((("b", 1, 1),), (("b", 0, 0), ("b", 0, 0))),
    ((("b", 1, 1), ("b", 0, 1)), (("b", 1, 0), ("b", -1, 0))),
    ((("b", 5, 1), ("b", -5, 1)), (("b", 5, 0),)),
    ((("b", 5, 1), ("b", LOWEST, 1)), (("b", 5, 0),)),
    ((("b", 5, 1), ("b", LOWEST, 1), ("b", LOWEST, 0)), (("b", LOWEST, 0), ("b", 5, 0))),
    ((("b", 5, 1), ("b", LOWEST, 1), ("b", LOWEST, 0)), (("b", 0, 0), ("b", 5, 0))),
    ((("b", 0, 0),), (("b", 0, 1),)),
    ((("b", 0, 1), ("b", -1, 2)), (("b", 0, 2), ("b", -1, 0))),
    ((("b", 3, 1), ("b", 2, 2)), (("b", 2, 0), ("b", 3, 2))),
    ((("b", 0, 2), ("b", 0, 0)), (("b", 0, 1), ("b", 0, 1))),
    ((("a", 0, 1), ("b", 0, 2)), (("a", 0, 0), ("b", 0, 2))),
    ((("a", 0, 1), ("b", 5, 1)), (("a", 3, 1), ("b", 1, 1))),
)
"""Pairs of crowds whose prices differ in one thing, or in two that speak for different ones."""

_CHOICES: tuple[tuple[_Crowd, ...], ...] = (
    ((("b", 0, 1), ("b", 0, 0), ("b", 0, 2)),),
    ((("b", 0, 3), ("b", 0, 2)),),
    ((("b", 0, 1), ("b", 0, 3), ("b", 1, 3)),),
    ((("b", 0, 0), ("b", 1, 2), ("b", -1, 0)),),
    ((("b", 5, 0), ("a", 0, 2)),),
    ((("a", 0, 1), ("a", 0, 0), ("b", 1, 2)),),
    ((("", 0, 1), ("b", 0, 0), ("a", -1, 2)),),
    ((("a", 2, 1), ("b", 3, 0), ("a", 1, 2), ("b", 0, 2)),),
)
"""Crowds on one node of which some may stay."""

_SPARED: SearchStrategy[_Victim | None] = st.sampled_from(
    [None, None, None, ("a", 9, 0), ("a", -9, 0), ("b", 9, 0)]
)
"""One that asks for nothing, and may stay unless pods are counted; what a budget allows it takes all the same."""

_PROTECTIONS = st.sampled_from(
    [
        "strict",
        *["strict first"] * 3,
        *["strict last"] * 3,
        *["elsewhere"] * 2,
        "once",
        *["paid"] * 3,
        *["nobody"] * 2,
        "",
    ]
)
_OF_WHO_IS_BARE = st.sampled_from(["bare", "bare", "bare", ""])
"""Who is protected in a match, and who is not though it looks so: it has no label, the budget is one of another
namespace or selects nobody, or the disruption has been paid for."""


def _protecting(kind: str, match: str, listed: tuple[str, ...]) -> list[Json]:
    """The budgets of one match. ``listed`` are its pods; of these every other one has been paid for."""
    of_a: Json = {"matchLabels": {"app": "a", "match": match}}
    strict = a_budget(of_a, 0, "", ())
    everybody = a_budget({"matchLabels": {"match": match}}, 20, "", ())
    no_b = [
        {"key": "app", "operator": "NotIn", "values": ["b"]},
        {"key": "match", "operator": "NotIn", "values": [other for other in "012345" if other != match]},
    ]
    budgets = {
        "strict": [strict],
        "once": [a_budget(of_a, 1, "", ())],
        "bare": [a_budget({"matchExpressions": no_b}, 0, "", ())],
        "elsewhere": [a_budget(of_a, 0, "other", ())],
        "paid": [a_budget(of_a, 0, "", listed[::2])],
        "nobody": [a_budget({}, 0, "", ())],
        "strict first": [strict, everybody],
        "strict last": [everybody, strict],
        "": [],
    }[kind]
    return [with_metadata(budget, name=f"b{match}{number}") for number, budget in enumerate(budgets)]


# --- Matches --------------------------------------------------------------------------------------


@frozen
class Match:
    """Crowds with a node each, and perhaps somebody to be ``spared``; and a pod that wants one of the nodes.
    ``scheduler`` is who has placed them."""

    crowds: Sequence[_Crowd]
    protection: str
    amount: str
    spared: Sequence[_Victim | None] = ()
    pods: str = "9"
    scheduler: str = "default-scheduler"

    def add_to(self, cluster: HistoryBuilder, number: int) -> None:
        match, before = str(number), len(cluster.pods)
        for crowd, spared in zip_longest(self.crowds, self.spared):
            cores = "2" if _is_duel(self.crowds) else f"{500 * len(crowd)}m"
            cluster.add_node(node("", {"cpu": cores, "memory": "8Gi", "pods": self.pods}, {"match": match}))
            home = len(cluster.nodes) - 1
            for victim in crowd:
                placed = with_spec(_of_a_crowd("500m", match, *victim), schedulerName=self.scheduler)
                cluster.add_pod(placed, home)
            if spared is not None:
                cluster.add_pod(_of_a_crowd("", match, *spared), home)
        cluster.add(*_protecting(self.protection, match, tuple(cluster.pods)[before:]))
        cluster.add_pod(pod("", cpu(self.amount), priority=PRIORITY, nodeSelector={"match": match}))


def _of_a_crowd(amount: str, match: str, app: str, priority: int, start: int) -> Json:
    labels = {"app": app, "match": match} if app else {}
    return a_victim(amount, priority, labels, (*START_TIMES, "")[start])


def _is_duel(crowds: Sequence[_Crowd]) -> bool:
    return len(crowds) > 1


def _is_bare(crowds: Sequence[_Crowd]) -> bool:
    return any(not app for crowd in crowds for app, *_ in crowd)


def _one_after_the_other(matches: Sequence[Match]) -> History:
    cluster = HistoryBuilder()
    for number, match in enumerate(matches):
        match.add_to(cluster, number)
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


# --- Histories ------------------------------------------------------------------------------------


@st.composite
def _varied(draw: DrawFn) -> Match:
    crowds = draw(st.sampled_from([*_DUELS, *_CHOICES]))
    return Match(
        crowds if draw(st.booleans()) else crowds[::-1],
        draw(_OF_WHO_IS_BARE if _is_bare(crowds) else _PROTECTIONS),
        draw(st.sampled_from(["2", "2", "2", "1500m"] if _is_duel(crowds) else ["500m", "1"])),
        [draw(_SPARED) for _ in crowds],
        draw(st.sampled_from(["9", "9", "1"])),
    )


def varied() -> SearchStrategy[History]:
    """Several of them, in which anything else decides now and then."""
    return st.lists(_varied(), min_size=4, max_size=5).map(_one_after_the_other)


def _plain() -> Iterator[Match]:
    """Each of them as it decides, with the nodes in either order, and whoever has placed the crowds."""
    for crowds in (*_DUELS, *_CHOICES):
        may_be_protected = any(app == "a" for crowd in crowds for app, *_ in crowd)
        several = ["bare"] if _is_bare(crowds) else ["strict last", "paid"] if may_be_protected else [""]
        for protection in several:
            if _is_duel(crowds):
                yield Match(crowds, protection, "2")
                yield Match(crowds[::-1], protection, "2", scheduler="other")
            else:
                yield Match(crowds, protection, "500m")
                yield Match(crowds, protection, "1")


def histories() -> SearchStrategy[History]:
    matches = list(_plain())
    return st.sampled_from([matches[at : at + 6] for at in range(0, len(matches), 6)]).map(
        _one_after_the_other
    )
