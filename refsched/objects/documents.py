# SPDX-License-Identifier: Apache-2.0
"""Documents: text to plain values, from YAML or JSON that nobody has vouched for.

Keys are strings and stand once in their mapping. Times stay strings. What would take unreasonable room or
depth is refused, whatever it would say. Errors name the file, and the document and line where there are such.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml
from attrs import frozen
from yaml.composer import Composer

from refsched.errors import InputError

MAX_TEXT = 64 * 1024 * 1024
"""Bytes of one file. A cluster of 5,000 nodes and 50,000 pods, without their managed fields, takes less."""

MAX_ALIASED = 100_000
"""Nodes that the aliases of one YAML document may repeat."""


MAX_DEPTH = 100
"""Mappings and lists inside each other in a YAML document."""


@frozen
class Document:
    """``value`` is plain: mappings with string keys, lists, strings, numbers, booleans and None."""

    where: str
    value: Any


def read_text(data: bytes, where: str) -> str:
    """UTF-8 within the limit and without NUL; a byte order mark is taken off."""
    if len(data) > MAX_TEXT:
        raise InputError(f"is larger than {MAX_TEXT // 1024 // 1024} MiB", where=where)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", where=where) from None
    if "\0" in text:
        raise InputError(f"holds a NUL character (line {_line(text, text.index(chr(0)))})", where=where)
    return text


def read_documents(text: str, where: str) -> Iterator[Document]:
    """The documents of a file, but empty ones. Text that is JSON is one document."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield Document(where, read_json(text))
            return
        except json.JSONDecodeError as error:
            if where.endswith(".json"):
                raise InputError(f"{error.msg} (line {error.lineno})", where=where) from None
        except InputError as error:
            raise error.at(where) from None
    yield from _yaml_documents(text, where)


# --- JSON -----------------------------------------------------------------------------------------

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(text: str) -> Any:
    """Strict JSON: no key twice, no NaN. Raises json.JSONDecodeError where it is not JSON at all."""
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except RecursionError:
        raise InputError("is nested too deeply") from None
    except UnicodeEncodeError:
        raise InputError("holds half of a character (a lone surrogate)") from None
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise InputError("holds a number of too many digits") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise InputError(f"the key {key!r:.60} stands twice")
        members[key] = value
    return members


def _no_constant(name: str) -> Any:
    raise InputError(f"{name} is not a number of JSON")


# --- YAML -----------------------------------------------------------------------------------------

_TAG = "tag:yaml.org,2002:"
_PLAIN = "plain"
_BOOLEANS = {
    spelled: value
    for words, value in ((("true", "yes", "on"), True), (("false", "no", "off"), False))
    for word in words
    for spelled in (word, word.title(), word.upper())
}
_NULLS = ("", "~", "null", "Null", "NULL")
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9_]*|0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Tree(_Parser):  # type: ignore[misc]
    """Events from libyaml, but the tree from Composer: libyaml's own runs out of stack on deep nesting.
    What a scalar is, its reader decides."""

    check_node = Composer.check_node
    get_node = Composer.get_node
    compose_document = Composer.compose_document
    compose_scalar_node = Composer.compose_scalar_node
    compose_sequence_node = Composer.compose_sequence_node
    compose_mapping_node = Composer.compose_mapping_node

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.anchors: dict[str, yaml.Node] = {}
        self.depth = 0

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise InputError(f"is nested deeper than {MAX_DEPTH} levels")
        node: yaml.Node | None = Composer.compose_node(self, parent, index)  # type: ignore[arg-type]
        self.depth -= 1
        return node

    def descend_resolver(self, *_: object) -> None:
        """Tags do not depend on where a node stands."""

    ascend_resolver = descend_resolver

    def resolve(self, kind: type[yaml.Node], value: object, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else f"{_TAG}str"
        return f"{_TAG}map" if kind is yaml.MappingNode else f"{_TAG}seq"


def _yaml_documents(text: str, where: str) -> Iterator[Document]:
    try:
        tree = _Tree(text)
        number = 1
        while tree.check_node():
            place = f"{where}: document {number} (line {tree.peek_event().start_mark.line + 1})"
            value = _value(tree, place)
            if value is not None:
                yield Document(place, value)
            number += 1
    except yaml.YAMLError as error:
        raise _input_error(error).at(where) from None


def _value(tree: _Tree, place: str) -> Any:
    try:
        node: Any = tree.get_node()
        written: dict[int, int] = {}
        if _nodes(node, written, frozenset()) > len(written) + MAX_ALIASED:
            raise InputError(f"its aliases repeat more than {MAX_ALIASED:,} nodes")
        return _plain(node)
    except InputError as error:
        raise error.at(place) from None
    except yaml.YAMLError as error:
        raise _input_error(error).at(place) from None


def _plain(node: yaml.Node) -> Any:
    tag = node.tag.removeprefix(_TAG)
    if isinstance(node, yaml.MappingNode) and tag == "map":
        return _mapping(node)
    if isinstance(node, yaml.SequenceNode) and tag == "seq":
        return [_plain(child) for child in node.value]
    if isinstance(node, yaml.ScalarNode) and tag == "str":
        return node.value
    if isinstance(node, yaml.ScalarNode) and tag in (_PLAIN, "int", "float", "bool", "null"):
        return _scalar(node)
    raise InputError(f"the tag {node.tag!r:.60} is not read here (line {_line_of(node)})")


def _mapping(node: yaml.MappingNode) -> dict[str, Any]:
    """Keys as they are written, none of them twice; ``<<`` adds what is not there."""
    members: dict[str, Any] = {}
    merged: list[yaml.Node] = []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise InputError(f"a key is not a string (line {_line_of(key)})")
        if key.value == "<<" and key.tag == _PLAIN:
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
        elif key.value in members:
            raise InputError(f"the key {key.value!r:.60} stands twice (line {_line_of(key)})")
        else:
            members[key.value] = _plain(value)
    for source in merged:
        if not isinstance(source, yaml.MappingNode):
            raise InputError(f"<< is followed by what is no mapping (line {_line_of(source)})")
        members = _mapping(source) | members
    return members


def _scalar(node: yaml.ScalarNode) -> Any:
    """As kubectl reads it: yes and off are booleans, 1_000 and 0x1F are integers, 12:30 is a string."""
    text: str = node.value
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    digits = text.replace("_", "")
    try:
        if _INTEGER.fullmatch(text):
            bare = digits.lstrip("+-")
            old_octal = bare[0] == "0" and bare.isdigit() and bare != "0"
            return int(digits, 8 if old_octal else 0)
        if _FLOAT.fullmatch(text):
            return float(digits)
    except ValueError:
        raise InputError(f"{text[:40]!r} is not a number that can be read (line {_line_of(node)})") from None
    return text


def _nodes(node: yaml.Node, counted: dict[int, int], above: frozenset[int]) -> int:
    """How many nodes this is with its aliases written out."""
    if id(node) in above:
        raise InputError(f"an alias repeats what it stands in (line {_line_of(node)})")
    if id(node) not in counted:
        inside = above | {id(node)}
        counted[id(node)] = 1 + sum(_nodes(child, counted, inside) for child in _children(node))
    return counted[id(node)]


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _input_error(error: yaml.YAMLError) -> InputError:
    """PyYAML's error in one line."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    return InputError(f"{problem} (line {mark.line + 1})" if mark is not None else f"{problem}")


def _line_of(node: yaml.Node) -> int:
    line: int = node.start_mark.line
    return line + 1


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
