# SPDX-License-Identifier: Apache-2.0
"""Cycle: how a pod and a snapshot lead to a decision, or to the reasons why there is none."""
