# SPDX-License-Identifier: Apache-2.0
"""Histories: what is done to a scheduler step by step, how it is driven, and how what it did is judged."""
