# SPDX-License-Identifier: Apache-2.0
"""Fields of the API: which fields an object of a kind that is read may have, from Kubernetes' OpenAPI documents.

``python -m refsched.suite.catalogue.api_fields SWAGGER...`` writes refsched/reading/api_fields.json from
api/openapi-spec/swagger.json of some releases. A field that any of them has is a field.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from refsched.objects.kinds import KINDS
from refsched.reading.api_fields import DATA, type_of

Json = Mapping[str, Any]
_REFERENCE = "#/definitions/"


def fields_of(documents: Iterable[Json]) -> dict[str, dict[str, str]]:
    """Returns the fields of each type, each with the type of the objects in it, or ``""``: that of a list is
    ``[]Type``, and that of a map ``{}Type``."""
    found: dict[str, dict[str, str]] = {}
    for document in documents:
        definitions, seen = document["definitions"], set[str]()
        for kind in KINDS:
            for version in kind.versions:
                group, _, name = type_of(kind).partition(".")
                _add(found, f"io.k8s.api.{group}.{version}.{name}", definitions, seen)
    return {name: dict(sorted(fields.items())) for name, fields in sorted(found.items())}


def _add(found: dict[str, dict[str, str]], reference: str, definitions: Json, seen: set[str]) -> None:
    if reference in seen or reference not in definitions:
        return
    seen.add(reference)
    fields = found.setdefault(_short(reference), {})
    for field, schema in definitions[reference]["properties"].items():
        shape, held = _shape(schema)
        if "properties" not in definitions.get(held, {}):
            fields.setdefault(field, "")
            continue
        fields[field] = f"{shape}{_short(held)}"
        _add(found, held, definitions, seen)


def _shape(schema: Json) -> tuple[str, str]:
    if "items" in schema:
        return "[]", _reference(schema["items"])
    if isinstance(schema.get("additionalProperties"), Mapping):
        return "{}", _reference(schema["additionalProperties"])
    return "", _reference(schema)


def _reference(schema: Json) -> str:
    return str(schema.get("$ref", "")).removeprefix(_REFERENCE)


def _short(reference: str) -> str:
    """Returns ``core.PodSpec`` for ``io.k8s.api.core.v1.PodSpec``: versions of one shape are one type."""
    *_, group, _, name = ("", "", *reference.split("."))
    return f"{group}.{name}"


def main(paths: Iterable[str]) -> None:
    found = fields_of(json.loads(Path(path).read_text("utf-8")) for path in paths)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(fields)}" for name, fields in found.items())
    DATA.write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
