# SPDX-License-Identifier: Apache-2.0
"""Objects: an API object of a manifest is read as its kind, or refused with the reason.

An object says what it is by ``apiVersion`` (a group and a version; the core group has no name) and ``kind``.
A kind that is not in ``KINDS`` is one that scheduling never reads. A version that is not there may have other
fields and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from refsched.errors import InputError
from refsched.objects.kinds import KINDS, ApiKind
from refsched.objects.reading import read_as
from refsched.objects.store import ApiObject
from refsched.tools.reading.alpha_fields import refuse_alpha_fields

_BY_GROUP_AND_NAME = {(kind.group, kind.name): kind for kind in KINDS}


class UnknownKindError(InputError):
    """An UnknownKindError says that scheduling does not read objects of this kind."""


def kind_called(api_version: str, kind: str) -> ApiKind:
    """Returns the row of the table. Raises UnknownKindError, or InputError if only the version is not read."""
    group, _, version = api_version.rpartition("/")
    found = _BY_GROUP_AND_NAME.get((group, kind))
    if found is None:
        raise UnknownKindError(f"{api_version} {kind} is nothing that scheduling reads", "kind")
    if version not in found.versions:
        raise InputError(f"{kind} is read as {found.api_version}, not as {api_version!r:.60}", "apiVersion")
    return found


def read_object(value: object) -> ApiObject:
    """Reads one API object, ignoring fields that scheduling does not read.

    Raises an InputError that names the object and the field; it is an UnknownKindError if the kind is not read
    at all.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"expected an API object, found {value!r:.60}")
    try:
        kind = kind_called(_text(value, "apiVersion"), _text(value, "kind"))
        refuse_alpha_fields(kind.type.kind, value)
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
