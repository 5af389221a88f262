# SPDX-License-Identifier: Apache-2.0
"""Campaigns: long runs, such as soundness over many seeds, small worlds searched exhaustively, and recordings."""
