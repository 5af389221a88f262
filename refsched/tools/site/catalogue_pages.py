# SPDX-License-Identifier: Apache-2.0
"""Pages: what the documentation says of rules, queues and events, made from the tables that the code goes by.

``python -m conformance.documentation`` writes them; a test compares those of ``docs/`` with what is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby

from refsched.framework.interface import EnqueueExtensions, Plugin, extends
from refsched.oddities.known_defect import KnownDefect, Oddity
from refsched.oddities.known_defects import KNOWN_DEFECTS
from refsched.queue import transitions
from refsched.queue.hint_table import action_name, event_rule
from refsched.queue.transitions import Occurrence, Place, Transitions
from refsched.reading.shipped_files import examples_folder
from refsched.releases import RELEASES
from refsched.releases.v1_19.queue import transitions as v1_19
from refsched.suite.catalogue.rules import StatedRule, all_rules, default_plugins, in_words
from refsched.suite.catalogue.untestable_rules import NOT_SPECIFIED, why_elsewhere
from refsched.tools.site.markdown import page, rule_link, state_diagram, table

COMMAND = "python -m conformance.documentation"
_MADE = f"<!-- Made by `{COMMAND}`; not to be edited by hand. -->"
_QUEUE = """\
A pod that is to be placed waits in the active queue, and is in flight from when it is popped until its attempt is
over. If the attempt fails, the pod waits among the unschedulable pods until an event comes that may help it, or
until five minutes are over, and is active again once its backoff is over, too: that is 1 second after the first
failure, twice as long after each further one, and 10 seconds at most. A pod that a PreEnqueue plugin rejects, such
as one with a scheduling gate, is gated: it is not attempted until the plugin lets it in."""
_LEFT_OUT = """\
What may happen in every place is not drawn: a pod that is deleted leaves the queue, one that a plugin activates
goes to the active queue, and one that would go to a queue while PreEnqueue rejects it is gated."""
_TABLE = """\
The table has every step: where a pod is, what happens, and where it goes then. The queue of the specification
looks up this table (`refsched/queue/transitions.py`); a comment above it in that file says what the table does not
cover. A scheduler whose queues are observed shows gated pods among the unschedulable ones, and not whether a pod
backs off after a rejection or after an error. The functions are those of
`pkg/scheduler/backend/queue/scheduling_queue.go`."""
_QUEUE_OF_V1_19 = """\
The queue of v1.19 consists of activeQ, podBackoffQ and unschedulableQ. No plugin is asked for a hint: an event is
a *move request* for all pods in unschedulableQ, or for those with a matching affinity. A pod whose attempt fails
goes to podBackoffQ if there was a move request since the last Pop. The functions are those of
`pkg/scheduler/internal/queue/scheduling_queue.go` (v1.19.16)."""
_WHICH_EVENT = """\
A rejected pod waits until an event happens for which one of the plugins that rejected it has registered. If the
plugin has a hint for the event, the hint is *asked*: it looks at the object and at the pod, and says whether the
pod is requeued. If the plugin has none, the event *always* requeues the pod. A pod that was rejected by a plugin
without a table of its own is requeued by any event."""
_RULES = """\
{all} rules. {promised} are *promised*: the documented API or a KEP says so, and any scheduler that calls itself
compatible must keep them. {observed} are *observed*: what this version happens to do. A rule stands in the
docstring of the code that implements it, or in a row of its table. It holds in the release in whose folder it
stands and in those before, until one lacks it or has another rule instead. Where a promised rule leaves an order
open, an observed one says which order the release takes; with `--level promised` any order is allowed."""

_DEFECTS = """\
Here a release does not do what the rule says, and a later version was mended or is yet to be. The specification
does as the release does (`refsched/oddities`). A scheduler passes with a defect or without it, whichever other
defects it has, and fails if it does neither what the release does nor what the rule says. The defects of
R-PODAFF must show in all decisions of a scheduler, or in none. `refsched explain` reports a defect that it met on
a node."""


Tests = Mapping[str, Sequence[str]]
"""These are the names of the tests of the suite that name a rule, by rule."""


# --- The queue ------------------------------------------------------------------------------------


def queue_page() -> str:
    return page(
        "# The scheduling queue",
        _MADE,
        _QUEUE,
        _drawing(transitions.TRANSITIONS),
        _LEFT_OUT,
        "## Transitions",
        _TABLE,
        _rows(transitions.TRANSITIONS),
        "## Which event requeues which pod",
        _WHICH_EVENT,
        *_events(),
        "## The queue of v1.19",
        _QUEUE_OF_V1_19,
        _drawing(v1_19.TRANSITIONS),
        _rows(v1_19.TRANSITIONS),
    )


def _rows(rows: Transitions) -> str:
    return table(
        ("rule", "from and to", "what happens", "the rule, and the function"),
        (
            (
                rule_link(row.rule, "generated/"),
                f"{row.place.value} → {row.goes_to.value}",
                row.occurrence.value,
                f"{row.why} (`{row.source}`)",
            )
            for row in rows
        ),
    )


_NOT_DRAWN = (Occurrence.DELETED, Occurrence.ACTIVATED, Occurrence.ERROR_NO_BACKOFF)
_IN_SHORT: Mapping[Enum, str] = {
    Occurrence.NO_HINT: "rejected",
    Occurrence.HINT_IN_BACKOFF: "event, in backoff",
    Occurrence.HINT: "event",
    Occurrence.PENDING_HINT: "event",
}


def _drawing(rows: Transitions) -> str:
    """Returns the steps from one place to another as a drawing."""
    arrows: dict[tuple[Place, Place], dict[str, None]] = {}
    for row in rows:
        is_drawn = row.occurrence not in _NOT_DRAWN and row.place is not row.goes_to
        if is_drawn and (row.occurrence is not Occurrence.NOT_ENQUEUED or row.place is Place.NOWHERE):
            said = _IN_SHORT.get(row.occurrence, str(row.occurrence.value))
            if row.place is Place.IN_FLIGHT:
                said = said.replace("event", "rejected, event meanwhile").replace(", in backoff", "")
            arrows.setdefault((row.place, row.goes_to), {})[said] = None
    return state_diagram(
        "The places of the queue, and how a pod gets from one to another",
        dict.fromkeys(_state(place) for places in arrows for place in places),
        [(_state(at), _state(to), " / ".join(happens)) for (at, to), happens in arrows.items()],
    )


def _state(place: Place) -> str:
    return "[*]" if place is Place.NOWHERE else place.value


def _events() -> Iterator[str]:
    for plugin in sorted(default_plugins(), key=lambda plugin: plugin.name):
        if extends(plugin, EnqueueExtensions):
            yield f"### {plugin.name}"
            yield events_table(plugin, "generated/")


def events_table(plugin: Plugin, up: str) -> str:
    """Returns which events requeue a pod that the plugin rejected; ``up`` is as for ``rule_link``."""
    if not extends(plugin, EnqueueExtensions):
        return "The plugin registers for no event, so that any event may requeue the pod."
    if not plugin.EVENTS:
        return "No event requeues a pod that it rejected."
    return table(
        ("event", "requeues", "because"),
        (
            (
                rule_link(
                    event_rule(plugin.name, row.resource, row.action),
                    up,
                    f"{row.resource.rpartition('/')[2]}/{action_name(row.action).replace('+', ', ')}",
                ),
                "always" if row.hint is None else "if its hint says so",
                row.why,
            )
            for row in plugin.EVENTS
        ),
    )


# --- Rules ----------------------------------------------------------------------------------------


def rules_page(tests: Tests) -> str:
    rules = all_rules().values()
    promised = sum(rule.level == "promised" for rule in rules)
    return page(
        "# Rules",
        _MADE,
        _RULES.format(all=len(rules), promised=promised, observed=len(rules) - promised),
        *_areas(rules, tests),
        "## Known defects",
        _DEFECTS,
        table(
            ("known defect", "rule", "report", "in", "what the release does", "by the rule"),
            (
                (one.id, one.rule, one.report, in_words(_having(one)), one.does, one.should)
                for one in KNOWN_DEFECTS
            ),
        ),
        "## Where a release panics",
        table(
            ("known defect", "rule", "in", "what the release does", "by the rule"),
            ((one.id, one.rule, in_words(_having(one)), one.does, one.should) for one in _panics()),
        ),
        "## What is not specified",
        table(("what", "why"), NOT_SPECIFIED),
    )


def _having(oddity: Oddity) -> Iterator[str]:
    """Yields the names of the releases that have the oddity."""
    yield from (name for name, release in RELEASES.items() if oddity in release.oddities)


def _panics() -> Iterable[KnownDefect]:
    """Returns the defects because of which a release panics, those of the oldest release first."""
    oddities = (
        one for release in RELEASES.values() for one in sorted(release.oddities, key=lambda one: one.rule)
    )
    return dict.fromkeys(one for one in oddities if isinstance(one, KnownDefect) and one.panics)


def _areas(rules: Iterable[StatedRule], tests: Tests) -> Iterator[str]:
    for area, of_area in groupby(sorted(rules, key=_by_area), lambda rule: rule.area):
        here = list(of_area)
        yield f"## {area}"
        yield _levels(here)
        yield table(
            ("rule", "it says", "holds in", "where", "source", "tests"),
            (
                (
                    rule.id,
                    _with_example(rule),
                    rule.held_in,
                    f"`{rule.module}`",
                    _source(rule),
                    _tested(rule.id, tests.get(rule.id, ())),
                )
                for rule in here
            ),
        )


def _by_area(rule: StatedRule) -> tuple[str, str]:
    return rule.area, rule.id


def _levels(rules: list[StatedRule]) -> str:
    """Returns each level of the area with its reason, and with the rules that have it if there is more than one
    level."""
    of_reason: dict[tuple[str, str], list[str]] = {}
    for rule in rules:
        of_reason.setdefault((rule.level, rule.why_level), []).append(rule.id)
    if len(of_reason) == 1:
        ((level, why),) = of_reason
        return f"All are {level}: {why}."
    most = max(of_reason, key=lambda reason: len(of_reason[reason]))
    return "\n".join(
        f"- {level} ({'the others' if (level, why) == most else ', '.join(ids)}): {why}."
        for (level, why), ids in of_reason.items()
    )


def _with_example(rule: StatedRule) -> str:
    """Returns the sentence, to which a link can lead, and a link to the example."""
    said = f'<a id="{rule.id.lower().replace("+", "-")}"></a>{rule.sentence}'
    file = examples_folder() / f"{rule.id}.yaml"
    return f"{said} ([example](examples/rules/{file.name}))" if file.exists() else said


def _source(rule: StatedRule) -> str:
    return rule.cited or "no specification is needed"


def _tested(rule: str, tests: Sequence[str]) -> str:
    return ", ".join(f"`{test}`" for test in tests) if tests else f"elsewhere: {why_elsewhere(rule)}"
