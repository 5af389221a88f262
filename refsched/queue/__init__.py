# SPDX-License-Identifier: Apache-2.0
"""The scheduling queue: which pods wait, where, and what brings them back."""
