# SPDX-License-Identifier: Apache-2.0
"""Pending page: why a pod is pending, beginning at the message of its event; every message leads to its rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from refsched.releases import DEFAULT, RELEASES
from refsched.rules import ErrorReason, Reason
from refsched.suite.catalogue.reasons import declared_reasons
from refsched.suite.catalogue.rules import all_rules, plugin_of
from refsched.tools.rulebook.example_runs import run
from refsched.tools.rulebook.examples import example_of
from refsched.tools.site.markdown import anchor, block, page, prose, rule_link, table

_HOW = """\
`kubectl describe pod` shows an event such as

```text
0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s). preemption: 0/5 nodes are …
```

It counts nodes by reason. The first number is that of feasible nodes, which is 0, or the pod would not be
pending. Each node was rejected by one plugin, the first that rejected it, and counts with each of the reasons
which that plugin gave; `Insufficient cpu` and `Insufficient memory` may be one node. What follows
`preemption:` says why no pods were evicted for this one. Look for your reason in the tables: it leads to the
rule, and the rule to a cluster in which you can see it.

`refsched explain -f dump.yaml NAMESPACE/POD` says the same for each node by its name, with the numbers behind
it; the dump is what `kubectl get nodes,pods,… -A -o yaml` prints."""

_SILENT = """\
A pod may be pending without any such event: because it has scheduling gates, because its `schedulerName` is
that of another scheduler, or because the scheduler has not come to it yet: it waits for its turn, for the end
of its backoff, or for an event that might make it schedulable. [The queue](../queue.md) says what it waits
for."""

_FAILED = f"""\
An error is no rejection: something went wrong while the pod was scheduled or bound. The reason of the pod's
condition is `SchedulerError`, and in v{DEFAULT.name} the pod is tried again after a backoff, without waiting for
an event ([R-QUEUE-11](rules/QUEUE.md#r-queue-11)). A message may stand inside another one, which says at which
point and in which plugin it came up."""

_BLANK = "In a message, `…` stands for a name or an amount."


def pending_page() -> str:
    return page(
        "# Why is my pod pending?",
        _HOW,
        _BLANK,
        f"## Reasons of Kubernetes {DEFAULT.name}",
        *_by_plugin(DEFAULT.name),
        *(section for name in RELEASES if name != DEFAULT.name for section in _only_in(name)),
        "## Errors",
        _FAILED,
        _with_rules(_errors()),
        "## Pending without a message",
        _SILENT,
        "## Messages with their examples",
        *_examples(),
    )


def _only_in(release: str) -> Iterator[str]:
    """Yields the reasons that this release gives, and neither the default one nor one after it."""
    tables = list(_by_plugin(release))
    if tables:
        yield f"## Reasons that {release} gives and {DEFAULT.name} does not"
        yield from tables


def _reasons(release: str) -> Iterator[Reason]:
    """Returns the reasons of a release; of another one than the default only those that the default one does not
    give, and that no later one gives."""
    for reason in _each_once(declared_reasons()):
        if isinstance(reason, ErrorReason):
            continue
        releases = all_rules()[reason.rule].releases
        if release in releases and (
            release == DEFAULT.name or (DEFAULT.name not in releases and release == releases[-1])
        ):
            yield reason


def _errors() -> Iterable[Reason]:
    return _each_once(reason for reason in declared_reasons() if isinstance(reason, ErrorReason))


def _each_once(reasons: Iterable[Reason]) -> Iterable[Reason]:
    return {(str(reason), reason.rule): reason for reason in reasons}.values()


def _by_plugin(release: str) -> Iterable[str]:
    found: dict[str, list[Reason]] = {}
    for reason in _reasons(release):
        found.setdefault(plugin_of(reason.rule) or "The scheduler itself", []).append(reason)
    for plugin, reasons in sorted(found.items()):
        yield f"### {plugin}"
        if release == DEFAULT.name and " " not in plugin:
            yield f"[What {plugin} does](plugins/{plugin}.md)"
        yield _with_rules(reasons)


def _with_rules(reasons: Iterable[Reason]) -> str:
    return table(
        ("message", "rule", "what it means"),
        (
            (f"`{shown(reason)}`", rule_link(reason.rule, ""), prose(all_rules()[reason.rule].sentence))
            for reason in reasons
        ),
    )


def shown(reason: str) -> str:
    return reason.replace("{{", "{").replace("}}", "}").replace("{}", "…")


def _examples() -> Iterator[str]:
    """Returns the message of its example for each rule that gives a reason."""
    for rule in dict.fromkeys(reason.rule for reason in _reasons(DEFAULT.name)):
        example = example_of(rule)
        explanation = run(example).explanation if example is not None else None
        if explanation is not None and explanation.message:
            yield f"({anchor(rule)}-message)=\n### {rule_link(rule, '')}"
            yield block(explanation.message)
