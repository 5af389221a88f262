# SPDX-License-Identifier: Apache-2.0
"""Agreement: where a record and the specification differ, member by member.

Only members that are present in the record are compared. ``reasons`` compare as multisets, lists of pods and
plugins as sorted, calls in their order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from refsched.records import Attempt, Bind, Nodes, NodeStatus, NodeUsage, PreFilter, Queues

_SEPARATOR = re.compile(r", |[\[\]]")


@frozen
class Disagreement:
    """``member`` is a path in the record: ``filter.n1``, ``scores.n1.NodeResourcesFit``."""

    member: str
    expected: object
    got: object


# --- Attempts -------------------------------------------------------------------------------------


def attempt_disagreements(record: Attempt, specified: Attempt) -> Iterator[Disagreement]:
    """Yields the disagreements in the order in which a decision is made, so that the first one is the cause of
    the others."""
    yield from _pre_filter(record.pre_filter, specified.pre_filter)
    yield from _filter(record.filter, specified.filter or {})
    yield from _scores(record, specified)
    for member in ("evaluated", "feasible", "result", "node", "waiting"):
        yield from _equal(member, getattr(specified, member), getattr(record, member))
    yield from _sorted("unschedulablePlugins", specified.unschedulable_plugins, record.unschedulable_plugins)
    yield from _equal("nominatedNode", specified.nominated_node, record.nominated_node)
    yield from _sorted("victims", specified.victims, record.victims)
    yield from _equal("calls", specified.calls or (), record.calls)
    if record.message is None or not _same_words(specified.message, record.message):
        yield from _equal("message", specified.message, record.message)


def _equal(member: str, expected: object, got: object) -> Iterator[Disagreement]:
    if got is not None and got != expected:
        yield Disagreement(member, expected, got)


def _sorted(
    member: str, expected: tuple[str, ...] | None, got: tuple[str, ...] | None
) -> Iterator[Disagreement]:
    if got is not None:
        yield from _equal(member, sorted(expected or ()), sorted(got))


def _pre_filter(record: PreFilter | None, specified: PreFilter | None) -> Iterator[Disagreement]:
    if record is None:
        return
    if specified is None:
        yield Disagreement("preFilter", None, record)
        return
    yield from _equal("preFilter.code", specified.code, record.code)
    yield from _equal("preFilter.plugin", specified.plugin, record.plugin or None)
    yield from _sorted("preFilter.reasons", specified.reasons, record.reasons or None)
    yield from _sorted("preFilter.nodes", specified.nodes, record.nodes)


def _filter(
    record: Mapping[str, NodeStatus] | None, specified: Mapping[str, NodeStatus]
) -> Iterator[Disagreement]:
    """Compares the statuses of Filter. If it is open which nodes are evaluated, the specification has already
    followed the record."""
    if record is None:
        return
    for node in sorted(record.keys() | specified.keys()):
        got, expected = record.get(node), specified.get(node)
        if got is None or expected is None or not says_the_same(got, expected):
            yield Disagreement(f"filter.{node}", expected, got)


def says_the_same(got: NodeStatus, expected: NodeStatus) -> bool:
    """Returns whether a recorded status agrees. It may leave out the plugin and the reasons."""
    return (
        got.code == expected.code
        and got.plugin in ("", expected.plugin)
        and (not got.reasons or _undetailed(got.reasons) == _undetailed(expected.reasons))
    )


def _undetailed(reasons: Sequence[str]) -> Counter[str]:
    return Counter(map(_without_details, reasons))


def _without_details(text: str) -> str:
    """Removes the words and the position with which cel-go reports an error in a CEL expression, because they
    are its own. The API server stores no such expression."""
    head, found, _ = text.partition("CEL compile error: ")
    return head + found


def _scores(record: Attempt, specified: Attempt) -> Iterator[Disagreement]:
    for node, scores in sorted((record.scores or {}).items()):
        expected = (specified.scores or {}).get(node)
        if expected is None:
            yield Disagreement(f"scores.{node}", None, dict(scores))
            continue
        for plugin in sorted(scores.keys() | expected.keys()):
            yield from _entry(f"scores.{node}.{plugin}", expected.get(plugin), scores.get(plugin))
    if record.scores is not None:
        for node in sorted((specified.scores or {}).keys() - record.scores.keys()):
            yield Disagreement(f"scores.{node}", dict((specified.scores or {})[node]), None)
    for node, total in sorted((record.totals or {}).items()):
        yield from _entry(f"totals.{node}", (specified.totals or {}).get(node), total)


def _entry(member: str, expected: int | None, got: int | None) -> Iterator[Disagreement]:
    if expected != got:
        yield Disagreement(member, expected, got)


_UID = re.compile(
    r"(?<=^pod )[^()\s]+(?= is in the cache)|(?<=UID in precondition: )[^,\s]+|(?<=UID in object meta: )\S+"
)
"""The uid of a pod is made by the API server, which need not be the specification's."""


_PRECONDITION = re.compile(r"on pods/binding (?=\S+ Precondition failed)")
"""API servers name the resource of a binding with another uid either way."""


def _same_words(expected: str | None, got: str) -> bool:
    """Returns whether both messages have the same words. Aggregated errors are listed in the order of a Go map,
    within brackets (apimachinery, util/errors)."""
    if expected is None:
        return False
    expected, got = (_PRECONDITION.sub("on pods ", _without_details(each)) for each in (expected, got))
    expected, got = (_UID.sub("", each) for each in (expected, got))
    return Counter(_SEPARATOR.split(expected)) == Counter(_SEPARATOR.split(got))


# --- The end of a binding cycle -------------------------------------------------------------------


def bind_disagreements(record: Bind, specified: Bind | None) -> Iterator[Disagreement]:
    """Yields the disagreements about a binding cycle, which the specification may not have ended at all."""
    if specified is None:
        yield Disagreement("bind", None, record)
        return
    for member in ("node", "result"):
        yield from _equal(f"bind.{member}", getattr(specified, member), getattr(record, member))
    if record.message is None or not _same_words(specified.message, record.message):
        yield from _equal("bind.message", specified.message, record.message)
    yield from _sorted(
        "bind.unschedulablePlugins", specified.unschedulable_plugins, record.unschedulable_plugins
    )
    yield from _equal("bind.calls", specified.calls or (), record.calls)


# --- Observations ---------------------------------------------------------------------------------


def queues_disagreements(record: Queues, specified: Queues) -> Iterator[Disagreement]:
    for queue in ("active", "backoff", "unschedulable"):
        yield from _sorted(f"queues.{queue}", getattr(specified, queue), getattr(record, queue))


def nodes_disagreements(record: Nodes, specified: Nodes) -> Iterator[Disagreement]:
    for node in sorted(record.nodes.keys() | specified.nodes.keys()):
        got, expected = record.nodes.get(node), specified.nodes.get(node)
        if got is None or expected is None:
            yield Disagreement(f"nodes.{node}", expected, got)
        else:
            yield from _usage(f"nodes.{node}", expected, got)


def _usage(member: str, expected: NodeUsage, got: NodeUsage) -> Iterator[Disagreement]:
    yield from _sorted(f"{member}.pods", expected.pods, got.pods)
    yield from _equal(f"{member}.milliCPU", expected.milli_cpu, got.milli_cpu)
    yield from _equal(f"{member}.memory", expected.memory, got.memory)
    yield from _equal(f"{member}.ephemeralStorage", expected.ephemeral_storage or 0, got.ephemeral_storage)
    if got.scalar is not None:
        wanted = {name: amount for name, amount in got.scalar.items() if amount}
        yield from _equal(f"{member}.scalar", dict(expected.scalar or {}), wanted)


def took_the_same(record: Attempt, begun: Attempt) -> bool:
    """Returns whether both chose the same node from the same feasible nodes."""
    found = begun.filter or {}
    return record.node == begun.node and (record.filter or found).keys() == found.keys()
