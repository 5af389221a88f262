# SPDX-License-Identifier: Apache-2.0
"""``pytest --pyargs conformance``, where the package is installed.

In a checkout the conftest beside this module brings the options of the suite. Before it reads options, pytest does
not look for the conftest of what ``--pyargs`` names; so an entry point does the same, and only then: who has this
package installed and runs other tests does not see it. That is also why this module imports so little.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

PACKAGE = "conformance"
PLUGIN = "refsched.suite.session.plugin"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: Sequence[str]) -> None:
    if early_config.known_args_namespace.pyargs and any(_is_asked_for(arg) for arg in args):
        early_config.pluginmanager.import_plugin(PLUGIN)


def _is_asked_for(argument: str) -> bool:
    """``conformance``, or a module or test of it."""
    return argument.partition("::")[0].partition(".")[0] == PACKAGE
