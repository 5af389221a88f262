# SPDX-License-Identifier: Apache-2.0
"""Manifests: the objects of a cluster, from the files of a user.

A file holds YAML documents or JSON; ``-`` is standard input; a folder stands for all manifests below it. A
``List``, as kubectl prints it, stands for its items. Objects are completed by the API server's defaults, and
are in the order in which a cluster is created, and by namespace and name within a kind."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from attrs import field, frozen

from refsched.errors import InputError
from refsched.objects.kinds import KINDS, described_as, kind_of
from refsched.objects.meta import ApiObject
from refsched.objects.priority_class import PriorityClass
from refsched.reading.api_fields import check_fields
from refsched.reading.defaults import defaulted
from refsched.reading.dumps import objects_of, read_bytes
from refsched.reading.files import is_pipe, open_file, shown_path
from refsched.reading.inputs import known_fields, read_known
from refsched.reading.objects import UnknownKindError
from refsched.reading.stored_values import check_stored
from refsched.releases import DEFAULT
from refsched.releases.release import Release

STANDARD_INPUT = "-"
SCENARIO = "refsched.dev/scenario"
"""This is the label of the ConfigMap with the steps of a scenario (docs/scenarios.md)."""

_NO_CLUSTER = (
    "is a scenario, which has steps: `refsched record --scenario FILE --output TRACE.jsonl` does them, and"
    " `refsched explain -f TRACE.jsonl POD` shows the last decision on a pod"
)
"""Objects change in the steps of a scenario, come later, and leave."""

SUFFIXES = (".yaml", ".yml", ".json")
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


@frozen
class Manifests:
    """``ignored`` counts the objects of kinds that scheduling does not read, as ``apps/v1 Deployment``, and
    ``unknown`` those that a cluster printed with a member that is no field, as ``Pod spec.nodeSelectr``."""

    objects: tuple[ApiObject, ...]
    ignored: Mapping[str, int]
    unknown: Mapping[str, int] = field(factory=dict)


def read_manifests(
    paths: Sequence[str | Path],
    stdin: BinaryIO | None = None,
    *,
    release: Release = DEFAULT,
    progress: Callable[[int], None] = lambda read: None,
) -> Manifests:
    """Reads all objects of all ``paths``, without the fields that the API server of ``release`` would have
    dropped.

    Raises InputError if one cannot be read, or is given twice, or if a person wrote what is no field.
    ``progress`` is called with how many were read.
    """
    return read_values(raw_objects(paths, stdin), release=release, progress=progress)


def read_values(
    values: Iterable[tuple[str, Any]],
    *,
    release: Release = DEFAULT,
    progress: Callable[[int], None] = lambda read: None,
) -> Manifests:
    """Reads these objects, each of which has its place, as ``read_manifests`` reads those of files."""
    ignored: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    found: list[tuple[str, ApiObject]] = []
    for where, value in values:
        progress(len(found))
        try:
            if is_scenario(value):
                raise InputError(_NO_CLUSTER)
            unknown.update(check_fields(value))
            found.append((where, read_known(known_fields(value, release), release)))
        except UnknownKindError:
            ignored[f"{value['apiVersion']} {value['kind']}"] += 1
        except InputError as error:
            raise error.at(where) from None
        except RecursionError:
            raise InputError("is nested too deeply", where=where) from None
    return Manifests(_completed(found, release), dict(sorted(ignored.items())), dict(sorted(unknown.items())))


def is_scenario(value: object) -> bool:
    """Returns whether the document is the ConfigMap with the steps of a scenario."""
    metadata = value.get("metadata") if isinstance(value, Mapping) else None
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    return isinstance(labels, Mapping) and SCENARIO in labels


def _completed(found: Sequence[tuple[str, ApiObject]], release: Release) -> tuple[ApiObject, ...]:
    classes = [shown for _, shown in found if isinstance(shown, PriorityClass)]
    complete: dict[tuple[int, str, str], tuple[str, ApiObject]] = {}
    for where, shown in found:
        try:
            shown = defaulted(shown, classes=classes, release=release)
            check_stored(shown)
        except InputError as error:
            raise error.at(where) from None
        key = (_RANK[kind_of(shown)], shown.metadata.namespace, shown.metadata.name)
        if key in complete:
            raise InputError(
                f"{described_as(shown)} stands there twice, also in {complete[key][0]}", where=where
            )
        complete[key] = (where, shown)
    return tuple(shown for _, (_, shown) in sorted(complete.items()))


# --- Files ----------------------------------------------------------------------------------------


def check_can_be_read_again(paths: Sequence[str | Path]) -> None:
    """Raises InputError if a file is standard input or a pipe."""
    for path in paths:
        if str(path) == STANDARD_INPUT or is_pipe(path):
            where = "standard input" if str(path) == STANDARD_INPUT else shown_path(path)
            raise InputError("is read more than once; give a file", where=where)


def raw_objects(paths: Sequence[str | Path], stdin: BinaryIO | None = None) -> Iterator[tuple[str, Any]]:
    """Yields every object of these files as it stands there, and its place."""
    for path in paths:
        for where, data in _files(path, stdin):
            yield from objects_of(data, where)


def _files(path: str | Path, stdin: BinaryIO | None) -> Iterator[tuple[str, bytearray]]:
    if str(path) == STANDARD_INPUT:
        stream = stdin or getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise InputError("is closed", where="standard input")
        yield "standard input", read_bytes(stream, "standard input")
        return
    try:
        if not os.path.isdir(path):
            yield shown_path(path), _bytes(path)
            return
        names = sorted(_below(path))
        if not names:
            raise InputError(f"holds no file named {', '.join('*' + s for s in SUFFIXES)}", where=str(path))
        for name in names:
            yield name, _bytes(name)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(error.filename or path)) from None


def _below(folder: str | Path) -> Iterator[str]:
    """Yields the manifests in the folder and its folders; names that start with a dot are skipped."""
    for parent, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(parent, name)
            if name.endswith(SUFFIXES) and not name.startswith(".") and os.path.isfile(path):
                yield path


def _refuse(error: OSError) -> None:
    raise error


def _bytes(path: str | Path) -> bytearray:
    with open_file(path) as file:
        return read_bytes(file, shown_path(path))
