# SPDX-License-Identifier: Apache-2.0
"""Steps of the scheduling cycle that v1.36 takes otherwise than v1.37."""
