# SPDX-License-Identifier: Apache-2.0
"""Plugins that decide otherwise in v1.36 than in v1.37."""
