# SPDX-License-Identifier: Apache-2.0
"""Short YAML: a value that fits on one line is written on one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

WIDTH = 96
"""A line has this many columns."""

_UNBOUNDED = 1_000_000


def short_yaml(value: Any) -> str:
    """Returns the value as YAML: mappings and lists that fit are written within braces and brackets. The members
    of the value itself have a line each."""
    return "\n".join(_block(value, 0)) + "\n"


def documents(values: Sequence[Any]) -> str:
    """Returns many values as the documents of one text."""
    return "---\n".join(short_yaml(value) for value in values)


def _block(value: Any, indent: int) -> Iterator[str]:
    margin = " " * indent
    if isinstance(value, Mapping) and value:
        for key, member in value.items():
            yield from _headed(f"{margin}{_flow(key)}:", member, indent + 2)
    elif isinstance(value, list) and value:
        for member in value:
            yield from _item(member, indent)
    else:
        yield margin + _flow(value)


def _headed(head: str, member: Any, indent: int) -> Iterator[str]:
    if isinstance(member, str) and "\n" in member:
        yield f"{head} |"
        yield from (f"{' ' * indent}{line}" if line else "" for line in member.splitlines())
        return
    line = f"{head} {_flow(member)}"
    if (len(line) <= WIDTH and not _has_lines(member)) or not (isinstance(member, Mapping | list) and member):
        yield line
        return
    yield head
    yield from _block(member, indent if isinstance(member, Mapping) else indent - 2)


def _item(member: Any, indent: int) -> Iterator[str]:
    margin = " " * indent
    line = f"{margin}- {_flow(member)}"
    if len(line) <= WIDTH or not (isinstance(member, Mapping | list) and member):
        yield line
        return
    first, *others = _block(member, indent + 2)
    yield f"{margin}- {first.lstrip()}"
    yield from others


def _has_lines(value: Any) -> bool:
    """Returns whether a member is a text of many lines, which has a block of its own."""
    return isinstance(value, Mapping) and any(
        isinstance(each, str) and "\n" in each for each in value.values()
    )


def _flow(value: Any) -> str:
    text = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=True, sort_keys=False, allow_unicode=True, width=_UNBOUNDED
    )
    return text.removesuffix("...\n").strip()


class _Dumper(yaml.SafeDumper):
    """A _Dumper writes no aliases, and writes a text of its own class as text."""

    def ignore_aliases(self, data: object) -> bool:
        return True


_Dumper.add_multi_representer(str, yaml.SafeDumper.represent_str)
