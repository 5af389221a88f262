# SPDX-License-Identifier: Apache-2.0
"""Strategies: what histories are drawn from. Inputs come from the seed alone, never from answers."""
