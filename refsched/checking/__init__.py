# SPDX-License-Identifier: Apache-2.0
"""Checking: following another scheduler, and judging whether the specification allows what it did."""
