# SPDX-License-Identifier: Apache-2.0
"""The cycles of v1.19, where they are not those of today."""
