# SPDX-License-Identifier: Apache-2.0
"""Dynamic resource allocation: which devices a claim gets, with the default feature gates of v1.34.2."""
