# SPDX-License-Identifier: Apache-2.0
"""Running: the specification as a scheduler in a real cluster."""
