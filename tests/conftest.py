# SPDX-License-Identifier: Apache-2.0
"""What tests of every folder may use: ``world``, and the modules beside this one."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from coverage import Coverage
from world import World

from refsched.processes.garbage_collection import look_seldom

pytest_plugins = ("pytester",)

TESTS = Path(__file__).parent
NOT_MEASURED = (
    "checking/test_checker_search.py",
    "checking/test_early_stop.py",
    "conformance/",
    "devices/test_search_memory.py",
    "docs/",
    "extenders/test_against_others.py",
    "remembering/",
    "releases/test_nothing_else_names_a_release.py",
    "releases/test_rules_that_hold.py",
    "releases/test_sources.py",
    "suite/recording/test_recorded_traces.py",
    "test_layout.py",
    "test_no_order_of_sets.py",
    "test_reached.py",
    "test_words.py",
    "wrong/test_chosen_for_planted.py",
    "wrong/test_counterexamples.py",
    "wrong/test_fields.py",
    "wrong/test_killing.py",
    "wrong/test_mended",
    "wrong/test_smallest.py",
)
"""These tests run long in this process, through code whose branches other tests reach. Measured,
they would take three times as long."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # In the background of a shell SIGINT is ignored, and children would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the mark of the suite's tests, which some tests here import outside of a run of the suite. Python
    looks for garbage as seldom as in a run of the suite."""
    look_seldom()
    config.addinivalue_line(
        "markers", "conforms(declaration): a test of the suite, which its own plugin runs"
    )
    config.addinivalue_line(
        "markers", "no_cover: a test without coverage; pytest-cov knows it, if it is there"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(TESTS).as_posix().startswith(NOT_MEASURED):
            item.add_marker("no_cover")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """In a worker of pytest-xdist, pytest-cov starts a measurement that nobody reads, and here another one. Where
    ``no_cover`` pauses the second, the first would go on, as slow as if the test were measured."""
    unread = Coverage.current()
    if hasattr(session.config, "workerinput") and unread is not None:
        unread.stop()


@pytest.fixture
def world() -> World:
    """An empty cluster; both scripted plugins are configured."""
    return World()
