# SPDX-License-Identifier: Apache-2.0
"""Block YAML: what is read line by line is read as the whole parser reads it."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import attrs
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.clusters import as_kubectl, cluster, yaml_lines
from refsched.objects.kinds import KINDS
from refsched.objects.reading import json_name
from refsched.reading.alpha_fields import _FIELDS
from refsched.reading.block_yaml import UNREAD, NotPlainError, read_block
from refsched.reading.yaml_text import yaml_documents

SCALARS = (
    "a",
    "'it''s'",
    '"b"',
    '"\\u00e4\\n"',
    "1",
    "0x1F",
    "yes",
    "~",
    "-x",
    "?x",
    ":x",
    "a:b",
    "a#b",
    "{}",
    "[]",
)


def _wholly(text: str) -> Any:
    ((_, (value,)),) = yaml_documents(text, "")
    return value


PRINTED = "- metadata:\n    uid: x\n  spec:\n"


def _read(value: Any) -> Any:
    """What has lines of its own below a field that is not read is read as null."""
    if isinstance(value, list):
        return [_read(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        key: None if key in UNREAD and isinstance(member, dict | list) and member else _read(member)
        for key, member in value.items()
    }


def _agree(text: str) -> bool:
    """Whether it is read; if it is, then as the whole parser does."""
    try:
        found = read_block(text)
    except NotPlainError:
        return False
    assert found == (_read(_wholly(text)) if "\n    uid: " in text else _wholly(text))
    return True


# --- Dumps ----------------------------------------------------------------------------------------


def test_objects_as_kubectl_prints_them_are_read_line_by_line() -> None:
    for number, plain in enumerate(cluster(2, 2, "spread", running=2)):
        made = as_kubectl(plain, number)
        text = "".join(f"{line}\n" for line in yaml_lines([made]))
        assert read_block(text) == _read(made)
        assert _wholly(text) == made


@pytest.mark.parametrize("scalar", SCALARS)
def test_scalars_are_read_as_the_whole_parser_reads_them(scalar: str) -> None:
    assert _agree(f"- a: {scalar}\n  b:\n  - {scalar}\n  - c: {scalar}\n")


@pytest.mark.parametrize("block", ["|", "|-", "|+", ">", ">-"])
def test_scalars_of_lines_are_read_where_a_key_or_an_entry_has_them(block: str) -> None:
    assert _agree(
        f'- a: {block}\n    {{"x": \'y\n      deeper\n\n    end\n  b: 1\n  c:\n  - {block}\n    - x\n'
    )


def test_what_stands_below_fields_that_are_not_read_is_passed_over() -> None:
    below = """
- metadata:
    managedFields:
    - apiVersion: v1
      fieldsV1:
        f:metadata: {}
        k:{"type":"Ready"}:
          .: {}
        'v:"x"': {}
      time: "2026-01-01T00:00:00Z"
    name: x
    uid: y
  spec:
    args:
    - -c
    - |
      "never closed
    - 'two: three'
    env: []
    command:
      a: |-
        'not closed either
"""
    value = read_block(below.lstrip())
    assert value == {
        "metadata": {"managedFields": None, "name": "x", "uid": "y"},
        "spec": {"args": None, "env": [], "command": None},
    }
    assert _agree(below.lstrip())


def test_nothing_is_passed_over_of_what_a_person_wrote() -> None:
    assert read_block("- env:\n  - name: x\n") == {"env": [{"name": "x"}]}


def test_a_label_may_be_called_as_a_field_that_is_not_read() -> None:
    assert read_block("- labels:\n    env: prod\n    args:\n") == {"labels": {"env": "prod", "args": None}}


# --- What is left to the whole parser -------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "- a: 1\n  a: 2\n",  # twice
        "- a: b\n    c\n",  # goes on
        "- a: 'b\n    c'\n",
        '- a: "b\n    c"\n',
        "- a: 1\n   b: 2\n",
        "- a: {b: 1}\n",
        "- a: [1]\n",
        "- a: &x 1\n",
        "- a: *x\n",
        "- a: !!str 1\n",
        "- a: 1 # comment\n",
        "- a: 0x_\n",
        "- a: b: c\n",
        "- a: b:\n",
        "- a: b \n",
        "- ? a\n  : b\n",
        "- 'a': 1\n",
        "- <<: 1\n",
        "- a:\n    - b\n    c: 1\n",
        "- a:\n  - - b\n",
        "- a:\n  -\n",
        "- a:\n\n  b: 1\n",
        "- a: \tb\n",
        "- a: b\x85  c: d\n",
        "- a: \x07\n",
        "- a: |2\n    b\n",
        "- a: |\n   \tb\n  c\n",
        "- a: '\n",
        "- a\n",
        "- a: 1\n- b: 1\n",
        "- a: 1\nb: 1\n",
        "- " + "".join(f"{'  ' * depth}a:\n" for depth in range(300)).lstrip(),
        PRINTED + '    env:\n    - "a\n    b: 1\n',  # a quotation that would end below
        PRINTED + "    env:\n    - 'a\n    b: 1\n",
        PRINTED + '    env:\n    - a: "b\n    c: 1\n',
        PRINTED + "    env:\n    - {a: '\n    b: 1\n",
        PRINTED + "    env:\n    - !x '\n    b: 1\n",
        PRINTED + "    env:\n    - a: &x '\n    b: 1\n",
        PRINTED + "    env:\n    - ? '\n    b: 1\n",
        PRINTED + "    env:\n      a\n",
    ],
)
def test_what_is_in_doubt_is_left_to_the_whole_parser(text: str) -> None:
    with pytest.raises(NotPlainError):
        read_block(text)


@cache
def _lines() -> list[str]:
    made = [as_kubectl(plain, 0) for plain in cluster(1, 1, "spread", running=1)]
    return [
        *yaml_lines(made),
        *(f"{' ' * n}{s}" for n in (0, 2, 4) for s in ("- 'a", '"', "a: |", "x", "- - b", "#")),
    ]


@settings(derandomize=True, deadline=None)
@given(st.randoms(use_true_random=False))
def test_shuffled_lines_are_read_as_the_whole_parser_reads_them_or_left_to_it(
    drawn: random.Random,
) -> None:
    """The whole parser may refuse what stands below fields that are not read; nothing else."""
    lines = ["- apiVersion: v1", *drawn.sample(_lines(), drawn.randint(1, 12))]
    if drawn.random() < 0.7:
        start = drawn.randrange(len(_lines()))
        lines = ["- apiVersion: v1", *_lines()[start : start + 25]]
        lines[drawn.randrange(1, len(lines))] = drawn.choice(_lines())
    text = "".join(f"{line}\n" for line in lines)
    try:
        found = read_block(text)
    except NotPlainError:
        return
    try:
        whole = _wholly(text)
    except Exception:
        assert "\n    uid: " in text
        assert any(f"{field}:" in text for field in UNREAD)
        return
    assert found == (_read(whole) if "\n    uid: " in text else whole)


# --- Fields ---------------------------------------------------------------------------------------


def _fields(kind: Any, seen: set[Any]) -> set[str]:
    if kind in seen:
        return set()
    seen.add(kind)
    names: set[str] = set()
    for each in attrs.fields(attrs.resolve_types(kind)):
        names.add(json_name(each.name))
        for inner in _classes(each.type):
            names |= _fields(inner, seen)
    return names


def _classes(annotation: Any) -> list[Any]:
    if attrs.has(annotation):
        return [annotation]
    return [found for argument in getattr(annotation, "__args__", ()) for found in _classes(argument)]


def test_no_field_that_is_passed_over_is_read() -> None:
    seen: set[Any] = set()
    read = {name for kind in KINDS for name in _fields(kind.type, seen)}
    alpha = {
        part.removesuffix("[]")
        for kinds in _FIELDS.values()
        for paths in kinds.values()
        for path in paths
        for part in path.split(".")
    }
    assert "containers" in read
    assert not UNREAD & (read | alpha)


def test_the_generator_of_dumps_writes_yaml_that_is_what_it_was_given() -> None:
    made = [as_kubectl(plain, number) for number, plain in enumerate(cluster(1, 1, "plain", running=1))]
    whole = {"apiVersion": "v1", "items": made}
    assert yaml.safe_load("\n".join(yaml_lines(whole))) == whole
