# SPDX-License-Identifier: Apache-2.0
"""Recording: what an implementation did, written down as a trace, without a word on whether it was right."""
