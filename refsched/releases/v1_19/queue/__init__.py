# SPDX-License-Identifier: Apache-2.0
"""The scheduling queue of v1.19: what differs from that of later releases."""
