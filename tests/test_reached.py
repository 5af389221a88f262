# SPDX-License-Identifier: Apache-2.0
"""What a change reaches: the tests that import what was changed."""

from __future__ import annotations

import pytest

from tests.reached import OF_EVERY_FILE, reached_by


@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        ("refsched/plugins/node_ports.py", "tests/plugins/test_node_ports.py"),
        ("tests/plugins/test_node_ports.py", "tests/plugins/test_node_ports.py"),
        ("tests/suite/toy_suite.py", "tests/suite/test_suite_shards.py"),
        ("tests/world.py", "tests/suite/breaking/test_kept_rules.py"),
    ],
)
def test_a_test_is_reached_by_what_it_imports(changed: str, reached: str) -> None:
    assert reached in reached_by([changed])


def test_what_imports_nothing_that_was_changed_is_not_reached() -> None:
    assert "tests/plugins/test_node_ports.py" not in reached_by(["refsched/plugins/scripted.py"])
    assert reached_by(["docs/rules.md"]) == sorted(OF_EVERY_FILE)
