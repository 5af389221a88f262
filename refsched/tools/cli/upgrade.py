# SPDX-License-Identifier: Apache-2.0
"""``refsched upgrade``."""

from __future__ import annotations

from collections.abc import Sequence

from refsched.errors import counted
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.reading.manifests import Manifests, check_can_be_read_again
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.cli.inputs import InputOptions, note_absent, read
from refsched.tools.cli.progress import progress
from refsched.tools.planner.upgrade import Cause, PlacementChange, UpgradeComparison, compare
from refsched.tools.printing import TABLE, Page, show_value, some
from refsched.tools.rulebook.causes import as_value, effects, explained


def upgrade(before: InputOptions, after: InputOptions, output: str, *, pods: bool = False) -> int:
    check_can_be_read_again(before.files)
    one, manifests = _cluster(before)
    other, _ = _cluster(after)
    with progress("comparing", "pods") as show:
        found = compare(one, other, show)
    note_absent(manifests, (change.pod for change in found.changes))
    releases = (one[0].kubernetes.name, other[0].kubernetes.name)
    if output == TABLE:
        page = Page()
        write_causes(page, found, releases, pods=pods)
        page.show()
    else:
        show_value(as_value(found, releases), output)
    return DISAGREED if found.changes else AGREED


def _cluster(given: InputOptions) -> tuple[tuple[Scheduler, Sequence[ApiObject]], Manifests]:
    scheduler, manifests = read(given)
    return (scheduler, manifests.objects), manifests


def write_causes(page: Page, found: UpgradeComparison, releases: tuple[str, str], *, pods: bool) -> None:
    """Writes each cause, and with ``pods`` each pod."""
    same = releases[0] == releases[1]
    by = "after the change" if same else f"by {releases[1]}"
    page.line(f"{counted(found.pods, 'pod')}: {len(found.changes):,} placed differently {by}", "bold")
    for cause in found.causes:
        page.line()
        _write_cause(page, cause, releases)
        if pods:
            rows = [(change.pod, _nodes(change.before.nodes), _outcome(change)) for change in cause.changes]
            columns = ("BEFORE", "AFTER") if same else (f"BY {releases[0]}", f"BY {releases[1]}")
            page.table(("POD", *columns), rows, indent=2)
    if found.search_only:
        page.line()
        page.line(
            f"{counted(len(found.search_only), 'pod')} besides only because the search for nodes ends at other"
            " nodes: with percentageOfNodesToScore 100 no difference is left"
        )


def _write_cause(page: Page, cause: Cause, releases: tuple[str, str]) -> None:
    words = explained(cause, releases)
    page.line(f"{words.cause}: {effects(cause)}", "bold")
    for release, rules in zip(releases, words.rules, strict=True):
        for rule in rules:
            page.line(f"by {release}, {rule.id}: {rule.sentence}", indent=2)
    if words.change:
        page.line(f"changed by: {words.change}", indent=2)
    page.line(f"what to do: {words.advice}", indent=2)
    first = cause.changes[0]
    page.line(f"such as {first.pod}: {_nodes(first.before.nodes)} → {_outcome(first)}", indent=2)


def _nodes(nodes: Sequence[str]) -> str:
    return some(nodes, most=3) if nodes else "nowhere"


def _outcome(change: PlacementChange) -> str:
    """Returns the nodes, or why there are none."""
    if change.after.nodes:
        return _nodes(change.after.nodes)
    said = {change.after.rejections[n] for n in change.before.nodes if n in change.after.rejections}
    return f"nowhere ({some(sorted(said), most=2) or change.after.message})"
