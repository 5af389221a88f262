# SPDX-License-Identifier: Apache-2.0
"""Extenders: processes outside the scheduler that it calls about pods and nodes, and how they are called."""
