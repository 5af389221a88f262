# SPDX-License-Identifier: Apache-2.0
"""Documents: YAML and JSON as kubectl reads them, and what is refused of them."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.errors import InputError
from refsched.reading import documents
from refsched.reading.documents import read_documents, read_json, read_text
from refsched.reading.yaml_text import MAX_ALIASED, MAX_DEPTH


def _values(text: str) -> list[Any]:
    return [document.value for document in read_documents(text, "f.yaml")]


def _refusal(text: str, where: str = "f.yaml") -> str:
    with pytest.raises(InputError) as refused:
        list(read_documents(text, where))
    return str(refused.value)


# --- Text -----------------------------------------------------------------------------------------


def test_text_is_utf_8_with_or_without_a_byte_order_mark() -> None:
    assert read_text("\ufeffä".encode(), "f") == "ä"


def test_text_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_TEXT", 1024 * 1024)
    refused = {
        b"a\xff": "f: is not UTF-8 text (byte 1)",
        b"a\nb\0": "f: holds a NUL character (line 2)",
        b" " * (1024 * 1024 + 1): "f: is larger than 1 MiB",
    }
    for data, problem in refused.items():
        with pytest.raises(InputError) as raised:
            read_text(data, "f")
        assert str(raised.value) == problem


# --- YAML -----------------------------------------------------------------------------------------


def test_documents_know_where_they_stand_and_empty_ones_are_passed_over() -> None:
    found = list(read_documents("a: 1\n---\n# nothing\n---\nb: 2\n---\n", "f.yaml"))
    assert [(d.where, d.value) for d in found] == [
        ("f.yaml: document 1 (line 1)", {"a": 1}),
        ("f.yaml: document 3 (line 4)", {"b": 2}),
    ]
    assert _values("") == []


@pytest.mark.parametrize(
    ("spelled", "value"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("12:30", "12:30"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1_000", 1000),
        ("-017", -15),
        ("0o17", 15),
        ("+0x1F", 31),
        ("0b11", 3),
        ("0", 0),
        ("089", 89.0),
        ("0.50", 0.5),
        ("yes", True),
        ("Off", False),
        ("'yes'", "yes"),
        ("!!str 3", "3"),
        ("!!int 3", 3),
        ("~", None),
        ("", None),
        ("[1, {b: x}]", [1, {"b": "x"}]),
        (".inf", ".inf"),
        ("500m", "500m"),
        ("|\n  two\n  lines", "two\nlines"),
    ],
)
def test_scalars_are_read_as_kubectl_reads_them(spelled: str, value: object) -> None:
    (document,) = _values(f"a: {spelled}")
    assert document == {"a": value}
    assert type(document["a"]) is type(value)


def test_keys_are_strings_as_they_are_written() -> None:
    assert _values("{on: 1, 1: 2, ~: 3}\n") == [{"on": 1, "1": 2, "~": 3}]


def test_aliases_and_merges_repeat_what_stands_elsewhere() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {x: 2, z: 2}\nc: {<<: [*a, *b], y: 3}\nd: {<<: *b}\ne: {'<<': 1}\n"
    (document,) = _values(text)
    assert document["c"] == {"x": 1, "y": 3, "z": 2}
    assert document["d"] == {"x": 2, "z": 2}
    assert document["e"] == {"<<": 1}


def test_aliases_may_repeat_so_much_and_no_more() -> None:
    ten = ", ".join("1" * 10)
    lines = [f"a: &a [{ten}]"] + [
        f"{k}: &{k} [{', '.join([f'*{j}'] * 10)}]" for j, k in zip("abcd", "bcde", strict=True)
    ]
    assert len(_values("\n".join(lines[:4]))) == 1
    assert _refusal("\n".join(lines)) == (
        f"f.yaml: its aliases repeat more than {MAX_ALIASED:,} nodes (line 5)"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: {c: 1, c: 2}", "the key 'c' stands twice (line 2)"),
        ("a: 1\n---\n? [b]\n: 1", "a key is not a string (line 3)"),
        ("a: &a [*a]", "an alias repeats what it stands in (line 1)"),
        ("a: *b", "found undefined alias 'b' (line 1)"),
        ("<<: 1", "<< must be followed by a mapping (line 1)"),
        ("- " * 100_000, f"is nested deeper than {MAX_DEPTH} levels"),
        ("{a: " * 100_000, f"is nested deeper than {MAX_DEPTH} levels"),
        ("a: !!python/name:os.system", "the tag 'tag:yaml.org,2002:python/name:os.sys"),
        ("a: !!set {b}", "the tag 'tag:yaml.org,2002:set' is not read here (line 1)"),
        ("a: !x [b]", "the tag '!x' is not read here (line 1)"),
        ("a: 0x_", "'0x_' is not a number that can be read (line 1)"),
        ("a: " + "1" * 5000, f"'{'1' * 40}' is not a number that can be read (line 1)"),
        ("a: b: c", "mapping values are not allowed"),
        ("%YAML 9.9\n---\na", "found incompatible YAML document"),
        ("a: \x07", "unacceptable character #x0007"),
    ],
)
def test_yaml_that_is_wrong_or_hostile_is_refused_with_its_place(text: str, problem: str) -> None:
    assert _refusal(text).startswith(f"f.yaml: {problem}")


# --- JSON -----------------------------------------------------------------------------------------


def test_what_begins_like_json_and_is_not_is_yaml_unless_the_file_says_json() -> None:
    assert _values('\n{"a": "2026-01-01"}') == [{"a": "2026-01-01"}]
    assert _values("{a: b}") == [{"a": "b"}]
    assert _refusal('{\n"a" 1}', "f.json") == "f.json: is not JSON: Expecting ':' delimiter (line 2)"


def test_escaped_characters_of_two_halves_are_read() -> None:
    assert read_json('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ('{"a": NaN}', "NaN is not a number of JSON"),
        ('{"a": -Infinity}', "-Infinity is not a number of JSON"),
        ('{"a": "\\uD83D"}', "holds half of a character (a lone surrogate)"),
        ("[" * 100_000 + "]" * 100_000, "is nested too deeply"),
        (f'{{"a": {"1" * 5000}}}', "holds a number of too many digits"),
    ],
)
def test_json_that_is_wrong_or_hostile_is_refused(text: str, problem: str) -> None:
    assert _refusal(text) == f"f.yaml: {problem}"
