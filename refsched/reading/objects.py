# SPDX-License-Identifier: Apache-2.0
"""Objects: an API object of a manifest is read as its kind, or refused with the reason.

An object says what it is by ``apiVersion`` (a group and a version; the core group has no name) and ``kind``.
A kind that is not in ``KINDS`` is one that scheduling never reads. A version that is not there may have other
fields and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from refsched.errors import InputError
from refsched.objects.kinds import KINDS, ApiKind
from refsched.objects.meta import ApiObject
from refsched.objects.reading import read_as
from refsched.reading.alpha_fields import refuse_gated_fields
from refsched.releases.release import Release

_BY_GROUP_AND_NAME = {(kind.group, kind.name): kind for kind in KINDS}
_WITHOUT_NAMESPACE = frozenset(kind.name for kind in KINDS if not kind.namespaced)
_GROUPS = frozenset(kind.group for kind in KINDS)

_MISSPELT = 0.8
"""So alike, by difflib's measure, a name is taken for a misspelt one."""


Key = tuple[str, str, str]
"""The kind, the namespace and the name of an object, which no other object of the cluster has."""


def key_of(value: Mapping[str, Any]) -> Key:
    metadata = value["metadata"]
    return key_named(value["kind"], metadata.get("namespace"), metadata.get("name", ""))


def key_named(kind: str, namespace: str | None, name: str) -> Key:
    """Returns the key of an object, which is in the namespace ``default`` where none is named, and in none if its
    kind has none."""
    return kind, "" if kind in _WITHOUT_NAMESPACE else namespace or "default", name


class UnknownKindError(InputError):
    """An UnknownKindError says that scheduling does not read objects of this kind."""


def kind_called(api_version: str, kind: str) -> ApiKind:
    """Returns the row of the table. Raises UnknownKindError, or InputError if only the version is not read, or
    if the kind is one that no API server has, and like one that is read."""
    group, _, version = api_version.rpartition("/")
    found = _BY_GROUP_AND_NAME.get((group, kind))
    if found is None:
        _refuse_misspelt(group, api_version, kind)
        raise UnknownKindError(f"{api_version} {kind} is nothing that scheduling reads", "kind")
    if version not in found.versions:
        raise _not_read_as(api_version, found)
    return found


def _not_read_as(api_version: str, known: ApiKind) -> InputError:
    return InputError(
        f"{known.name} is read as {known.api_version}, not as {api_version!r:.60}", "apiVersion"
    )


def _refuse_misspelt(group: str, api_version: str, kind: str) -> None:
    """Raises InputError if a kind that is read must be meant. In the groups of Kubernetes nobody else adds
    kinds, and in these versions of them those that scheduling does not read are unlike those that it does."""
    for known in KINDS:
        if known.name == kind and group in _GROUPS:
            raise _not_read_as(api_version, known)
    version = api_version.rpartition("/")[2]
    of_group = [known for known in KINDS if known.group == group and version in known.versions]
    near = {known.name.lower(): known.name for known in of_group}
    for name in get_close_matches(kind.lower()[:100], near, n=1, cutoff=_MISSPELT):
        raise InputError(f"there is no {kind!r:.60} in {api_version}; {near[name]} may be meant", "kind")


def read_object(value: object, release: Release | None = None) -> ApiObject:
    """Reads one API object, ignoring fields that scheduling does not read. Fields behind feature gates that are
    off in the ``release`` are refused.

    Raises an InputError that names the object and the field; it is an UnknownKindError if the kind is not read
    at all.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"expected an API object, found {value!r:.60}")
    try:
        kind = kind_called(_text(value, "apiVersion"), _text(value, "kind"))
        if release is not None:
            refuse_gated_fields(kind.type.kind, value, release)
        shown = read_as(kind.type, value)
        if not shown.metadata.name:
            raise InputError("is required and missing", "metadata.name")
    except InputError as error:
        place = described(value)
        raise (error.at(place) if place else error) from None
    return shown


def described(value: Mapping[object, object]) -> str:
    """Returns ``Pod default/web``, as far as an object that may be malformed says it."""
    metadata = value.get("metadata")
    named = metadata if isinstance(metadata, Mapping) else {}
    path = (named.get("namespace"), named.get("name"))
    name = "/".join(part for part in path if isinstance(part, str) and part)
    kind = value.get("kind")
    return " ".join(part for part in (kind, name) if isinstance(part, str) and part)


def _text(value: Mapping[object, object], field: str) -> str:
    found = value.get(field)
    if not isinstance(found, str) or not found:
        problem = "is required and missing" if not found else f"expected a string, found {found!r:.60}"
        raise InputError(problem, field)
    return found
