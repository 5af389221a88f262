# SPDX-License-Identifier: Apache-2.0
"""Asked: the calls of extenders in a trace, by their kind, and the answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from refsched.checking.trace import Exchange, read_trace
from refsched.config.types import Extender
from refsched.tools.configuration.read import read_config


def asked_of_extenders(path: Path) -> Iterator[str]:
    """Yields the name of each call, as often as it was made."""
    trace = read_trace(path)
    if not trace.header.extender_calls:
        return
    header = trace.header
    extenders = {each.url_prefix: each for each in read_config(header.config, header.release).extenders}
    for entry in trace.entries:
        for call in entry.asked:
            extender = extenders[call.extender]
            verb = _verbs(extender)[call.verb]
            yield f"{verb}: {_came_back(call)}"
            yield from (f"{verb}, {kind}" for kind in _kinds(extender, verb))
            if extender.ignorable and (call.failed or call.status != 200):
                yield f"{verb}, in vain, by one that may be ignored"


def _verbs(extender: Extender) -> dict[str, str]:
    """Returns what each verb of the configuration is for."""
    return {
        extender.filter_verb: "filter",
        extender.prioritize_verb: "prioritize",
        extender.preempt_verb: "preempt",
        extender.bind_verb: "bind",
    }


def _came_back(call: Exchange) -> str:
    if call.failed:
        return "no answer"
    if call.status != 200:
        return "another status than 200"
    says_why = isinstance(call.answer, dict) and call.answer.get("Error")
    return "an error" if says_why else "an answer"


def _kinds(extender: Extender, verb: str) -> Iterator[str]:
    if verb != "bind":
        yield "sent names" if extender.node_cache_capable else "sent whole objects"
    if extender.managed_resources:
        yield "of one that manages a resource"
    if verb == "prioritize" and extender.weight > 1:
        yield "of more weight than 1"
