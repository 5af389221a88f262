# SPDX-License-Identifier: Apache-2.0
"""Planner: the scheduler let loose on a cluster that somebody has, to see where its pods would go, and why."""
