# SPDX-License-Identifier: Apache-2.0
"""Given objects: the objects that a program gives to a cluster, as mappings, as text, or as paths of files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from refsched.errors import InputError, one_line
from refsched.objects.kinds import KINDS
from refsched.objects.meta import ApiObject
from refsched.reading.api_fields import check_fields
from refsched.reading.documents import read_documents
from refsched.reading.dumps import items_of
from refsched.reading.manifests import read_manifests
from refsched.reading.objects import kind_called
from refsched.reading.stored_values import check_stored
from refsched.records import Reference
from refsched.releases.release import Release

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
            if isinstance(document.value, str):
                raise InputError(
                    f"expected an API object, found {document.value!r:.60}; a file is given as a pathlib.Path",
                    where=TEXT,
                )
            for _, value in items_of(document.where, document.value):
                yield value
    elif isinstance(manifests, Mapping):
        for _, value in items_of("", manifests):
            yield dict(value)
    elif isinstance(manifests, Iterable):
        for each in manifests:
            yield from objects_in(each)
    else:
        raise InputError(f"expected an API object, found {manifests!r:.60}")


def check_read(given: Mapping[str, Any], read: ApiObject) -> None:
    """Raises InputError if no API server would have stored what was read."""
    check_stored(read)


def checked(manifests: Manifest | Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """Yields every object. A member that is no field is refused, or warned of if a cluster printed the object."""
    for value in objects_in(manifests):
        for unknown in check_fields(value):
            warnings.warn(f"{one_line(unknown)} is not a known field, and is ignored", stacklevel=4)
        yield value


def read_files(files: Sequence[Path], release: Release) -> Sequence[ApiObject]:
    """Reads what kubectl printed, and warns of members that are no fields."""
    found = read_manifests(files, release=release)
    for unknown in found.unknown:
        warnings.warn(f"{one_line(unknown)} is not a known field, and is ignored", stacklevel=4)
    return found.objects


def only_one(manifest: Manifest) -> Mapping[str, Any]:
    found = list(objects_in(manifest))
    if len(found) != 1:
        raise InputError(f"expected one KubeSchedulerConfiguration, found {len(found)} documents")
    return found[0]


# --- Names and numbers ----------------------------------------------------------------------------


def pod_key(pod: object) -> str:
    """Returns the key of the pod of this name, which is in the namespace default unless it says another one."""
    if not isinstance(pod, str):
        raise InputError(f"expected the name of a pod, found {pod!r:.60}")
    return pod if "/" in pod else f"default/{pod}"


def check_asked(what: str, given: object) -> None:
    """Raises InputError if what is asked about is neither a name nor a manifest."""
    if not isinstance(given, str | Mapping):
        raise InputError(f"expected the name of a {what} or its manifest as a mapping, found {given!r:.60}")


def check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise InputError(f"expected text, found {value!r:.60}", name)


def check_seconds(value: object) -> None:
    if not isinstance(value, int | float) or not value >= 0:
        raise InputError(f"expected a number of seconds from 0, found {value!r:.60}", "seconds")


def check_count(name: str, value: object) -> None:
    if not isinstance(value, int) or value < 1:
        raise InputError(f"expected a whole number from 1, found {value!r:.60}", name)


def reference_to(kind: str, name: str, namespace: str, api_version: str) -> Reference:
    check_text("kind", kind)
    known = next((each.api_version for each in KINDS if each.name == kind), "v1")
    found = kind_called(api_version or known, kind)
    return Reference(kind, name, api_version or known, namespace if found.namespaced else "")
