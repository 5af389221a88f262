# SPDX-License-Identifier: Apache-2.0
"""Plugins of v1.19 that later releases do not have, or that decide otherwise in them."""
