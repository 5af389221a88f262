# SPDX-License-Identifier: Apache-2.0
"""``refsched what-if``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import define, evolve, frozen

from refsched.errors import InputError, counted
from refsched.machine.scheduler import Scheduler
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.reading.manifests import check_can_be_read_again, read_manifests
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.cli.given_pods import pods_in
from refsched.tools.cli.inputs import InputOptions, note_absent, read, release_given
from refsched.tools.cli.progress import progress
from refsched.tools.cli.what_if_html import html
from refsched.tools.planner.edits import (
    Objects,
    copies_of,
    cordon,
    delete_node,
    drain,
    nodes_like,
    scale,
    without_controller,
)
from refsched.tools.planner.own_claims import followed
from refsched.tools.planner.trials import Prepared, changed, prepare
from refsched.tools.planner.upgrade import UpgradeComparison, compare
from refsched.tools.planner.what_if import ALWAYS, NEVER, SOMETIMES, PodCompared, WhatIf, what_if
from refsched.tools.printing import TABLE, Page, note, show_value, some

HTML = "html"
LIKE = "like:"
MOST_PODS = 20
"""This many pods are listed, unless all are asked for."""


@frozen
class Edits:
    """Edits are what the command's options change in the cluster, as they were written."""

    cordon: Sequence[str] = ()
    drain: Sequence[str] = ()
    delete_node: Sequence[str] = ()
    add_node: Sequence[str] = ()
    add_pod: Sequence[str] = ()
    scale: Sequence[str] = ()

    def on(self, objects: Objects, given: InputOptions) -> Objects:
        """Returns the objects after the change, and after what controllers do because of it. Raises InputError,
        which names the option."""
        before = objects
        edits: tuple[tuple[str, Sequence[str], Callable[[Objects, str], Objects]], ...] = (
            ("--add-node", self.add_node, partial(_with_nodes, given=given)),
            ("--cordon", self.cordon, cordon),
            ("--drain", self.drain, drain),
            ("--delete-node", self.delete_node, delete_node),
            ("--scale", self.scale, _scaled),
            ("--add-pod", self.add_pod, partial(_with_pods, given=given)),
        )
        for option, values, edit in edits:
            for value in values:
                try:
                    objects = edit(objects, value)
                except InputError as error:
                    raise error.at(option) from None
        naked = without_controller(before, objects)
        if naked:
            has, them = ("has", "it") if len(naked) == 1 else ("have", "them")
            note(
                f"{some(naked)} {has} no controller, so that nothing creates {them} anew, and kubectl drain evicts"
                f" {them} only with --force: what follows is as if something created {them} anew"
            )
        return followed(before, objects)

    @property
    def words(self) -> str:
        named = (
            ("cordon", self.cordon),
            ("drain", self.drain),
            ("delete-node", self.delete_node),
            ("add-node", self.add_node),
            ("add-pod", self.add_pod),
            ("scale", self.scale),
        )
        return " ".join(f"--{option} {value}" for option, values in named for value in values)


def run(
    before: InputOptions, after: InputOptions, edits: Edits, seeds: int, output: str, *, pods: bool
) -> int:
    """Runs the command and returns its exit code: 1 if a pod goes elsewhere under every seed. ``before`` and
    ``after`` are of the same files."""
    check_can_be_read_again(before.files)
    is_other_scheduler = (
        evolve(after, release_option=before.release_option, gates_option=before.gates_option) != before
    )
    if not is_other_scheduler and not edits.words:
        raise InputError("nothing is changed; give one of the options that change something", where="what-if")
    causes = _causes(before, after) if is_other_scheduler else None
    clusters = _Clusters(before, after if is_other_scheduler else None, edits)
    with progress("comparing", "trials") as show:
        found = what_if(clusters.before, clusters.after, seeds, show)
    releases = (before.kubernetes, after.kubernetes)
    value = as_value(found, causes, releases, _title(before, after, edits))
    if output == HTML:
        print(html(value))
    elif output == TABLE:
        page = Page()
        _write(page, found, value["changed"], pods=pods)
        if causes is not None:
            from refsched.tools.cli.upgrade import write_causes  # others do without the rules

            page.line()
            write_causes(page, causes, releases, pods=pods)
        page.show()
    else:
        show_value(value, output)
    return DISAGREED if found.certain else AGREED


def _title(before: InputOptions, after: InputOptions, edits: Edits) -> str:
    words = [edits.words]
    if before.kubernetes != after.kubernetes:
        words.append(f"--kubernetes {after.kubernetes}")
    if before.config != after.config:
        words.append(f"--config {after.config}")
    if before.feature_gates != after.feature_gates:
        words.append(f"--gate {after.feature_gates.removeprefix(before.feature_gates).lstrip(',')}")
    return " ".join(filter(None, words))


@define
class _Clusters:
    """The _Clusters are read when ``before`` is prepared, so that what is wrong is said before anything is tried.
    ``other`` is given if another scheduler decides afterwards."""

    given: InputOptions
    other: InputOptions | None
    edits: Edits
    edited: Objects = ()
    scheduler: Scheduler | None = None

    def before(self) -> Prepared:
        scheduler, manifests = read(self.given)
        objects = manifests.objects
        if self.other is not None:
            self.scheduler, manifests = read(self.other)
        self.edited = self.edits.on(manifests.objects, self.other or self.given)
        pending = (pod.key for pod in self.edited if isinstance(pod, Pod) and not pod.spec.node_name)
        note_absent(manifests, pending)
        return prepare(scheduler, objects)

    def after(self, before: Prepared) -> Prepared:
        if self.scheduler is None:
            return changed(before, self.edited)
        return prepare(self.scheduler, self.edited)


def _causes(before: InputOptions, after: InputOptions) -> UpgradeComparison:
    (one, manifests), (other, read_again) = read(before), read(after)
    with progress("comparing", "pods") as show:
        return compare((one, manifests.objects), (other, read_again.objects), show)


# --- Options --------------------------------------------------------------------------------------


def _counted_value(value: str) -> tuple[str, int]:
    """Returns what is before ``:COUNT``, and the count, or 1. Raises InputError if it is none."""
    named, _, count = value.rpartition(":")
    if not named or named == LIKE.rstrip(":") or (Path(value).exists() and not count.isdecimal()):
        return value, 1
    if not count.isdecimal() or not int(count):
        raise InputError(f"expected a COUNT from 1 after the colon, found {count!r:.60}", where=value)
    return named, int(count)


def _with_nodes(objects: Objects, value: str, given: InputOptions) -> Objects:
    named, count = _counted_value(value)
    if named.startswith(LIKE):
        return nodes_like(objects, named.removeprefix(LIKE), count)
    found = read_manifests((named,), release=release_given(given)).objects
    nodes = [shown for shown in found if isinstance(shown, Node)]
    if not nodes:
        raise InputError("there is no Node in it", where=named)
    return _with_copies(objects, nodes, count)


def _with_pods(objects: Objects, value: str, given: InputOptions) -> Objects:
    named, count = _counted_value(value)
    return _with_copies(objects, pods_in(named, release_given(given)), count)


def _with_copies(objects: Objects, models: Sequence[Node] | Sequence[Pod], count: int) -> Objects:
    for model in models:
        objects = (*objects, *copies_of(model, objects, count))
    return objects


def _scaled(objects: Objects, value: str) -> Objects:
    kind, slash, rest = value.partition("/")
    name, equals, count = rest.partition("=")
    if not slash or not equals or not count.isdecimal():
        raise InputError(f"expected KIND/NAME=COUNT, found {value!r:.60}")
    return scale(objects, kind, name, int(count))


# --- Output ---------------------------------------------------------------------------------------


def as_value(
    found: WhatIf, causes: UpgradeComparison | None, releases: tuple[str, str], title: str
) -> dict[str, Any]:
    """Returns what docs/schemas/what_if.json describes."""
    before, after = found.counts()
    value: dict[str, Any] = {
        "changed": title,
        "seeds": found.seeds,
        "placed": {"before": before, "after": after},
        "certain": [_pod_value(pod) for pod in found.certain],
        "byLuck": [_pod_value(pod) for pod in found.by_luck],
        "victims": [{"pod": pod, "lostInPercent": lost} for pod, lost in found.victims.items()],
        "usedInPercent": {"before": dict(found.used[0]), "after": dict(found.used[1])},
    }
    if causes is not None:
        from refsched.tools.rulebook.causes import as_value as causes_as_value  # it reads all rules

        value["upgrade"] = causes_as_value(causes, releases)
    return value


def _pod_value(pod: PodCompared) -> dict[str, Any]:
    return {"pod": pod.pod, "before": list(pod.before), "after": list(pod.after), "why": pod.why}


def _write(page: Page, found: WhatIf, title: str, *, pods: bool) -> None:
    before, after = found.counts()
    page.line(f"what if {title}: {counted(found.seeds, 'seed')}", "bold")
    page.line(_headline(found))
    rows = [
        (f"placed {often}", str(before[often]), str(after[often])) for often in (ALWAYS, SOMETIMES, NEVER)
    ]
    page.table(("PODS", "BEFORE", "AFTER"), rows, right=("BEFORE", "AFTER"))
    for name, listed in (("under every seed", found.certain), ("under some seeds only", found.by_luck)):
        if listed:
            page.line()
            page.line(f"{counted(len(listed), 'pod')} changed {name}", "bold")
            shown = listed if pods else listed[:MOST_PODS]
            pod_rows = [(pod.pod, _nodes(pod.before), _nodes(pod.after), pod.why) for pod in shown]
            page.table(("POD", "BEFORE", "AFTER", "WHY"), pod_rows, indent=2)
            if len(shown) < len(listed):
                page.line(f"and {len(listed) - len(shown):,} more (--pods lists all)", indent=2)
    lost = {pod: share for pod, share in found.victims.items() if share}
    if found.victims:
        page.line()
        page.line(f"{counted(len(found.victims), 'victim')}: {len(lost):,} may find no place again", "bold")
        page.table(
            ("VICTIM", "SEEDS WITHOUT A PLACE"),
            [(pod, f"{share} %") for pod, share in lost.items()],
            indent=2,
        )


def _headline(found: WhatIf) -> str:
    """Returns how many pods that are new find a place, and whether others lose or gain one."""
    parts = [
        f"{some(pods)} {'finds' if len(pods) == 1 else 'find'} a place {often} often than before"
        for pods, often in ((found.placed_less_often(), "less"), (found.placed_more_often(), "more"))
        if pods
    ]
    new = _new_pods(found)
    each = "Each other pod" if new else "Each pod"
    return f"{new}{'; '.join(parts) or f'{each} finds a place as often as before'}."


def _new_pods(found: WhatIf) -> str:
    """Returns the sentence about the pods that are new; "" if there are none."""
    new, placed = len(found.new), found.new_placed()
    if not new:
        return ""
    fewest, most = min(placed), max(placed)
    if not most:
        return "The new pod finds no place. " if new == 1 else f"None of the {new:,} new pods finds a place. "
    if fewest == new:
        who = "The new pod finds" if new == 1 else f"The {new:,} new pods find"
        return f"{who} a place under every seed. "
    if new == 1:
        return "The new pod finds a place under some seeds only. "
    if fewest == most:
        return (
            f"{most:,} of the {new:,} new pods {'finds' if most == 1 else 'find'} a place under every seed. "
        )
    return f"Depending on the seed, from {fewest:,} to {most:,} of the {new:,} new pods find a place. "


def _nodes(nodes: Sequence[str | None]) -> str:
    """Returns the nodes over all seeds, the most frequent first."""
    by_count = sorted(dict.fromkeys(nodes), key=lambda node: -nodes.count(node))
    words = {None: "not there", "": "nowhere"}
    return some([words.get(node) or str(node) for node in by_count], most=3)
