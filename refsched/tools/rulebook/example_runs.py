# SPDX-License-Identifier: Apache-2.0
"""Running: the example of a rule is run by the specification, step by step, and each attempt can be explained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from refsched.errors import InputError
from refsched.records import (
    Advance,
    Attempt,
    Create,
    Delete,
    Nodes,
    Permit,
    Queues,
    Release,
    Update,
)
from refsched.releases import DEFAULT, release_of
from refsched.rules import listening
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.findings import Seen
from refsched.suite.histories.extender_address import as_written
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import ANSWERS
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.trial import try_history
from refsched.suite.histories.wording import described_steps, said
from refsched.tools.cluster import Cluster
from refsched.tools.cluster_of_trace import RecordedCluster
from refsched.tools.planner.explanation import Explanation
from refsched.tools.rulebook.examples import Broken, Example


@frozen
class ExampleRun:
    """An ExampleRun is the result of an example: ``steps`` has a line for each step, ``explanation`` is that of
    the attempt by which the rule decides, if it can be explained, ``applied`` are the rules that were applied, and
    ``seen`` are the records that came."""

    steps: tuple[str, ...]
    explanation: Explanation | None
    applied: frozenset[str]
    seen: tuple[Seen, ...] = ()


def run(example: Example) -> ExampleRun:
    """Applies every step of the example to the specification."""
    heard: set[str] = set()
    try:
        configuring(example.history, example.kubernetes, heard)
    except InputError as refused:
        return ExampleRun((f"the configuration is refused: {refused}",), None, frozenset(heard))
    try:
        with listening(heard.add):
            judgement = _judgement(example)
    except InputError as refused:
        return ExampleRun((f"the specification refuses it: {refused}",), None, frozenset(heard))
    lines, _ = described_steps(judgement.history, judgement.seen, 0)
    steps = (*lines, *_refused(judgement), *_observed(judgement, example.broken))
    return ExampleRun(
        tuple(map(as_written, steps)),
        _explanation(example, judgement),
        frozenset(judgement.decisive) | heard,
        tuple(judgement.seen),
    )


def configuring(history: History, kubernetes: str, heard: set[str]) -> Cluster:
    """Yields an empty cluster with the history's configuration; ``heard`` is given the rules that are applied
    meanwhile. Raises InputError if the configuration is refused."""
    with listening(heard.add):
        return RecordedCluster(
            config=_config_of(history, kubernetes),
            kubernetes=kubernetes,
            feature_gates=dict(history.feature_gates),
        )


def _config_of(history: History, kubernetes: str) -> dict[str, Any]:
    """Returns the history's configuration, in an apiVersion that this release reads."""
    versions = release_of(kubernetes).api_versions
    is_read = kubernetes == DEFAULT.name or history.config["apiVersion"] in versions
    return history.config if is_read else {**history.config, "apiVersion": versions[0]}


def _judgement(example: Example) -> Judgement:
    with connect(f"{REFERENCE}:{example.kubernetes}") as adapter:
        return try_history(adapter, example.history)


def _refused(judgement: Judgement) -> Iterator[str]:
    """Returns the error of an object that the specification does not follow."""
    for finding in judgement.findings:
        if finding.rule == ANSWERS:
            yield f"the specification refuses it: {finding.got}"


def _observed(judgement: Judgement, broken: Broken | None) -> Iterator[str]:
    """Returns the queues or the nodes after that step, if what is decided can only be seen there."""
    kind = (Queues if broken.member.startswith("queues") else Nodes) if broken is not None else None
    if broken is None or kind is None or not broken.member.startswith(("queues", "nodes")):
        return
    after = [one.record for one in judgement.seen if one.step <= broken.step and isinstance(one.record, kind)]
    if after:
        yield f"then: {said(after[-1])}"


def _explanation(example: Example, judgement: Judgement) -> Explanation | None:
    """Returns the explanation of the last attempt that can be explained, of the pod that is decided otherwise if
    there is one."""
    attempts = [number for number, one in enumerate(judgement.seen) if isinstance(one.record, Attempt)]
    pod = example.broken.pod if example.broken is not None else ""
    about = [number for number in attempts if _pod(judgement.seen[number]) == pod] or attempts
    if not about:
        return None
    try:
        return _cluster(example, judgement.seen[: about[-1]]).explain(_pod(judgement.seen[about[-1]]))
    except InputError:
        return None


def _pod(seen: Seen) -> str:
    return seen.record.pod if isinstance(seen.record, Attempt) else ""


def _cluster(example: Example, seen: list[Seen]) -> Cluster:
    """Returns the cluster as it was after these records, with the pods on the nodes to which they had been bound
    by then."""
    cluster = configuring(example.history, example.kubernetes, set())
    for one in seen:
        match one.record:
            case Create(value):
                cluster.create(value)
            case Update(value):
                cluster.update(value)
            case Attempt(pod):
                cluster.schedule(pod)
            case Delete(named):
                cluster.delete(named.kind, named.name, named.namespace, api_version=named.api_version)
            case Advance(seconds):
                cluster.advance(seconds)
            case Permit(pod, decision, plugin):
                cluster.permit(pod, decision, plugin)
            case Release(pod):
                cluster.release(pod)
    return cluster
