# SPDX-License-Identifier: Apache-2.0
"""Misreadings: which histories every run of the suite tries because who misreads a list decides otherwise in them.

    python -m conformance.campaigns.misreadings --seeds 9701-9710

Many mistakes misread a list: they overlook one of its items, or take what the first one says for what all of them
say. The specification runs what the properties of longer lists draw, as it is and with all lists of a field
misread. Where anything that an observer sees differs, the misreading shows. The shortest history that shows each
is found, and of these as few are chosen as show them all. They are written to ``conformance/chosen``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

import click
from attrs import frozen

from conformance.campaigns.options import read_seeds
from conformance.chosen import line_of, read_line, write_lines
from conformance.machines import machines, sharing
from conformance.strategies.longer import lists_within
from conformance.strategies.twins import KEYS_OF_OBJECTS, KEYS_OF_TEXTS
from conformance.vocabulary.places import objects_in, with_each_object
from conformance.wrong.profile import drawn_histories, suite_tests
from refsched.errors import InputError
from refsched.records import Observation, Output
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.histories.history import History
from refsched.suite.histories.trial import try_history

AREAS = ("longer", "longer_newer")
PLACES = {"first": 0, "middle": 1, "last": -1}
LONG = 3
"""A list of fewer items has none in the middle, and that one of two is overlooked shows in what areas draw."""

Member = tuple[str, ...]


@frozen(order=True)
class Misreading:
    """A Misreading takes a member of all items of a field's lists to be what it is in the first or the last of
    them. Without a member it overlooks an item of each list that has three or more."""

    field: str
    place: str
    member: Member = ()

    def __str__(self) -> str:
        return f"{self.field}, {'.'.join(self.member) or 'without'} the {self.place}"

    def misread(self, items: list[Any]) -> list[Any]:
        """Returns the items as they are misread."""
        place = PLACES[self.place]
        if self.member:
            said = _member_of(items[place], self.member) if items else None
            return [_with_member(each, self.member, said) for each in items]
        overlooked = place % len(items) if len(items) >= LONG else None
        return [each for number, each in enumerate(items) if number != overlooked]


@frozen
class Candidate:
    """A Candidate is a history that a test has drawn, as a line of JSON, with its number of steps."""

    steps: int
    test: str
    line: str


@frozen
class Drawing:
    """A Drawing is what came of one seed: in how many histories each misreading could show, and the shortest one
    in which it does."""

    could: Counter[Misreading]
    shows: Mapping[Misreading, Candidate]


# --- What can be misread --------------------------------------------------------------------------


def misreadings_of(history: History) -> set[Misreading]:
    """Returns the misreadings that change an object of the history."""
    return {
        misreading
        for value in objects_in(history)
        for _, field, items in lists_within(value, (), value["kind"])
        for misreading in _misreadings(field, items)
    }


def _misreadings(field: str, items: list[Any]) -> Iterator[Misreading]:
    if len(items) >= LONG:
        yield from (Misreading(field, place) for place in PLACES)
    for member in dict.fromkeys(member for each in items for member in _members(each)):
        said = [_member_of(each, member) for each in items]
        if any(each != said[0] for each in said):
            yield from (Misreading(field, place, member) for place in ("first", "last"))


def _members(item: Any) -> Iterator[Member]:
    """Yields the members of an item, and those of its members that are objects whose members have fixed names."""
    for name, value in item.items() if isinstance(item, dict) else ():
        yield (name,)
        if isinstance(value, dict) and name not in (*KEYS_OF_OBJECTS, *KEYS_OF_TEXTS):
            yield from ((name, inner) for inner in value)


def _member_of(item: Any, member: Member) -> Any:
    for name in member:
        item = item.get(name) if isinstance(item, dict) else None
    return item


def _with_member(item: Any, member: Member, said: Any) -> Any:
    """Returns the item with this member, or without it if that is None."""
    if not isinstance(item, dict):
        return item
    name, *inner = member
    value = _with_member(item.get(name), tuple(inner), said) if inner else said
    others = {each: item[each] for each in item if each != name}
    return others if value is None else {**others, name: value}


def misread(history: History, misreading: Misreading) -> History:
    """Returns the history with all lists of the field misread."""

    def within(value: Any, field: str) -> Any:
        if isinstance(value, dict):
            return {name: within(inner, f"{field}.{name}") for name, inner in value.items()}
        if not isinstance(value, list):
            return value
        items = [within(each, f"{field}[]") for each in value]
        return misreading.misread(items) if field == misreading.field else items

    return with_each_object(history, lambda value: within(value, value["kind"]))


# --- What shows -----------------------------------------------------------------------------------


def shown_in(adapter: Adapter, history: History, misreadings: Collection[Misreading]) -> Iterator[Misreading]:
    """Yields those of the misreadings that show in the history."""
    right = _seen(adapter, history) if misreadings else None
    for misreading in misreadings:
        seen = _seen(adapter, misread(history, misreading))
        if seen is not None and seen != right:
            yield misreading


def _seen(adapter: Adapter, history: History) -> list[Any] | None:
    """Returns what an observer sees of the history, or None if no API server would accept its objects."""
    try:
        seen = try_history(adapter, history, with_specification=False).seen
    except InputError:
        return None
    return [each.record for each in seen if isinstance(each.record, Output | Observation)]


def draw(histories: int, seed: int) -> Drawing:
    """Returns what shows in this many histories that each of the properties draws with this seed."""
    could: Counter[Misreading] = Counter()
    shows: dict[Misreading, Candidate] = {}
    with connect(REFERENCE, in_process=True) as adapter:
        for test in (each for each in suite_tests() if each.area in AREAS and each.draws):
            for history in drawn_histories(test, str(seed), histories):
                possible, steps = sorted(misreadings_of(history)), len(history.steps)
                could.update(possible)
                better = [one for one in possible if one not in shows or steps < shows[one].steps]
                if shown := list(shown_in(adapter, history, better)):
                    shows |= dict.fromkeys(shown, Candidate(steps, test.name, line_of(history)))
    return Drawing(could, shows)


def all_shown_in(candidate: Candidate) -> frozenset[Misreading]:
    """Returns all misreadings that show in this history."""
    history = read_line(candidate.line)
    with connect(REFERENCE, in_process=True) as adapter:
        return frozenset(shown_in(adapter, history, sorted(misreadings_of(history))))


def choose(shown: Mapping[Candidate, frozenset[Misreading]]) -> Iterator[Candidate]:
    """Yields candidates that together show all that is shown, first the one that shows the most for its steps."""
    left = set().union(*shown.values())
    while left:
        best = max(shown, key=lambda one: (len(shown[one] & left) / one.steps, one.test, one.line))
        yield best
        left -= shown[best]


@click.command()
@click.option("--seeds", callback=read_seeds, required=True, metavar="FIRST[-LAST]", help="What is drawn.")
@click.option(
    "--histories",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="How many each property draws of a seed.",
)
@sharing
def main(seeds: list[int], histories: int, workers: int, scheduler: str | None) -> None:
    """Chooses histories in which misreadings show, and lists those that show in none."""
    with machines(workers, scheduler) as each:
        drawings = list(each(partial(draw, histories), seeds))
        shortest: dict[Misreading, Candidate] = {}
        for misreading, candidate in (shown for drawing in drawings for shown in drawing.shows.items()):
            known = shortest.get(misreading, candidate)
            shortest[misreading] = min(known, candidate, key=lambda one: (one.steps, one.test, one.line))
        candidates = list(dict.fromkeys(shortest.values()))
        chosen = choose(dict(zip(candidates, each(all_shown_in, candidates), strict=True)))
        written = write_lines((candidate.test, candidate.line) for candidate in chosen)
    for test, number in written.items():
        click.echo(f"{number} histories of {test}")
    could = sum((drawing.could for drawing in drawings), Counter[Misreading]())
    for misreading in sorted(could.keys() - shortest.keys()):
        click.echo(f"{could[misreading]:5}  {misreading}")
    click.echo(f"{len(shortest)} of {len(could)} misreadings show")


if __name__ == "__main__":
    sys.exit(main())
