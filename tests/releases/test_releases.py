# SPDX-License-Identifier: Apache-2.0
"""Releases: how one is named, and that nothing else names one."""

from __future__ import annotations

import pytest

from refsched.errors import InputError
from refsched.releases import RELEASES, release_of


@pytest.mark.parametrize("version", ["1.34", "v1.34", "1.34.2", "v1.34.2", "v1.34.0-rc.1"])
def test_a_release_is_found_by_any_version_of_it(version: str) -> None:
    assert release_of(version) is RELEASES["1.34"]


def test_a_release_that_is_not_specified_is_refused_and_those_known_are_listed() -> None:
    with pytest.raises(InputError, match=r"^Kubernetes 1\.2 is not specified here; known are: .*1\.34"):
        release_of("v1.2.3")


def test_what_is_no_version_is_refused() -> None:
    with pytest.raises(InputError, match=r"^expected a version of Kubernetes such as 1\.34, found 'latest'$"):
        release_of("latest")
