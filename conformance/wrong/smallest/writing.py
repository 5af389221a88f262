# SPDX-License-Identifier: Apache-2.0
"""Writing: the steps of histories that are written for examples, as JSON."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

ONCE: Json = {"schedule": 1}
EXTENDERS = [{"urlPrefix": "http://extenders.test/a", "filterVerb": "filter"}]


def created(kind: str, name: str, api: str = "v1", **members: Any) -> Json:
    metadata = {"name": name, **members.pop("metadata", {})}
    return {"create": {"apiVersion": api, "kind": kind, "metadata": metadata, **members}}


def node(name: str, labels: Json | None = None, **status: Any) -> Json:
    metadata = {"labels": labels} if labels else {}
    return created(
        "Node", name, metadata=metadata, status=status or {"allocatable": {"cpu": "2", "pods": "110"}}
    )


def pod(
    name: str,
    container: Json | None = None,
    annotations: Json | None = None,
    labels: Json | None = None,
    **spec: Any,
) -> Json:
    """``nominatedNodeName`` stands in the status."""
    nominated = spec.pop("nominatedNodeName", "")
    spec["containers"] = [{"name": "app", "image": "pause", **(container or {})}]
    metadata = {"annotations": annotations, "labels": labels}
    status: Json = {"status": {"nominatedNodeName": nominated}} if nominated else {}
    return created("Pod", name, metadata={k: v for k, v in metadata.items() if v}, spec=spec, **status)


def answered(spec: Json | None = None, **answer: Any) -> Json:
    """A pod about which the extender gives just this answer when it is asked to filter."""
    script = json.dumps({"a": {"filter": {"answer": answer}}})
    return pod("web", annotations={"refsched.dev/extender": script}, **(spec or {}))
