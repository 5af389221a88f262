# SPDX-License-Identifier: Apache-2.0
"""Recording: what an implementation did is written as a trace, without judging it."""
