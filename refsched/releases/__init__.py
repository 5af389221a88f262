# SPDX-License-Identifier: Apache-2.0
"""Releases: each release of kube-scheduler that is specified is a value, in a module or a package of its own.

A module is imported when its release is first used, with those that its release is derived from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from refsched.errors import InputError
from refsched.releases.release import Release
from refsched.releases.v1_37 import V1_37


class _Releases(Mapping[str, Release]):
    """``modules`` are by the name of the release. The value in each is named like its module, in capitals."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules

    def __getitem__(self, name: str) -> Release:
        return _release_in(self._modules[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


@cache
def _release_in(module: str) -> Release:
    found: Release = getattr(import_module(f"refsched.releases.{module}"), module.upper())
    return found


RELEASES: Mapping[str, Release] = _Releases(
    {"1.19": "v1_19", "1.34": "v1_34", "1.35": "v1_35", "1.36": "v1_36", "1.37": "v1_37"}
)
"""These are the releases by minor version (``1.34``), the oldest first."""

DEFAULT = V1_37
"""This release is used if none is named."""

UNNAMED = "1.34"
"""A trace of another scheduler than kube-scheduler that names no release is one of this release."""

_VERSION = re.compile(r"v?(\d+\.\d+)(?:\..*)?")


def is_older(name: str, than: str) -> bool:
    """Returns whether the first of two releases, by their minor versions, came before the second."""
    return list(RELEASES).index(name) < list(RELEASES).index(than)


def release_of(version: str) -> Release:
    """Returns the release of a version: ``1.34``, ``v1.34`` and ``v1.34.2`` name the same one."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise InputError(f"expected a version of Kubernetes such as {DEFAULT.name}, found {version!r:.60}")
    if found[1] not in RELEASES:
        raise InputError(f"Kubernetes {found[1]} is not specified here; known are: {', '.join(RELEASES)}")
    return RELEASES[found[1]]
