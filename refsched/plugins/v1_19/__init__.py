# SPDX-License-Identifier: Apache-2.0
"""Plugins of v1.19 that later releases no longer have, or that decided otherwise."""
