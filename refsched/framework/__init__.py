# SPDX-License-Identifier: Apache-2.0
"""Framework: what a plugin may answer, and how the plugins are run at each extension point."""
