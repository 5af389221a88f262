# SPDX-License-Identifier: Apache-2.0
"""What a run of the suite came to, as plain values: reports show them, and they pass between processes."""
