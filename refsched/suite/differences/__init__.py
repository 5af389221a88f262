# SPDX-License-Identifier: Apache-2.0
"""Differences: the clusters on which two releases decide differently."""
