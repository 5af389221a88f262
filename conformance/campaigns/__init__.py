# SPDX-License-Identifier: Apache-2.0
"""Long runs: soundness over many histories, small worlds searched exhaustively, recordings by area."""
