# SPDX-License-Identifier: Apache-2.0
"""Releases: how one is named, and that nothing else names one."""

from __future__ import annotations

import pytest

from refsched.checking.trace import Header, SchedulerName
from refsched.errors import InputError
from refsched.releases import RELEASES, UNNAMED, release_of
from refsched.suite.adapters.connecting import connect


@pytest.mark.parametrize("version", ["1.34", "v1.34", "1.34.2", "v1.34.2", "v1.34.0-rc.1"])
def test_a_release_is_found_by_any_version_of_it(version: str) -> None:
    assert release_of(version) is RELEASES["1.34"]


def test_a_release_that_is_not_specified_is_refused_and_those_known_are_listed() -> None:
    with pytest.raises(InputError, match=r"^Kubernetes 1\.2 is not specified here; known are: .*1\.34"):
        release_of("v1.2.3")


def test_what_is_no_version_is_refused() -> None:
    with pytest.raises(InputError, match=r"^expected a version of Kubernetes such as 1\.37, found 'latest'$"):
        release_of("latest")


# --- Who says by which release is decided ---------------------------------------------------------


def header(name: str, version: str, kubernetes: str = "") -> Header:
    return Header("refsched.trace/v1", SchedulerName(name, version), {}, kubernetes=kubernetes)


@pytest.mark.parametrize("release", RELEASES)
def test_a_trace_of_kube_scheduler_is_of_the_release_that_its_version_says(release: str) -> None:
    assert header("kube-scheduler", RELEASES[release].tag).release is RELEASES[release]


def test_a_trace_of_another_scheduler_says_its_release_or_means_v1_34() -> None:
    assert header("mine", "0.1").release is RELEASES[UNNAMED]
    assert header("mine", "0.1", "1.34").release is RELEASES["1.34"]
    with pytest.raises(InputError, match=r"Kubernetes 1\.99 is not specified here"):
        assert header("mine", "0.1", "1.99").release


@pytest.mark.parametrize("release", RELEASES)
def test_the_reference_decides_by_the_release_that_is_asked_for(release: str) -> None:
    with connect(f"refsched.reference:{release}") as adapter:
        assert adapter.hello.kubernetes == release
