# SPDX-License-Identifier: Apache-2.0
"""Loads the suite's pytest plugin, and gives it the areas that the tests here draw histories from."""

from __future__ import annotations

import pytest

from conformance.chosen import chosen_histories
from conformance.strategies import AREAS
from refsched.suite.session.bench import Bench

pytest_plugins = ("refsched.suite.session.plugin",)


def pytest_conformance_bench(config: pytest.Config) -> Bench:
    from refsched.suite.session.standard import StandardBench

    return StandardBench(AREAS, chosen_histories, in_process=config.getoption("--in-process"))
