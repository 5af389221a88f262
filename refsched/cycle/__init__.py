# SPDX-License-Identifier: Apache-2.0
"""Cycle: from a pod and a snapshot to a decision, or to the reasons why there is none."""
