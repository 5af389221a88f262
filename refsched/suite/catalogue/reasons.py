# SPDX-License-Identifier: Apache-2.0
"""Reasons: by which rule a node or a pod is rejected, or a call fails, found by the words of a status.

Each module of the specification declares its reasons with their rules (refsched/rules.py, Reason).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from refsched.reading.shipped_files import PACKAGE
from refsched.rules import ErrorReason, Reason

AROUND = (
    "checking",
    "mistakes",
    "processes",
    "reading",
    "reference",
    "remembering",
    "shipped",
    "suite",
    "tools",
    "__main__",
)
"""The modules, packages and folders of refsched that are not the specification."""

_BLANK = re.compile(r"\{[^{}]*\}")


def rule_of_reason(text: str) -> str:
    """Returns the id of the rule by which a node or a pod is rejected with this text; empty where no module
    declares such a reason. Errors are none: their words stand round those of others."""
    if isinstance(text, ErrorReason):
        return ""
    if isinstance(text, Reason):
        return text.rule
    exact = _exact().get(text)
    if exact is not None:
        return exact
    return next((rule for pattern, rule in _templates() if pattern.fullmatch(text)), "")


@cache
def declared_reasons() -> tuple[Reason, ...]:
    """Returns every reason that a module of the specification declares, in the order of modules."""
    return tuple(reason for name in specification_modules() for reason in _reasons_in(name))


@cache
def specification_modules() -> tuple[str, ...]:
    """Returns the dotted names of the modules of the specification, in their order."""
    found = (info.name for info in walk_packages([str(PACKAGE)], "refsched."))
    return tuple(sorted(name for name in found if name.split(".")[1] not in AROUND))


def _reasons_in(module: str) -> Iterator[Reason]:
    for value in tuple(vars(import_module(module)).values()):
        yield from _reasons_of(value)


def _reasons_of(value: object) -> Iterator[Reason]:
    if isinstance(value, Reason):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _reasons_of(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _reasons_of(item)


@cache
def _rejections() -> tuple[Reason, ...]:
    return tuple(reason for reason in declared_reasons() if not isinstance(reason, ErrorReason))


@cache
def _exact() -> Mapping[str, str]:
    return {str(reason): reason.rule for reason in reversed(_rejections())}


@cache
def _templates() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Returns the reasons with blanks as patterns, those with the most words of their own first."""
    with_blanks = [reason for reason in _rejections() if _BLANK.search(reason)]
    with_blanks.sort(key=lambda reason: -len(_BLANK.sub("", reason)))
    return tuple((_pattern(reason), reason.rule) for reason in with_blanks)


def _pattern(reason: str) -> re.Pattern[str]:
    words = (re.escape(part.replace("{{", "{").replace("}}", "}")) for part in _BLANK.split(reason))
    return re.compile("(?s:.*)".join(words))
