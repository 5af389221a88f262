# SPDX-License-Identifier: Apache-2.0
"""Framework: the words that plugins and the scheduling cycle share."""
