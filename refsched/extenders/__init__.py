# SPDX-License-Identifier: Apache-2.0
"""Extenders: processes outside the scheduler that are asked about pods and nodes, and how they are asked."""
