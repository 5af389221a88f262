# SPDX-License-Identifier: Apache-2.0
"""Another kind: what to do with a file that a KubeSchedulerConfiguration was expected in, and that is not one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refsched.releases.release import Release

GROUP = "kubescheduler.config.k8s.io"


def what_to_do(value: Mapping[str, Any], kind: str, release: Release) -> str:
    """Returns the advice, to be put behind an error, or ``""`` if there is none. ``kind`` is the kind that was
    expected."""
    if value.get("kind") == "ConfigMap":
        return f"; this is a ConfigMap: give the {kind} in its data{_keys(value, kind)} as a file of its own"
    if value.get("kind") == "Policy":
        return (
            "; a Policy is not read here, and not by kube-scheduler since v1.23: write a "
            f"{kind} whose profiles enable the plugins that do what its predicates and priorities did"
        )
    group, _, version = str(value.get("apiVersion")).rpartition("/")
    if group == GROUP and version.startswith("v1") and f"{group}/{version}" not in release.api_versions:
        return (
            f"; {release.tag} reads no other version (v1 is there since v1.25): change the apiVersion, and what is"
            " then refused as no field"
        )
    return ""


def _keys(value: Mapping[str, Any], kind: str) -> str:
    """Returns where in the data of the ConfigMap the configuration is, as `` (config.yaml)``."""
    data = value.get("data")
    found = [key for key, text in data.items() if kind in str(text)] if isinstance(data, Mapping) else []
    return f" ({', '.join(found)})" if found else ""
