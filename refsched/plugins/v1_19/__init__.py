# SPDX-License-Identifier: Apache-2.0
"""Plugins of v1.19 that later releases have under the same name, and that decided otherwise."""
