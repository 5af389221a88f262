# SPDX-License-Identifier: Apache-2.0
"""Invariants: what holds for every scheduler, checked from its records alone, with no specification."""
