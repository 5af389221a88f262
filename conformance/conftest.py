# SPDX-License-Identifier: Apache-2.0
"""Loads the suite's pytest plugin."""

pytest_plugins = ("refsched.suite.session.plugin",)
