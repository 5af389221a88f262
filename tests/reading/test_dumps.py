# SPDX-License-Identifier: Apache-2.0
"""Dumps: a List is read by items, and whatever else as a whole; what comes of it is the same."""

from __future__ import annotations

import io
import json
import resource
import sys
from typing import Any

import pytest

from benchmarks.clusters import as_kubectl, cluster, yaml_lines
from refsched.errors import InputError
from refsched.reading import dumps, memory
from refsched.reading.documents import read_documents, read_text
from refsched.reading.dumps import items_of, objects_of, read_bytes

OBJECTS = [as_kubectl(plain, number) for number, plain in enumerate(cluster(3, 2, "spread", running=2))]
LIST = {"apiVersion": "v1", "items": OBJECTS, "kind": "List", "metadata": {"resourceVersion": ""}}
AS_YAML = "".join(f"{line}\n" for line in yaml_lines(LIST))


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "_CHUNK", 1000)
    monkeypatch.setattr(dumps, "_BETWEEN_CHECKS", 2)


@pytest.fixture
def by_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is read as a whole."""

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(dumps, "_of_documents", refuse)


def _found(text: str | bytes, where: str = "f.yaml") -> list[tuple[str, Any]]:
    return list(objects_of(bytearray(text if isinstance(text, bytes) else text.encode()), where))


def _wholly(text: str, where: str = "f.yaml") -> list[tuple[str, Any]]:
    documents = read_documents(read_text(text.encode(), where), where)
    return [found for document in documents for found in items_of(document.where, document.value)]


def _refusal(text: str | bytes, where: str = "f.yaml") -> str:
    with pytest.raises(InputError) as refused:
        _found(text, where)
    return str(refused.value)


# --- Lists as kubectl prints them -----------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 4])
def test_a_list_in_json_is_read_by_items(indent: int | None, by_items: None) -> None:
    text = json.dumps(LIST, indent=indent)
    assert _found(text, "f.json") == [(f"f.json: items[{n}]", made) for n, made in enumerate(OBJECTS)]
    kind_first = json.dumps({"apiVersion": "v1", "kind": "List", "items": OBJECTS}, indent=indent)
    assert _found(kind_first, "f.json") == _found(text, "f.json")


def test_a_list_in_yaml_is_read_by_items(by_items: None) -> None:
    found = _found(AS_YAML)
    assert [where for where, _ in found] == [
        f"f.yaml: document 1 (line 1): items[{n}]" for n in range(len(OBJECTS))
    ]
    assert [value["metadata"]["name"] for _, value in found] == [made["metadata"]["name"] for made in OBJECTS]


def test_characters_of_many_bytes_are_read_across_chunks(by_items: None) -> None:
    made = [{"kind": "x", "text": "ä\U0001f600" * 999, "n": n} for n in range(3)]
    text = json.dumps({"apiVersion": "v1", "items": made, "kind": "List"}, ensure_ascii=False)
    assert [value for _, value in _found(text)] == made


def test_an_item_that_is_written_otherwise_is_read_by_itself(by_items: None) -> None:
    head, tail = "apiVersion: v1\nitems:\n", "kind: List\n"
    text = f"{head}- {{a: 1}}\n- b: [2, 'x\n    y']\n- &a c: 3\n{tail}"
    assert [value for _, value in _found(text)] == [{"a": 1}, {"b": [2, "x y"]}, {"c": 3}]


def test_lists_in_lists_are_read_too(by_items: None) -> None:
    inner = {"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}
    text = json.dumps({"apiVersion": "v1", "items": [inner], "kind": "List"})
    assert _found(text, "f.json") == [
        ("f.json: items[0]: items[0]", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})
    ]


# --- What is read as a whole ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nitems:\n- a: 1\n- b: &x 2\n- c: *x\nkind: List\n",
        "apiVersion: v1\nitems:\n- a: 1\n- b: 2\nkind: Other\n",
        "apiVersion: v1\nitems:\n- a: 1\n- b: 2\nkind: ThingList\n",
        "apiVersion: v1\nitems:\n- a: 1\n- b: 2\n",
        "apiVersion: v1\nitems:\n- a: 1\n- b: 2\nkind: List\n---\na: 1\n",
        "apiVersion: v1\nitems:\n- a: '\n- b: 1\n\n  x'\n- c: 1\nkind: List\n",
        "a: 1\n---\nb: 2\n",
        '{"apiVersion": "v1", "items": [{"a": 1}], "kind": "PodList"}',
        '{"apiVersion": "v1", "items": [{"a": 1},], "kind": "List"}',
        '{"apiVersion": "v1", "items": [{"a": 1}, 2, {"b": 1}], "kind": "List"}',
        '{"apiVersion": "v1", "items": [], "kind": "List", "x": [1]}',
        '{"apiVersion": "v1", "items": [], "kind": "List"}',
    ],
)
def test_what_kubectl_does_not_print_is_read_as_a_whole(text: str) -> None:
    assert [value for _, value in _found(text)] == [value for _, value in _wholly(text)]


# --- What is wrong --------------------------------------------------------------------------------

_HEAD = '{"apiVersion": "v1", "items": [\n{"a": 1},\n'
_TAIL = '\n], "kind": "List"}'


@pytest.mark.parametrize(
    ("middle", "problem"),
    [
        ('{"b" 1}', "f.json: is not JSON: Expecting ':' delimiter (line 3)"),
        ('{"b": 1}\n{}', "f.json: is not JSON: Expecting ',' delimiter (line 4)"),
        ('{"b": "' + "x" * 3000 + '"}\n\n{"c" 1}', "f.json: is not JSON: Expecting ',' delimiter (line 5)"),
        ('{"b": 1, "b": 2}', "f.json: items[1]: the key 'b' stands twice"),
        ('{"b": NaN}', "f.json: items[1]: NaN is not a number of JSON"),
        ('{"b": ' + "[" * 100_000 + "]" * 100_000 + "}", "f.json: items[1]: is nested too deeply"),
        ('{"b": "\\ud83d"}', "f.json: items[1]: holds half of a character (a lone surrogate)"),
        ('{"b": 1', "f.json: is not JSON: Expecting ',' delimiter (line 4)"),
        ('{"b": 1},', "f.json: is not JSON: Expecting value (line 4)"),
    ],
)
def test_json_that_is_wrong_is_refused_with_its_line_or_item(middle: str, problem: str) -> None:
    assert _refusal(_HEAD + middle + _TAIL, "f.json") == problem


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    for text in (_HEAD + "{}" + _TAIL, AS_YAML):
        data = text.encode()
        assert _refusal(data[:60] + b"\xff" + data[60:]) == "f.yaml: is not UTF-8 text (byte 60)"
        assert _refusal(data[:60] + b"\0" + data[60:]).startswith("f.yaml: holds a NUL character (line ")


def test_yaml_that_is_wrong_is_refused_with_its_line() -> None:
    text = "apiVersion: v1\nitems:\n- a: 1\n- b: 1\n  b: 2\nkind: List\n"
    assert _refusal(text) == "f.yaml: the key 'b' stands twice (line 5)"


@pytest.mark.parametrize("text", ["", "\n\n", "---\n---\n", "# nothing\n"])
def test_a_file_without_any_object_is_refused(text: str) -> None:
    assert _refusal(text) == "f.yaml: holds no object"


# --- Memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [json.dumps(LIST), AS_YAML, "--- {a: 1}\n" * 20])
def test_no_more_memory_is_taken_than_is_allowed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.LIMIT, "0.001")
    assert "to read it takes more than 0.001 GiB of memory" in _refusal(text)
    assert _refusal(text).startswith("f.yaml: ")
    with pytest.raises(InputError, match=memory.LIMIT):
        read_bytes(io.BytesIO(b"x" * 3000), "f")


def test_where_the_system_does_not_say_what_is_held_the_most_that_was_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def closed(*_: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", closed)
    memory.check_memory()
    for platform, unit in (("linux", 1024), ("darwin", 1)):
        monkeypatch.setattr(memory.sys, "platform", platform)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        monkeypatch.setenv(memory.LIMIT, str(most / 1024**3 / 2))
        with pytest.raises(InputError):
            memory.check_memory()


def test_where_the_system_does_not_say_what_memory_is_used_nothing_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(memory.LIMIT, "0.000001")
    with pytest.raises(InputError):
        memory.check_memory()
    monkeypatch.setitem(sys.modules, "resource", None)
    memory.check_memory()
