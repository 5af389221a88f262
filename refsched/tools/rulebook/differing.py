# SPDX-License-Identifier: Apache-2.0
"""Differing: what a scheduler that breaks a rule decides otherwise, in words."""

from __future__ import annotations

from collections.abc import Mapping

from refsched.tools.rulebook.examples import Broken

_WORDS: Mapping[str, str] = {
    "bind": "the binding",
    "bind.calls": "the plugins that are called while the pod is bound",
    "bind.message": "the message of the binding",
    "bind.result": "the result of the binding",
    "calls": "the plugins that are called",
    "evaluated": "how many nodes are evaluated",
    "feasible": "how many nodes are feasible",
    "filter": "what Filter says of {}",
    "message": "the message",
    "node": "the node that is chosen",
    "nodes": "what counts on {}",
    "nominatedNode": "the node to which the pod is nominated",
    "pod": "the pod that is scheduled next",
    "preFilter": "what PreFilter says",
    "queues": "the queues",
    "queues.active": "the pods in activeQ",
    "queues.backoff": "the pods in backoffQ",
    "queues.unschedulable": "the unschedulable pods",
    "result": "the result of the attempt",
    "scores": "the score of {}",
    "unschedulablePlugins": "the plugins that rejected the pod",
    "victims": "the victims",
    "write": "what is written to {}",
}
"""Members of a record in words; a longer name stands before a shorter one with which it begins, and the next part
of a member is the name of what it is about."""


def heading(broken: Broken) -> str:
    """Returns what differs, and when, such as ``In step 3, for web: what Filter says of node-a``."""
    pod = broken.pod.removeprefix("default/")
    return f"In step {broken.step + 1}{f', for {pod}' if pod else ''}: {about(broken.member)}"


def about(member: str) -> str:
    """Returns a member of a record in words, such as ``the score of node-a (ImageLocality)``."""
    known = member if member in _WORDS else member.partition(".")[0]
    if known not in _WORDS:
        return member
    words, rest = _WORDS[known], member.removeprefix(known).removeprefix(".")
    if "{}" in words:
        of, _, rest = rest.partition(".")
        words = words.format(of)
    return f"{words} ({rest})" if rest else words
