# SPDX-License-Identifier: Apache-2.0
"""The scheduling queue as v1.19 has it: what differs from today's, for its release to name."""
