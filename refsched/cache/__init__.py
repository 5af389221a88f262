# SPDX-License-Identifier: Apache-2.0
"""Cache: what the scheduler believes is on each node, assumed pods included."""
