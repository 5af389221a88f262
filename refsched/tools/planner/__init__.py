# SPDX-License-Identifier: Apache-2.0
"""Planner: where the pods of a cluster would go, and why, as a scheduler finds out that is run on its objects."""
