# SPDX-License-Identifier: Apache-2.0
"""Releases: each release of kube-scheduler that is specified is a value, written in a module of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from refsched.errors import InputError
from refsched.releases.release import Release
from refsched.releases.v1_19 import V1_19
from refsched.releases.v1_34 import V1_34

RELEASES: Mapping[str, Release] = {release.name: release for release in (V1_19, V1_34)}
"""By minor version (``1.34``), the oldest first."""

DEFAULT = V1_34
"""The release that is meant where none is named."""

_VERSION = re.compile(r"v?(\d+\.\d+)(?:\..*)?")


def release_of(version: str) -> Release:
    """The release that a version is of: ``1.34``, ``v1.34`` and ``v1.34.2`` are one."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise InputError(f"expected a version of Kubernetes such as {DEFAULT.name}, found {version!r:.60}")
    if found[1] not in RELEASES:
        raise InputError(f"Kubernetes {found[1]} is not specified here; known are: {', '.join(RELEASES)}")
    return RELEASES[found[1]]
