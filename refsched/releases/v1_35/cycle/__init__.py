# SPDX-License-Identifier: Apache-2.0
"""The cycles before 1.36: what differs from those of later releases."""
