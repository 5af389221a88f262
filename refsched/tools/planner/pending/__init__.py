# SPDX-License-Identifier: Apache-2.0
"""Pending: why one pod fits nowhere, in a sentence and reason by reason, and what would help."""
