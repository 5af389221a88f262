# SPDX-License-Identifier: Apache-2.0
"""What the planner's tests are made of: small clusters, as kubectl would print them, and a scheduler for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.reading.configuration.read import read_config
from refsched.reading.manifests import read_manifests
from refsched.tools.planner.plan import Plan
from refsched.tools.planner.planning import plan

Json = dict[str, Any]
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def thing(kind: str, name: str, api_version: str = "v1", **more: Any) -> Json:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, **more.pop("meta", {})},
        **more,
    }


def node(
    name: str, cpu: str = "4", *, pods: str = "20", labels: Mapping[str, str] | None = None, **spec: Any
) -> Json:
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": pods}
    return thing("Node", name, meta={"labels": labels or {}}, spec=spec, status={"allocatable": allocatable})


def pod(
    name: str, cpu: str = "1", on: str = "", status: Json | None = None, meta: Json | None = None, **spec: Any
) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], "nodeName": on, **spec}
    return thing("Pod", name, meta=meta or {}, spec=spec, status=status or {})


def objects_of(*values: Json) -> tuple[ApiObject, ...]:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values)})
    return read_manifests(["-"], BytesIO(text.encode())).objects


def scheduler(seed: int = 0, **config: Any) -> Scheduler:
    return scheduler_of(read_config({**CONFIG, **config}), SeededChoices(seed))


def planned(*values: Json, seed: int = 0, **config: Any) -> Plan:
    return plan(scheduler(seed, **config), objects_of(*values))
