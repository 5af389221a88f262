# SPDX-License-Identifier: Apache-2.0
"""The cycles of v1.19: what differs from those of later releases."""
