# SPDX-License-Identifier: Apache-2.0
"""The machine: it takes inputs and returns records, and does nothing without an input."""
