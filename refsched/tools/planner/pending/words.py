# SPDX-License-Identifier: Apache-2.0
"""Words: how nodes, taints, requirements and lists of names are written in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attrs import frozen

from refsched.objects.dra import DeviceTaint
from refsched.objects.node import Node, Taint
from refsched.objects.pod import Pod, Toleration
from refsched.objects.selectors import Requirement, Selector

_DIGITS = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Returns a key by which n2 is sorted before n10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name))


def joined(names: Sequence[str], last: str = "and") -> str:
    """Returns ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def few(names: Iterable[str], most: int = 3) -> str:
    """Returns ``a, b and c``, or the first of many in natural order, and how many more there are."""
    in_order = sorted(dict.fromkeys(names), key=natural)
    if len(in_order) <= most:
        return joined(in_order)
    return f"{', '.join(in_order[:most])} and {len(in_order) - most:,} more"


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns the name that is most similar, or "" if none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, sorted(set(known)), n=1)), "")


def nearest_text(name: str, known: Iterable[str]) -> str:
    """Returns the words about the most similar name, which follow the name that is not known, or ""."""
    near = nearest(name, known)
    return f" (nearest: {near})" if near else ""


def sentence(text: str) -> str:
    """Returns the text with a capital letter, and a full stop at its end."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


# --- Nodes ----------------------------------------------------------------------------------------


@frozen
class Subject:
    """A Subject is what a sentence is about: ``nodes``, of ``total`` that there are, and ``which`` says what they
    have in common, such as ``that its nodeSelector names``."""

    nodes: Sequence[str]
    total: int
    which: str = ""

    def __str__(self) -> str:
        number = len(self.nodes)
        if number == self.total:
            if number == 1:
                return f"the only node, {self.nodes[0]},"
            return "both nodes" if number == 2 else f"all {number:,} nodes"
        if self.which:
            only = f"the only node {self.which}, {self.nodes[0]},"
            return only if number == 1 else f"the {number:,} nodes {self.which}"
        return f"node {self.nodes[0]}" if number == 1 else f"{number:,} nodes"

    @property
    def among(self) -> str:
        """Returns the words that follow ``on any of`` or ``on``."""
        if len(self.nodes) == 1:
            only = f"the only node {self.which}" if self.which else "the only node" if self.total == 1 else ""
            return f"on {self.nodes[0]}{f', {only},' if only else ''}"
        if len(self.nodes) == self.total:
            return "on any node"
        return f"on any of {self if self.which else f'{len(self.nodes):,} nodes'}"

    def do(self, one: str, many: str) -> str:
        """Returns the verb that goes with the number of nodes."""
        return one if len(self.nodes) == 1 else many


# --- Taints, labels, selectors --------------------------------------------------------------------


def taint_text(taint: Taint | Toleration | DeviceTaint) -> str:
    """Returns the taint as kubectl writes it, or likewise what is tolerated."""
    return f"{taint.key}{'=' if taint.value else ''}{taint.value}{':' if taint.effect else ''}{taint.effect}"


def untolerated_taints(pod: Pod, node: Node) -> tuple[Taint, ...]:
    return tuple(
        taint
        for taint in node.spec.taints
        if taint.effect != "PreferNoSchedule" and not any(t.tolerates(taint) for t in pod.spec.tolerations)
    )


def requirement_text(requirement: Requirement) -> str:
    """Returns the requirement as kubectl writes one in a selector."""
    key, values = requirement.key, requirement.values
    match requirement.operator:
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
        case "In" if len(values) == 1:
            return f"{key}={values[0]}"
        case "NotIn" if len(values) == 1:
            return f"{key}!={values[0]}"
        case "Gt" | "Lt":
            return f"{key}{'>' if requirement.operator == 'Gt' else '<'}{', '.join(values)}"
    return f"{key} {requirement.operator.lower()} ({', '.join(values)})"


def selector_text(selector: Selector) -> str:
    if selector.requirements is None:
        return "nothing"
    return ",".join(map(requirement_text, selector.requirements)) or "any label"
