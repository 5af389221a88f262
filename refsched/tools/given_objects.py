# SPDX-License-Identifier: Apache-2.0
"""Given objects: the objects that a program gives to a cluster, as mappings, as text, or as paths of files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from refsched.errors import InputError, one_line
from refsched.reading.api_fields import check_fields
from refsched.reading.documents import read_documents
from refsched.reading.dumps import items_of

Manifest: TypeAlias = str | Mapping[str, Any]
"""A Manifest is one Kubernetes object as a mapping, or any number of them as YAML or JSON text."""

TEXT = "the text"


def paths_of(manifests: object) -> list[Path]:
    """Returns the paths, if nothing but paths was given."""
    if not isinstance(manifests, list | tuple) or not all(isinstance(each, Path) for each in manifests):
        return []
    return list(manifests)


def objects_in(manifests: Manifest | Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """Yields every object; a List, as kubectl prints it, stands for its items."""
    if isinstance(manifests, str):
        for document in read_documents(manifests, TEXT):
            for _, value in items_of(document.where, document.value):
                yield value
    elif isinstance(manifests, Mapping):
        for _, value in items_of("", manifests):
            yield dict(value)
    else:
        for each in manifests:
            yield from objects_in(each)


def checked(manifests: Manifest | Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """Yields every object. A member that is no field is refused, or warned of if a cluster printed the object."""
    for value in objects_in(manifests):
        for unknown in check_fields(value):
            warnings.warn(f"{one_line(unknown)} is not a known field, and is ignored", stacklevel=4)
        yield value


def only_one(manifest: Manifest) -> Mapping[str, Any]:
    found = list(objects_in(manifest))
    if len(found) != 1:
        raise InputError(f"expected one KubeSchedulerConfiguration, found {len(found)} documents")
    return found[0]
